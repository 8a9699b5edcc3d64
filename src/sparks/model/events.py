"""Events of the journey.

`sparks.journey` says which steps follow each; their fields travel as JSON in jobs.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Event:
    """A fact that steps follow.

    The steps begin after `delay` seconds. With `every`, they run once for all events of so many seconds: a `delay` that
    is no shorter lets them see all of those.
    """

    delay: ClassVar[float] = 0
    every: ClassVar[int | None] = None


@dataclass(frozen=True, slots=True)
class PhotoEvent(Event):
    """A fact about a photo; the photo's row holds its present state."""

    image_id: str
    owner: str


@dataclass(frozen=True, slots=True)
class Uploaded(PhotoEvent):
    """The bytes and the row are durable; or processing is retried."""


@dataclass(frozen=True, slots=True)
class RenditionsReady(PhotoEvent):
    """All renditions of the photo were made."""


@dataclass(frozen=True, slots=True)
class VideoWanted(PhotoEvent):
    """The photo is a video that perhaps not every browser plays, or a live photo."""


@dataclass(frozen=True, slots=True)
class PhotoChanged(PhotoEvent):
    """The photo was edited, trashed or restored, or its processing failed."""


@dataclass(frozen=True, slots=True)
class TagRenameBegun(Event):
    """A tag is being renamed on all photos of its owner, or on those that are left."""

    change_id: str


@dataclass(frozen=True, slots=True)
class PhotoDeletionBegun(PhotoEvent):
    """The photo is hidden, and all of it is to be deleted."""


@dataclass(frozen=True, slots=True)
class FacesWanted(PhotoEvent):
    """The photo's faces were never detected, or by another engine."""


@dataclass(frozen=True, slots=True)
class FacesFound(PhotoEvent):
    """The photo's faces are stored and may be assigned to persons."""


@dataclass(frozen=True, slots=True)
class PeopleDue(Event):
    """New faces may join persons or found new ones."""

    delay: ClassVar[float] = 5
    every: ClassVar[int | None] = 5


@dataclass(frozen=True, slots=True)
class PersonPicturesDue(Event):
    """The pictures of persons may have to follow other cover faces. The delay lets the index see what is due."""

    delay: ClassVar[float] = 2
    every: ClassVar[int | None] = 2


@dataclass(frozen=True, slots=True)
class RebuildWanted(Event):
    """All persons are to be grouped again, from all faces."""


@dataclass(frozen=True, slots=True)
class FaceIndexingDue(Event):
    """Photos may exist in which the present engine has not detected faces: in the whole library, or in the rest of a
    `run` through it.
    """

    run: str | None = None
    delay: ClassVar[float] = 2


@dataclass(frozen=True, slots=True)
class DecisionMade(Event):
    """A decision about a person was made or undone: faces and lists follow."""

    decision_id: str


@dataclass(frozen=True, slots=True)
class DecisionRecheckDue(Event):
    """A decision is applied again some seconds later, since an index may have been behind the first time. It is sent
    before the decision is written: so a decision of this time about these persons is applied even if its request was
    interrupted.
    """

    person_ids: tuple[str, ...]
    decided_at: datetime
    delay: ClassVar[float] = 10


@dataclass(frozen=True, slots=True)
class ErasureBegun(Event):
    """A face, or all faces of a subject, are being erased; the receipt says whose, and how far that is. The job
    completes what the request has begun, including rows that lists did not show yet.
    """

    erasure_id: str
    delay: ClassVar[float] = 5


@dataclass(frozen=True, slots=True)
class AccountRemovalBegun(Event):
    """A user's account was closed; all that they own is to be removed."""

    email: str


@dataclass(frozen=True, slots=True)
class AlbumDeletionBegun(Event):
    """An album is hidden, and all of it but its photos is to be deleted."""

    album_id: str


@dataclass(frozen=True, slots=True)
class MemberLeft(Event):
    """A member left an album or was removed from it: their photos and comments leave it, too."""

    album_id: str
    email: str


@dataclass(frozen=True, slots=True)
class UpkeepDue(Event):
    """Sparks started, or another hour has passed."""

    at: datetime


@dataclass(frozen=True, slots=True)
class PatrolDue(Event):
    """Sparks started, or some minutes have passed: lost jobs are looked for."""

    at: datetime
