"""Routes for pairs of persons that may be the same."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from sparks.actions.person_changes import PersonChanges
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.json_response import NOT_MODIFIED_DOC, model_response
from sparks.api.people.requests import SamePersonRequest
from sparks.api.people.responses import DecidedResponse, DecisionResponses, MergeSuggestionList
from sparks.feed.visible_decisions import VisibleDecisions
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.keyring import Keyring
from sparks.table.port import Table

SuggestionId = Annotated[str, Path(alias="suggestionId", max_length=400)]


class MergeSuggestionRoutes:
    """These must be added before the routes of persons: `suggestions` is no person id."""

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
        options: dict[str, Any] = {"response_model": MergeSuggestionList, "responses": NOT_MODIFIED_DOC}
        routes.add_fast("/api/suggestions", change, self.read_suggestions, **options)
        routes.add_fast("/api/persons/suggestions", change, self.read_suggestions_of_persons, **options)
        routes.add("POST", "/api/suggestions/{suggestionId}", change, self.answer_suggestion, errors=(404, 409))
        return routes.router

    def read_suggestions(
        self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List pairs of persons who may be the same, the most similar first."""
        return model_response(request, self._read(caller, limit, cursor))

    def read_suggestions_of_persons(
        self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List pairs of persons who may be the same: another path of `/api/suggestions`."""
        return model_response(request, self._read(caller, limit, cursor))

    def answer_suggestion(
        self, caller: CurrentMember, suggestion_id: SuggestionId, body: SamePersonRequest
    ) -> DecidedResponse:
        """Say whether the two are the same person. If so, they are merged; if not, the pair is not suggested again."""
        result = self._persons.answer_suggestion(caller, suggestion_id, same=body.same)
        return self._responses.decided(result, caller)

    def _read(self, caller: Member, limit: int, cursor: str | None) -> MergeSuggestionList:
        visible = VisibleDecisions(caller, at=self._authenticator.now(), table=self._table)
        page, after = read_page(
            lambda most, behind: visible.page_of_suggestions(limit=most, after=behind),
            query="suggestions",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        return self._responses.suggestions(page, visible, caller, after=after)
