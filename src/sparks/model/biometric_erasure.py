"""Biometric erasure: its receipt, counts of traces, and recognition opt-outs."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum

from sparks.model.stored import Stored


class Keep(StrEnum):
    """The data that a person allows to keep when their face is erased."""

    VECTOR = "vector"  # one vector, used only to not recognize the face
    NOTHING = "nothing"  # new photos may found a new, nameless person


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCounts(Stored):
    """Numbers of traces of faces: rows of the table, crops, and vectors in the index."""

    faces: int = 0
    embeddings: int = 0
    crops: int = 0
    vectors: int = 0
    taggings: int = 0
    persons: int = 0
    lists: int = 0  # rows of persons in scopes
    decisions: int = 0

    def __sub__(self, other: "TraceCounts") -> "TraceCounts":
        return TraceCounts(**{name: getattr(self, name) - getattr(other, name) for name in TRACES})


TRACES = tuple(field.name for field in fields(TraceCounts) if field.name != "extra")


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure(Stored):
    """The receipt of a biometric erasure that is done or under way. It holds nothing by which a face could be
    recognized.

    `subject` is as in Consent. Until it is done, `person_ids` are all ids of the person, and `face_ids` those of their
    faces that had no person yet. `checked_at` is when the remaining traces were counted by keys and lists, `scanned_at`
    when every row of the table was read; it is done then.
    """

    erasure_id: str
    subject: str
    who: str
    asked_at: datetime
    keep: Keep = Keep.NOTHING
    person_ids: tuple[str, ...] = ()
    face_ids: tuple[str, ...] = ()
    before: TraceCounts | None = None
    after: TraceCounts | None = None
    checked_at: datetime | None = None
    scanned_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionOptOut(Stored):
    """A face that must not be recognized again: the mean of the embeddings that `engine` made of it, as in Face.

    `account` is the user who can take the opt-out back, if there is one.
    """

    unrecognised_id: str
    engine: str
    embedding: bytes = field(repr=False)
    made_at: datetime
    account: str | None = None
