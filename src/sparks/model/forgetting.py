"""Faces that are to be forgotten: whose, how much of them there was and is, and what keeps them from coming back."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum

from sparks.model.stored import Stored


class Keep(StrEnum):
    """What stays of somebody whose face is forgotten: their own choice."""

    VECTOR = "vector"  # one do-not-recognise vector, for just that
    NOTHING = "nothing"  # new photos may found a new, nameless person


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces(Stored):
    """How much there is of faces: rows of the table, crops, and vectors in the index."""

    faces: int = 0
    embeddings: int = 0
    crops: int = 0
    vectors: int = 0
    taggings: int = 0
    persons: int = 0
    lists: int = 0  # of persons, by who may see them
    decisions: int = 0

    def __sub__(self, other: "Traces") -> "Traces":
        return Traces(**{name: getattr(self, name) - getattr(other, name) for name in TRACES})

    @property
    def is_nothing(self) -> bool:
        return not any(getattr(self, name) for name in TRACES)


TRACES = tuple(field.name for field in fields(Traces) if field.name != "extra")


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure(Stored):
    """The receipt of faces that were forgotten, or are about to be. It holds nothing by which one could know them.

    `subject` is as in Consent. `person_ids` are all who were that person, `face_ids` those of their faces that were
    nobody's yet: told only until it is done. `checked_at` is when what is left was counted by the keys and lists of
    all that was there, `scanned_at` when every row of the table was looked at; it is done then.
    """

    erasure_id: str
    subject: str
    who: str
    asked_at: datetime
    keep: Keep = Keep.NOTHING
    person_ids: tuple[str, ...] = ()
    face_ids: tuple[str, ...] = ()
    before: Traces | None = None
    after: Traces | None = None
    checked_at: datetime | None = None
    scanned_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrecognised(Stored):
    """A face that somebody does not want to be known by: the mean of what `engine` made of it, as in Face.

    `account` is who can take that back, where it is somebody's.
    """

    unrecognised_id: str
    engine: str
    embedding: bytes = field(repr=False)
    made_at: datetime
    account: str | None = None
