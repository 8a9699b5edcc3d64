"""What people decide about persons and faces. Every decision is kept, outlasts every rebuild, and can be undone."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path

from sparks.api.deciding import Deciding, Found
from sparks.api.decision_answers import DecidedAnswer, DecisionAnswers
from sparks.api.decision_shapes import NEW, FaceOf, MergeWish, PersonChange, PictureWish, SomeFaces
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.names import refuse_taken
from sparks.api.persons import PersonId
from sparks.journey import Stores
from sparks.library.access import faces_for, person_for
from sparks.library.people import SeenPerson
from sparks.library.photos.words import checked_name
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput, Conflict
from sparks.model.face import Face
from sparks.model.person import Decision

NOT_THEIRS: Final = "a face is not this person's, or not any more: look again, and choose among their faces"
NOTHING: Final = "say what to change: displayName, hidden"

FaceIdPath = Annotated[str, Path(alias="faceId", max_length=200)]


class DecisionRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, deciding: Deciding) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._deciding = deciding

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="persons")
        one, change = "/api/persons/{personId}", Action.CHANGE_PERSONS
        decided: dict[str, Any] = {"errors": (404, 409)}
        routes.add("PATCH", one, change, self.change_person, **decided)
        routes.add("POST", f"{one}/merge", change, self.merge_person, **decided)
        routes.add("POST", f"{one}/split", change, self.split_person, **decided)
        routes.add("POST", f"{one}/reject", change, self.reject_faces, **decided)
        routes.add("PUT", f"{one}/picture", change, self.choose_picture, **decided)
        routes.add("PUT", "/api/faces/{faceId}/person", change, self.assign_face, **decided)
        return routes.router

    # -- A person

    def change_person(self, who: MemberCaller, person_id: PersonId, wish: PersonChange) -> DecidedAnswer:
        """Name a person, or hide them. 409 `NAME_TAKEN` where another one is called so: merge them, or say that they
        are two.
        """
        seen = self._person(who, person_id)
        if "display_name" not in wish.model_fields_set and wish.hidden is None:
            raise BadInput(NOTHING)
        made = [*self._named(who, seen, wish), *self._hidden(who, seen, wish)]
        return self._answers(who).decided(made, seen.person_id)

    def merge_person(self, who: MemberCaller, person_id: PersonId, wish: MergeWish) -> DecidedAnswer:
        """Two persons are one. All of their photos are that one's at once; the lists follow in a moment."""
        seen, into = self._person(who, person_id), self._person(who, wish.into)
        made = self._deciding.merge(seen.person_id, into.person_id, who=who.email)
        return self._answers(who).decided(made, into.person_id)

    def choose_picture(self, who: MemberCaller, person_id: PersonId, wish: PictureWish) -> DecidedAnswer:
        """Show the person by this face of theirs, wherever it can be seen."""
        seen = self._person(who, person_id)
        [(face, _)] = self._theirs(seen, self._faces(who, wish.face_id))
        made = self._deciding.choose_picture(seen.person_id, face, who=who.email)
        return self._answers(who).decided([made], seen.person_id)

    # -- Faces

    def split_person(self, who: MemberCaller, person_id: PersonId, wish: SomeFaces) -> DecidedAnswer:
        """These faces of the person are somebody else: `otherPerson`, who is new."""
        seen = self._person(who, person_id)
        found = self._theirs(seen, self._faces(who, *wish.face_ids))
        made = self._deciding.split(seen.person_id, found, who=who.email)
        return self._answers(who).decided(made, seen.person_id, other=made[0].other_person_id)

    def reject_faces(self, who: MemberCaller, person_id: PersonId, wish: SomeFaces) -> DecidedAnswer:
        """These faces are not this person. Neither they nor others of the same moment come back to them."""
        seen = self._person(who, person_id)
        made = self._deciding.reject(seen.person_id, self._faces(who, *wish.face_ids), who=who.email)
        return self._answers(who).decided(made, seen.person_id)

    def assign_face(self, who: MemberCaller, face_id: FaceIdPath, wish: FaceOf) -> DecidedAnswer:
        """Say whose a face is: somebody's who is there, or a `new` person's."""
        [(face, _)] = found = self._faces(who, face_id)
        if wish.person_id != NEW:
            seen = self._person(who, wish.person_id)
            said = face.by_hand and face.person_id in seen.ids
            made = [] if said else [self._deciding.assign(seen.person_id, face, who=who.email)]
            return self._answers(who).decided(made, seen.person_id, face_id=face_id)
        made = self._founded(who, face, found)
        founded = made[0].other_person_id or made[0].person_id
        return self._answers(who).decided(made, founded, face_id=face_id)

    # -- What they need

    def _named(self, who: Member, seen: SeenPerson, wish: PersonChange) -> list[Decision]:
        if "display_name" not in wish.model_fields_set:
            return []
        name = checked_name(wish.display_name)
        if (name or seen.person_id) == seen.person.display_name:
            return []
        if name is not None and not wish.same_name:
            refuse_taken(name, who, besides=seen.person_id, at=self._gate.now(), table=self._table)
        return [self._deciding.name(seen.person_id, name, who=who.email)]

    def _hidden(self, who: Member, seen: SeenPerson, wish: PersonChange) -> list[Decision]:
        if wish.hidden is None or wish.hidden is seen.person.hidden:
            return []
        return [self._deciding.hide(seen.person_id, hidden=wish.hidden, who=who.email)]

    def _founded(self, who: Member, face: Face, found: Found) -> list[Decision]:
        """Of somebody's face, a split."""
        if face.person_id is None:
            return [self._deciding.assign(None, face, who=who.email)]
        return self._deciding.split(face.person_id, found, who=who.email)

    def _person(self, who: Member, person_id: str) -> SeenPerson:
        return person_for(who, Action.CHANGE_PERSONS, person_id, at=self._gate.now(), table=self._table)

    def _faces(self, who: Member, *face_ids: str) -> Found:
        return faces_for(who, Action.CHANGE_PERSONS, face_ids, at=self._gate.now(), table=self._table)

    def _theirs(self, seen: SeenPerson, found: Found) -> Found:
        """Conflict where one is not: somebody else may have been faster."""
        if any(face.person_id not in seen.ids for face, _ in found):
            raise Conflict(NOT_THEIRS)
        return found

    def _answers(self, who: Member) -> DecisionAnswers:
        return DecisionAnswers(who, at=self._gate.now(), stores=self._stores)
