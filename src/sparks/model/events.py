"""What can happen. Steps follow from events, as `sparks.journey` says; the fields travel as JSON."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Event:
    """Whatever has happened."""


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
    """It is a video, and perhaps one that not every browser plays."""


@dataclass(frozen=True, slots=True)
class PhotoChanged(PhotoEvent):
    """Somebody has edited, trashed or restored it, or the pipeline could not show it."""


@dataclass(frozen=True, slots=True)
class PhotoDeleting(PhotoEvent):
    """Nobody sees it any more, and all of it is to go."""


@dataclass(frozen=True, slots=True)
class RemovalBegun(Event):
    """A user's account was closed; all that they own is to go."""

    email: str


@dataclass(frozen=True, slots=True)
class UpkeepDue(Event):
    """Sparks has started, or another hour has passed."""

    at: datetime


@dataclass(frozen=True, slots=True)
class PatrolDue(Event):
    """Sparks has started, or some minutes have passed: what got lost on its way is looked for."""

    at: datetime
