"""Routes for decisions about persons and faces, and their history.

Every decision is kept, every rebuild respects it, and it can be undone.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Path

from sparks.actions.face_changes import FaceChanges
from sparks.actions.person_changes import PersonChanges
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.parameters import ImageId, PersonId
from sparks.api.people.requests import (
    NEW,
    AssignFaceRequest,
    CoverFaceRequest,
    DrawFaceRequest,
    FaceIdsRequest,
    MergeRequest,
    PersonChangeRequest,
)
from sparks.api.people.responses import DecidedResponse, DecisionList, DecisionResponses, decision_response
from sparks.feed.visible_decisions import VisibleDecisions
from sparks.library.authorized_reads import person_for
from sparks.library.photos.photo_edit import UNCHANGED
from sparks.model.access import Action
from sparks.model.keyring import Keyring
from sparks.table.port import Table

FaceIdPath = Annotated[str, Path(alias="faceId", max_length=200)]
DecisionId = Annotated[str, Path(alias="decisionId", max_length=400)]


class DecisionRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        person_changes: PersonChanges,
        face_changes: FaceChanges,
        responses: DecisionResponses,
    ) -> None:
        self._authenticator = authenticator
        self._persons = person_changes
        self._faces = face_changes
        self._responses = responses

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="persons")
        person, change = "/api/persons/{personId}", Action.CHANGE_PERSONS
        options: dict[str, Any] = {"errors": (404, 409)}
        routes.add("PATCH", person, change, self.change_person, **options)
        routes.add("POST", f"{person}/merge", change, self.merge_person, **options)
        routes.add("POST", f"{person}/split", change, self.split_person, **options)
        routes.add("POST", f"{person}/reject", change, self.reject_faces, **options)
        routes.add("PUT", f"{person}/picture", change, self.choose_picture, **options)
        routes.add("PUT", "/api/faces/{faceId}/person", change, self.assign_face, **options)
        return routes.router

    # -- Persons

    def change_person(self, caller: CurrentMember, person_id: PersonId, body: PersonChangeRequest) -> DecidedResponse:
        """Name a person, or hide them. 409 `NAME_TAKEN` where another person has this name: merge the two, or say that
        they are two persons of the same name.
        """
        name = body.display_name if "display_name" in body.model_fields_set else UNCHANGED
        result = self._persons.change(caller, person_id, name=name, hidden=body.hidden, same_name=body.same_name)
        return self._responses.decided(result, caller)

    def merge_person(self, caller: CurrentMember, person_id: PersonId, body: MergeRequest) -> DecidedResponse:
        """Merge two persons into one. The photos are moved at once, the lists within a moment."""
        return self._responses.decided(self._persons.merge(caller, person_id, body.into), caller)

    def choose_picture(self, caller: CurrentMember, person_id: PersonId, body: CoverFaceRequest) -> DecidedResponse:
        """Choose the person's cover face: it is shown to everyone who sees that face."""
        return self._responses.decided(self._persons.choose_cover_face(caller, person_id, body.face_id), caller)

    # -- Faces

    def split_person(self, caller: CurrentMember, person_id: PersonId, body: FaceIdsRequest) -> DecidedResponse:
        """Split these faces off the person. They become a new person, `otherPerson`."""
        return self._responses.decided(self._faces.split(caller, person_id, body.face_ids), caller)

    def reject_faces(self, caller: CurrentMember, person_id: PersonId, body: FaceIdsRequest) -> DecidedResponse:
        """Say that these faces do not show this person. They are not assigned to the person again, nor are other faces
        of the same moment.
        """
        return self._responses.decided(self._faces.reject(caller, person_id, body.face_ids), caller)

    def assign_face(self, caller: CurrentMember, face_id: FaceIdPath, body: AssignFaceRequest) -> DecidedResponse:
        """Assign a face to a person, or to a `new` one."""
        if body.person_id == NEW:
            result = self._faces.assign_to_new(caller, face_id)
        else:
            result = self._faces.assign(caller, face_id, body.person_id)
        return self._responses.decided(result, caller)


class DrawFaceRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, face_changes: FaceChanges, responses: DecisionResponses
    ) -> None:
        self._authenticator = authenticator
        self._faces = face_changes
        self._responses = responses

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="persons")
        routes.add(
            "POST",
            "/api/photos/{imageId}/faces",
            Action.CHANGE_PERSONS,
            self.draw_face,
            status=201,
            errors=(404, 409),
        )
        return routes.router

    def draw_face(self, caller: CurrentMember, image_id: ImageId, body: DrawFaceRequest) -> DecidedResponse:
        """Draw a face that was not found, and assign it to a person. A box around a known face means that face."""
        result = self._faces.draw(
            caller,
            image_id,
            body.bbox.box(),
            person_id=body.person_id,
            name=body.display_name,
            same_name=body.same_name,
        )
        return self._responses.decided(result, caller)


class DecisionHistoryRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        person_changes: PersonChanges,
        responses: DecisionResponses,
        table: Table,
        keyring: Keyring,
    ) -> None:
        self._authenticator = authenticator
        self._persons = person_changes
        self._responses = responses
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="persons")
        change = Action.CHANGE_PERSONS
        routes.add("GET", "/api/persons/{personId}/decisions", change, self.read_decisions, errors=(404,))
        routes.add("POST", "/api/decisions/{decisionId}/undo", change, self.undo_decision, errors=(404, 409))
        return routes.router

    def read_decisions(
        self, caller: CurrentMember, person_id: PersonId, limit: Limit = 100, cursor: Cursor = None
    ) -> DecisionList:
        """List the decisions about a person, and about all persons merged into them, newest first: who made each, and
        whether it was undone. Only decisions about photos that you see.
        """
        at = self._authenticator.now()
        person = person_for(caller, Action.CHANGE_PERSONS, person_id, at=at, table=self._table)
        visible = VisibleDecisions(caller, at=at, table=self._table)
        decisions = visible.all_about(person.ids)
        page, after = read_page(
            lambda most, behind: visible.page(decisions, limit=most, after=behind),
            query=f"decisions about {person.person_id}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        responses = [decision_response(each, decisions, visible) for each in page]
        return DecisionList(decisions=responses, last_evaluated_key=after)

    def undo_decision(self, caller: CurrentMember, decision_id: DecisionId) -> DecidedResponse:
        """Undo a decision of any member. Undoing it twice is harmless."""
        return self._responses.decided(self._persons.undo(caller, decision_id), caller)
