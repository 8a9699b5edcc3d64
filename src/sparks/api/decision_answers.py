"""Decisions as answers: who said what about whom, and whether it still stands.

A decision is told to those who see what it is about: one of its faces, or, where it names none, the persons. Who was
merged is seen by faces of their own: what was said of somebody in private photos is nobody's business, though they
became one whom all see.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

from pydantic import Field

from sparks.api.person_answers import BoxAnswer, FaceAnswer, PersonAnswer, PersonAnswers, box_answer
from sparks.api.shapes import Answer, Time
from sparks.journey import Stores
from sparks.library.access import may_see, person_for
from sparks.library.people import SeenPerson, decisions_about, find_face, images_with_home
from sparks.library.photos import find_photo
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.face import FaceReference
from sparks.model.person import Decision, DecisionKind


class NamedFace(Answer):
    """A face as it was when it was decided about."""

    face_id: str | None = None
    image_id: str
    bbox: BoxAnswer


class DecisionAnswer(Answer):
    """What somebody said about a person. Of a merge, `otherPersonId` became this person; of a split, they have the
    faces.
    """

    decision_id: str
    kind: DecisionKind
    person_id: str
    other_person_id: str | None = None
    name: str | None = Field(None, description="Given by it; none where it took one away.")
    was: str | None = Field(None, description="What they were called before.")
    faces: list[NamedFace] = Field(description="Those in photos that you see.")
    who: str
    decided_at: Time
    undone: bool
    undone_by: str | None = None
    undone_at: Time | None = None


class DecisionList(Answer):
    decisions: list[DecisionAnswer]
    last_evaluated_key: str | None = None


class DecidedAnswer(Answer):
    """What was decided now, which may be undone by its id; nothing, where it was so already. The persons are as you see
    them now: one in none of your photos any more is left out.
    """

    decision_id: str | None = Field(None, description="Of the first of the decisions.")
    decisions: list[DecisionAnswer]
    person: PersonAnswer | None = None
    other_person: PersonAnswer | None = Field(None, description="Whom faces were split off into.")
    face: FaceAnswer | None = Field(None, description="The face that this was about, where it was about one.")


class DecisionAnswers:
    """Answers to one member, now."""

    def __init__(self, who: Member, *, at: datetime, stores: Stores) -> None:
        self._who = who
        self._at = at
        self._table = stores.table
        self._answers = PersonAnswers(who, at=at, table=stores.table, keyring=stores.keyring)
        self.person = cache(self._person)
        self._sees_photo = cache(self._may_see)
        self._sees_own_face = cache(self._may_see_face_of)

    def decided(
        self, made: Sequence[Decision], person_id: str, *, other: str | None = None, face_id: str | None = None
    ) -> DecidedAnswer:
        known = self._known(made)
        told = [self.told(decision, known) for decision in made]
        return DecidedAnswer(
            decision_id=told[0].decision_id if told else None,
            decisions=told,
            person=self.person_answer(person_id),
            other_person=None if other is None else self.person_answer(other),
            face=None if face_id is None else self.face(face_id),
        )

    def told(self, decision: Decision, known: Iterable[Decision]) -> DecisionAnswer:
        """`known` are all decisions about the person: what undid this one is told with it."""
        undoing = next((each for each in known if each.undoes == decision.decision_id), None)
        other = decision.other_person_id
        return DecisionAnswer(
            decision_id=decision.decision_id,
            kind=decision.kind,
            person_id=decision.person_id,
            other_person_id=other if other is not None and self.person(other) is not None else None,
            name=decision.name,
            was=decision.was,
            faces=[_named(face) for face in decision.faces if self._sees_photo(face.image_id)],
            who=decision.who,
            decided_at=decision.decided_at,
            undone=undoing is not None,
            undone_by=None if undoing is None else undoing.who,
            undone_at=None if undoing is None else undoing.decided_at,
        )

    def sees(self, decision: Decision) -> bool:
        if decision.faces:
            return any(self._sees_photo(face.image_id) for face in decision.faces)
        about = [each for each in (decision.person_id, decision.other_person_id) if each is not None]
        if any(self.person(each) is None for each in about):
            return False
        return decision.who == self._who.email or all(map(self._sees_own_face, about))

    def person_answer(self, person_id: str) -> PersonAnswer | None:
        seen = self.person(person_id)
        return None if seen is None else self._answers.person(seen)

    def face(self, face_id: str) -> FaceAnswer | None:
        """None where it is gone, or in a photo that the caller does not see."""
        face = find_face(face_id, table=self._table)
        if face is None or not self._sees_photo(face.image_id):
            return None
        seen = None if face.person_id is None else self.person(face.person_id)
        return self._answers.face(face, None if seen is None else seen.person_id)

    def _person(self, person_id: str) -> SeenPerson | None:
        """None where the caller sees nobody of that id."""
        try:
            return person_for(self._who, Action.CHANGE_PERSONS, person_id, at=self._at, table=self._table)
        except NotFound:
            return None

    def _may_see(self, image_id: str) -> bool:
        photo = find_photo(image_id, table=self._table)
        return photo is not None and may_see(
            self._who, photo, action=Action.CHANGE_PERSONS, at=self._at, table=self._table
        )

    def _may_see_face_of(self, person_id: str) -> bool:
        """Of somebody who was merged, by this very id."""
        seen = self.person(person_id)
        if seen is None or seen.person_id == person_id:
            return seen is not None
        return any(map(self._sees_photo, images_with_home(seen, person_id, table=self._table)))

    def _known(self, made: Iterable[Decision]) -> list[Decision]:
        persons = dict.fromkeys(decision.person_id for decision in made)
        return [each for person_id in persons for each in decisions_about(person_id, table=self._table)]


def _named(face: FaceReference) -> NamedFace:
    return NamedFace(face_id=face.face_id, image_id=face.image_id, bbox=box_answer(face.box))
