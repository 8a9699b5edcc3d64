"""Person with scopes, photo rows, merge suggestions and human decisions."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sparks.model.face import FaceReference
from sparks.model.photo import Renditions
from sparks.model.scope import Scope
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(Stored):
    """`canonical_person_id` is the person into whom this one was merged: readers follow it.

    `rep_face_id` is the cover face, with its photo, crop and rank; `chosen_face_id` is the one that people chose.
    `picture_key` is a copy of a crop for everyone: that of `picture_face_id`, a face that the community sees. Without
    `picture_face_id`, another program wrote it. `decision_count` rises with every decision about the person.
    """

    person_id: str
    display_name: str
    created_at: datetime  # to the second
    updated_at: datetime | None = None
    picture_key: str | None = None
    picture_face_id: str | None = None
    rep_face_id: str | None = None
    rep_image_id: str | None = None
    rep_thumb_key: str | None = None
    rep_rank: float | None = None
    chosen_face_id: str | None = None
    member_count: int | None = None  # faces; None where another program made the person
    photo_count: int = 0  # distinct photos
    canonical_person_id: str | None = None
    hidden: bool = False
    decision_count: int = 0

    @property
    def is_named(self) -> bool:
        return self.display_name != self.person_id

    @property
    def is_external(self) -> bool:
        """Whether another program made the person, and Sparks has counted no face of theirs so far. They have no
        private photo: everyone sees them.
        """
        return self.member_count is None

    @property
    def is_needed(self) -> bool:
        """A person without faces is deleted, unless named, merged into another, or made by another program."""
        return self.member_count != 0 or self.is_named or self.canonical_person_id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonInScope(Stored):
    """The photos of a person in one scope, and the cover face there, as in Person.

    `listed` where the person is named or in at least `min_photos` photos, the number by which that was last decided.
    """

    person_id: str
    scope: Scope
    count: int = 0
    rep_face_id: str | None = None
    rep_image_id: str | None = None
    rep_rank: float | None = None
    min_photos: int | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonInPhoto(Stored):
    """A person is in a photo. `owner` is None only in rows of another program, which may have no face here; those are
    never private.

    `picture_key` is that of the large rendition. `counted` says whether the person's counters include the row, and with
    how many faces; `counted_in` are the scopes that do. A row with an owner and without a best face is about to be
    deleted.
    """

    image_id: str
    person_id: str
    created_at: datetime  # to the second
    owner: str | None = None
    private: bool = False
    picture_key: str | None = None
    renditions: Renditions | None = None
    best_face_id: str | None = None
    best_thumb_key: str | None = None
    best_rank: float | None = None
    counted: bool = False
    counted_faces: int = 0
    counted_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonPictureDue(Stored):
    """The picture of a person is to be updated: its face changed, or the person was merged or deleted. With `writing`,
    a process is updating it.
    """

    person_id: str
    due_id: str
    made_at: datetime
    writing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion(Stored):
    """Two persons who may be one, the older of them first; a human decides. The faces are one of each."""

    person_id: str
    other_person_id: str
    face_id: str
    other_face_id: str
    similarity: float

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
    DIFFERENT = "different"  # from the other person of a merge suggestion
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Stored):
    """A human decision about a person. It is never changed, and every rebuild replays it; an UNDO names the decision
    that it undoes.

    A MERGE is about the person who stays, and the other one became them. A SPLIT is about the person who lost the
    faces, and the other one has them. An ASSIGN names as the other one the person to whom the faces belonged before,
    and a NAME the former name (`was`).
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
    """A decision about faces, stored with their photo: so the decisions of a photo are found whatever becomes of it."""

    image_id: str
    owner: str
    decided_at: datetime
    decision_id: str
    kind: DecisionKind
    person_id: str
    faces: tuple[FaceReference, ...] = ()
    other_person_id: str | None = None
    undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonCounter(Stored):
    """The number of the last person that was founded; gaps are fine."""

    last_number: int = 0
