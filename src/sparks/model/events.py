"""What can happen. Steps follow from events, as `sparks.journey` says; the fields travel as JSON."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Event:
    """Whatever has happened.

    What follows begins after `delay` seconds. With `every`, it follows once for all that happens within so many
    seconds: a `delay` that is no shorter lets it see all of that.
    """

    delay: ClassVar[float] = 0
    every: ClassVar[int | None] = None


@dataclass(frozen=True, slots=True)
class PhotoEvent(Event):
    """Something has happened to a photo; its row says how it is now."""

    image_id: str
    owner: str


@dataclass(frozen=True, slots=True)
class Uploaded(PhotoEvent):
    """Its bytes and its row are durable; or a retry asks for the same once more."""


@dataclass(frozen=True, slots=True)
class RenditionsReady(PhotoEvent):
    """All that is wanted of it was made."""


@dataclass(frozen=True, slots=True)
class FilmWanted(PhotoEvent):
    """It is a video, and perhaps one that not every browser plays; or a still with a film behind it."""


@dataclass(frozen=True, slots=True)
class PhotoChanged(PhotoEvent):
    """Somebody has edited, trashed or restored it, or the pipeline could not show it."""


@dataclass(frozen=True, slots=True)
class TagRenaming(Event):
    """A tag is to have another name on all photos of its owner, or on those that are left."""

    change_id: str


@dataclass(frozen=True, slots=True)
class PhotoDeleting(PhotoEvent):
    """Nobody sees it any more, and all of it is to go."""


@dataclass(frozen=True, slots=True)
class FacesWanted(PhotoEvent):
    """Its faces were never looked for, or by another engine."""


@dataclass(frozen=True, slots=True)
class FacesFound(PhotoEvent):
    """Its faces are kept, and may be somebody's."""


@dataclass(frozen=True, slots=True)
class PeopleDue(Event):
    """Faces came that may bring persons together, or found some."""

    delay: ClassVar[float] = 5
    every: ClassVar[int | None] = 5


@dataclass(frozen=True, slots=True)
class RebuildWanted(Event):
    """All persons are to be thought over, from all faces."""


@dataclass(frozen=True, slots=True)
class LibraryUnindexed(Event):
    """There may be photos whose faces the engine of today has not looked for: in all of the library, or in what is left
    of a `run` through it.
    """

    run: str | None = None
    delay: ClassVar[float] = 2


@dataclass(frozen=True, slots=True)
class Decided(Event):
    """Somebody decided something about a person, or undid it: faces and lists follow."""

    decision_id: str


@dataclass(frozen=True, slots=True)
class DecidedLately(Event):
    """The same some seconds later, for what an index did not tell at first. It is sent before anything is decided: so
    what was decided at this time about these persons is followed, should whoever decided be interrupted right then.
    """

    person_ids: tuple[str, ...]
    decided_at: datetime
    delay: ClassVar[float] = 10


@dataclass(frozen=True, slots=True)
class ErasureBegun(Event):
    """A face is to be forgotten, or all of them; the receipt says whose, and how far that is. What was begun at once,
    and what lists did not tell yet, is done when this follows.
    """

    erasure_id: str
    delay: ClassVar[float] = 5


@dataclass(frozen=True, slots=True)
class RemovalBegun(Event):
    """A user's account was closed; all that they own is to go."""

    email: str


@dataclass(frozen=True, slots=True)
class AlbumDeleting(Event):
    """An album is nobody's any more, and all of it is to go, but for its photos."""

    album_id: str


@dataclass(frozen=True, slots=True)
class MemberLeft(Event):
    """Somebody has left an album, or was removed from it: what is theirs leaves with them."""

    album_id: str
    email: str


@dataclass(frozen=True, slots=True)
class UpkeepDue(Event):
    """Sparks has started, or another hour has passed."""

    at: datetime


@dataclass(frozen=True, slots=True)
class PatrolDue(Event):
    """Sparks has started, or some minutes have passed: what got lost on its way is looked for."""

    at: datetime
