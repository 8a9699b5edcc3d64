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
    """`canonical_person_id` is whom this one was merged into: readers follow it.

    `rep_face_id` is the face that shows them, with its photo and how good it is; `chosen_face_id` the one that somebody
    chose for that. `decision_count` moves with every decision about them.
    """

    person_id: str
    display_name: str
    created_at: datetime  # to the second
    updated_at: datetime | None = None
    picture_key: str | None = None
    rep_face_id: str | None = None
    rep_image_id: str | None = None
    rep_rank: float | None = None
    chosen_face_id: str | None = None
    member_count: int = 0  # faces
    photo_count: int = 0  # distinct photos
    canonical_person_id: str | None = None
    hidden: bool = False
    decision_count: int = 0

    @property
    def is_named(self) -> bool:
        return self.display_name != self.person_id

    @property
    def is_needed(self) -> bool:
        """One who has no face left disappears, unless named or leading to another."""
        return self.member_count > 0 or self.is_named or self.canonical_person_id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonInScope(Stored):
    """What can be seen of a person in one scope, and the face that shows them there, as in Person.

    `listed` when named, or in enough photos: in as many as `enough` says, which is what it was last judged by.
    """

    person_id: str
    scope: Scope
    count: int = 0
    rep_face_id: str | None = None
    rep_image_id: str | None = None
    rep_rank: float | None = None
    enough: int | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagging(Stored):
    """A person is in a photo. `owner` is None only in rows from before rows named it; those are never private.

    `counted` says whether the person's counters know it, and with how many faces; `counted_in` the scopes that do. One
    without a best face is on its way out.
    """

    image_id: str
    person_id: str
    created_at: datetime  # to the second
    owner: str | None = None
    private: bool = False
    picture_key: str | None = None
    renditions: Renditions | None = None
    best_face_id: str | None = None
    best_rank: float | None = None
    counted: bool = False
    counted_faces: int = 0
    counted_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion(Stored):
    """Perhaps these two are one person, the first of them founded before the other one: a human is asked. The faces are
    one of each.
    """

    person_id: str
    other_person_id: str
    face_id: str
    other_face_id: str
    similarity: float
    made_at: datetime

    @property
    def suggestion_id(self) -> str:
        return f"{self.person_id}~{self.other_person_id}"


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
    """What a human said about a person. Never changed, replayed by every rebuild; an UNDO names what it undoes.

    A MERGE is about the one who stays, the other one became them. A SPLIT is about the one whom the faces were taken
    from, the other one has them. An ASSIGN tells as the other one whose the faces were before, a NAME what they `was`
    called.
    """

    person_id: str
    decided_at: datetime
    decision_id: str
    kind: DecisionKind
    who: str
    faces: tuple[FaceReference, ...] = ()
    other_person_id: str | None = None
    name: str | None = None
    was: str | None = None
    undoes: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceDecision(Stored):
    """A decision about faces, as the photo knows it: whatever becomes of the photo, its decisions are found."""

    image_id: str
    owner: str
    decided_at: datetime
    decision_id: str
    kind: DecisionKind
    person_id: str
    faces: tuple[FaceReference, ...] = ()
    other_person_id: str | None = None
    undone: bool = False
