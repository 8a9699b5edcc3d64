"""Error tree of Sparks, with the HTTP status of each.

A message says what happened and what to do; it may be shown to a user.

SparksError
├── BadInput                  the caller's input is wrong                            400
│   ├── TooLarge              an item, a job or a body above its limit               413
│   ├── UnsupportedType       bytes of a type that Sparks does not take              415
│   ├── BadSignature          a signed address that is altered, foreign or too old   403
│   └── BadCursor             a cursor that is altered, or of another list           400
├── NotSignedIn               no credentials, or wrong ones                          401
├── NotAllowed                the caller may not do this                             403
│   ├── UploadLimitReached    no photo or not enough bytes are left                  403
│   └── LinkFull              a cap of a link is reached                             403
├── TooManyTries              too many wrong attempts; try again later               429
├── NotFound                  nothing there under that name                          404
├── Conflict                  the state is not the expected one                      409
│   ├── ConditionFailed       a condition of a write did not hold
│   ├── VersionMismatch       it was changed since the caller read it
│   ├── NameTaken             another person has the name, and may be the same one
│   ├── AlreadyThere          written only if absent, and it was not
│   └── Migrating             it is still changed in the service that Sparks replaces
├── Damaged                   bytes that are not what they should be                 422
├── Busy                      too many at once; the same call may succeed later      503
├── Unavailable               a store cannot be reached                              503
├── StorageFull               no room left on the disk                               507
└── BadSetting                a setting that Sparks cannot start with
"""

from collections.abc import Mapping
from typing import Any


class SparksError(Exception):
    """Base of every error that Sparks raises on purpose."""


class BadInput(SparksError):
    """The caller's input is wrong, and would be wrong again."""


class TooLarge(BadInput):
    """An item, a job or a body above its limit."""


class UnsupportedType(BadInput):
    """Bytes of a type that Sparks does not take; the message says what they look like."""


class BadSignature(BadInput):
    """A signed address or cursor that is altered, made for something else, or too old."""


class BadCursor(BadInput):
    """A cursor that is altered, or was made for another list or caller."""


class NotSignedIn(SparksError):
    """The credentials are missing, wrong, expired or revoked."""


class NotAllowed(SparksError):
    """The caller is known and may not do this."""


class UploadLimitReached(NotAllowed):
    """The user's upload limit has no photo, or not enough bytes, left. `bytes_left` is None where bytes are not
    limited.
    """

    def __init__(self, message: str, *, photos_left: int, bytes_left: int | None) -> None:
        super().__init__(message)
        self.photos_left = photos_left
        self.bytes_left = bytes_left


class LinkFull(NotAllowed):
    """A cap of the link is reached, in all or for one guest."""


class TooManyTries(SparksError):
    """Too many wrong attempts; the same call may be made again after `retry_after` seconds."""

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NotFound(SparksError):
    """Nothing there under that name."""


class Conflict(SparksError):
    """The state is not the one that the caller expected."""


class ConditionFailed(Conflict):
    """A condition of a write did not hold: `position` is that of the change, `found` the item that stood there."""

    def __init__(self, position: int, found: Mapping[str, Any] | None) -> None:
        there = "another state of the item" if found is not None else "no such item"
        super().__init__(f"change {position} was not made: there is {there}")
        self.position = position
        self.found = found


class VersionMismatch(Conflict):
    """It was changed since the caller read it; `current_version` is its version now."""

    def __init__(self, message: str, *, current_version: int) -> None:
        super().__init__(message)
        self.current_version = current_version


class NameTaken(Conflict):
    """Another person whom the caller sees, `person_id`, has the name. They may be the same one."""

    def __init__(self, message: str, *, person_id: str) -> None:
        super().__init__(message)
        self.person_id = person_id


class AlreadyThere(Conflict):
    """Written only if absent, and it was not."""


class Migrating(Conflict):
    """It came from the service that Sparks replaces, and is still changed there."""

    def __init__(self) -> None:
        super().__init__(
            "this came from the service that Sparks replaces, and is still changed there: change it there, or wait "
            "until the migration is complete"
        )


class Damaged(SparksError):
    """Bytes that are not what they should be: another hash, another length, a broken file."""


class Busy(SparksError):
    """Too many at once; the same call may succeed later."""


class Unavailable(SparksError):
    """A store cannot be reached."""


class StorageFull(SparksError):
    """No room left on the disk."""


class BadSetting(SparksError):
    """A setting that Sparks cannot start with."""
