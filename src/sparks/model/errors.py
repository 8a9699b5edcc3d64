"""The error tree. A message says what happened and what to do; it may be shown to a user.

SparksError
├── BadInput                  the caller's words are off                             400
│   ├── TooLarge              an item, a job or a body above its limit               413
│   ├── UnsupportedType       bytes of a type that Sparks does not take              415
│   ├── BadSignature          a signed address that is altered, foreign or too old   403
│   └── BadCursor             a cursor that is altered, or of another list           400
├── NotSignedIn               nobody is signed in, or not with these words           401
├── NotAllowed                somebody is, and may not do this                       403
│   ├── UploadLimitReached    no photo or not enough bytes are left                  403
│   └── LinkFull              no more may come through a link, or from a guest       403
├── TooManyTries              wrong too often; it is tried again later               429
├── NotFound                  nothing there under that name                          404
├── Conflict                  it is not as the caller believed                       409
│   ├── ConditionFailed       a condition of a write did not hold
│   ├── VersionMismatch       somebody else changed it since the caller looked
│   ├── NameTaken             another person is called so, and may be the same one
│   └── AlreadyThere          written only if absent, and it was not
├── Damaged                   bytes that are not what they should be                 422
├── Busy                      too much at once; the same call may succeed later      503
├── Unavailable               a store cannot be reached                              503
├── StorageFull               no room left on the disk                               507
└── BadSetting                a setting that Sparks cannot start with
"""

from collections.abc import Mapping
from typing import Any


class SparksError(Exception):
    """Whatever Sparks raises on purpose."""


class BadInput(SparksError):
    """The caller's words are off, and would be off again."""


class TooLarge(BadInput):
    """An item, a job or a body above its limit."""


class UnsupportedType(BadInput):
    """Bytes of a type that Sparks does not take; the message says what they look like."""


class BadSignature(BadInput):
    """A signed address or cursor that is altered, made for something else, or too old."""


class BadCursor(BadInput):
    """A cursor that is altered, or was given out for another list or to somebody else."""


class NotSignedIn(SparksError):
    """Nobody is signed in, or what they showed is wrong, over or revoked."""


class NotAllowed(SparksError):
    """We know who asks, and they may not do this."""


class UploadLimitReached(NotAllowed):
    """No photo, or not enough bytes, are left of what the user was given. None: bytes are not counted."""

    def __init__(self, message: str, *, photos_left: int, bytes_left: int | None) -> None:
        super().__init__(message)
        self.photos_left = photos_left
        self.bytes_left = bytes_left


class LinkFull(NotAllowed):
    """As much as a link lets in, in all or from one guest, is there."""


class TooManyTries(SparksError):
    """Wrong too often; the same call may be made again after `retry_after` seconds."""

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NotFound(SparksError):
    """Nothing there under that name."""


class Conflict(SparksError):
    """It is not as the caller believed."""


class ConditionFailed(Conflict):
    """A condition of a write did not hold: `position` tells which change, `found` the item that stood there."""

    def __init__(self, position: int, found: Mapping[str, Any] | None) -> None:
        there = "another state of the item" if found is not None else "no such item"
        super().__init__(f"change {position} was not made: there is {there}")
        self.position = position
        self.found = found


class VersionMismatch(Conflict):
    """Somebody else changed it since the caller looked; `current_version` is what it is now."""

    def __init__(self, message: str, *, current_version: int) -> None:
        super().__init__(message)
        self.current_version = current_version


class NameTaken(Conflict):
    """Another person is called so, whom the caller sees: `person_id`. They may be the same one."""

    def __init__(self, message: str, *, person_id: str) -> None:
        super().__init__(message)
        self.person_id = person_id


class AlreadyThere(Conflict):
    """Written only if absent, and it was not."""


class Damaged(SparksError):
    """Bytes that are not what they should be: another hash, another length, a broken file."""


class Busy(SparksError):
    """Too much at once; the same call may succeed later."""


class Unavailable(SparksError):
    """A store cannot be reached."""


class StorageFull(SparksError):
    """No room left on the disk."""


class BadSetting(SparksError):
    """A setting that Sparks cannot start with."""
