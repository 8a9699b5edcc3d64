"""A person: the faces that are one, what people decided about them, and who may know."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sparks.model.face import FaceReference
from sparks.model.photo import Renditions
from sparks.model.scope import Scope
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(Stored):
    """`canonical_person_id` is whom this one was merged into: readers follow it."""

    person_id: str
    display_name: str
    created_at: datetime  # to the second
    updated_at: datetime | None = None
    picture_key: str | None = None
    rep_face_id: str | None = None
    member_count: int = 0  # faces
    photo_count: int = 0  # distinct photos
    canonical_person_id: str | None = None
    hidden: bool = False

    @property
    def is_named(self) -> bool:
        return self.display_name != self.person_id


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonInScope(Stored):
    """What can be seen of a person in one scope. `listed` when named, or in enough photos."""

    person_id: str
    scope: Scope
    count: int = 0
    rep_face_id: str | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagging(Stored):
    """A person is in a photo. `owner` is None only in rows from before rows named it; those are never private.

    `counted` says whether the counters know it.
    """

    image_id: str
    person_id: str
    created_at: datetime  # to the second
    owner: str | None = None
    private: bool = False
    picture_key: str | None = None
    renditions: Renditions | None = None
    best_face_id: str | None = None
    counted: bool = False


class DecisionKind(StrEnum):
    NAME = "name"
    HIDE = "hide"
    SHOW = "show"
    MERGE = "merge"
    SPLIT = "split"
    REJECT = "reject"  # not this person
    ASSIGN = "assign"
    DRAW = "draw"  # a box where no engine saw a face
    PICTURE = "picture"
    DIFFERENT = "different"  # from the other person, when asked
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Stored):
    """What a human said about a person. Never changed, replayed by every rebuild; an UNDO names what it undoes."""

    person_id: str
    decided_at: datetime
    decision_id: str
    kind: DecisionKind
    who: str
    faces: tuple[FaceReference, ...] = ()
    other_person_id: str | None = None
    name: str | None = None
    undoes: str | None = None
