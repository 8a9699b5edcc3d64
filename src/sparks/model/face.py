"""Face in a photo: its box, embedding and person."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.stored import Stored

BOX_DECIMALS: Final = 6  # finer than a pixel of the largest picture
HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class Box(Stored):
    """Shares of the upright picture's width and height, from its left upper corner, to six decimals.

    A face at the edge may reach beyond the picture: below 0 or above 1.
    """

    left: float
    top: float
    width: float
    height: float

    def __post_init__(self) -> None:
        for name in ("left", "top", "width", "height"):
            object.__setattr__(self, name, round(getattr(self, name), BOX_DECIMALS) + 0.0)  # -0.0 becomes 0.0

    def overlap(self, other: "Box") -> float:
        """The shared area as a share of what both cover together: 0 apart, 1 for the same box."""
        width = min(self.left + self.width, other.left + other.width) - max(self.left, other.left)
        height = min(self.top + self.height, other.top + other.height) - max(self.top, other.top)
        if width <= 0 or height <= 0:
            return 0.0
        shared = width * height
        return shared / (self.width * self.height + other.width * other.height - shared)

    def is_same_face(self, other: "Box") -> bool:
        """Whether a face found again, perhaps by another engine, keeps its id: the boxes overlap by half."""
        return self.overlap(other) >= HALF


@dataclass(frozen=True, slots=True, kw_only=True)
class Face(Stored):
    """A face in a photo. `person_id` is None until it is assigned, and `added_at` is when it was; `engine` names model
    and version.

    `stored_engine_person_id` is the person to whom the engine assigned it, where that differs from `person_id`: that
    person was merged into another one, or people rejected the face or (`by_hand`) assigned it.
    """

    image_id: str
    face_id: str
    owner: str
    box: Box
    person_id: str | None = None
    added_at: datetime | None = None
    thumb_key: str | None = None
    confidence: float | None = None
    quality: float | None = None
    engine: str | None = None
    embedding: bytes | None = field(default=None, repr=False)
    indexed_at: datetime | None = None
    stored_engine_person_id: str | None = None
    by_hand: bool = False

    @property
    def engine_person_id(self) -> str | None:
        """The person to whom the engine assigns the face, whatever people decided."""
        return (
            self.stored_engine_person_id if self.stored_engine_person_id is not None or self.by_hand else self.person_id
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceById(Stored):
    """Leads from a face's id to its photo."""

    face_id: str
    image_id: str
    owner: str


@dataclass(frozen=True, slots=True)
class FaceReference(Stored):
    """A face as a decision names it: by its box, so that the decision outlives the engine and its ids."""

    image_id: str
    box: Box
    face_id: str | None = None


class FaceChange(StrEnum):
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceLogEntry(Stored):
    """A face was added or removed. The log is read by day, which saves a scan for new faces.

    The entry of a removed face names no photo, since that may be deleted.
    """

    indexed_at: datetime
    face_id: str
    image_id: str | None = None
    owner: str | None = None
    change: FaceChange = FaceChange.ADDED
