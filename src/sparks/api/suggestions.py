"""Two who may be one person: those who see both are asked."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response

from sparks.api.deciding import Deciding
from sparks.api.decision_answers import DecidedAnswer, DecisionAnswers
from sparks.api.decision_shapes import SameWish
from sparks.api.encoded import LOOKED_AT, encoded_answer
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.person_answers import FaceAnswer, PersonAnswer
from sparks.api.shapes import Answer
from sparks.journey import Stores
from sparks.library.pages import first_page
from sparks.library.people import find_suggestion, list_suggestions
from sparks.model.access import NOT_THERE, Action
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.person import Suggestion
from sparks.table.port import Key

NO_SUGGESTION: Final = NOT_THERE.format("suggestion")

SuggestionId = Annotated[str, Path(alias="suggestionId", max_length=400)]


class SuggestionAnswer(Answer):
    """Are these two the same person? `faces` are the two that look alike, as far as you see them."""

    suggestion_id: str
    similarity: float
    persons: list[PersonAnswer]
    faces: list[FaceAnswer]


class SuggestionList(Answer):
    suggestions: list[SuggestionAnswer]
    last_evaluated_key: str | None = None


class SuggestionRoutes:
    """To be added before the routes of persons: `suggestions` is nobody's id."""

    def __init__(self, *, gate: Gate, stores: Stores, deciding: Deciding) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._deciding = deciding

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="persons")
        change = Action.CHANGE_PERSONS
        listed: dict[str, Any] = {"response_model": SuggestionList, "responses": LOOKED_AT}
        routes.look("/api/suggestions", change, self.read_suggestions, **listed)
        routes.look("/api/persons/suggestions", change, self.read_suggestions_of_persons, **listed)
        routes.add("POST", "/api/suggestions/{suggestionId}", change, self.answer_suggestion, errors=(404, 409))
        return routes.router

    def read_suggestions(
        self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """Pairs of persons who may be one, the likeliest first."""
        return encoded_answer(request, self._read(who, limit, cursor))

    def read_suggestions_of_persons(
        self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """Pairs of persons who may be one, the likeliest first: the same."""
        return encoded_answer(request, self._read(who, limit, cursor))

    def answer_suggestion(self, who: MemberCaller, suggestion_id: SuggestionId, wish: SameWish) -> DecidedAnswer:
        """Say whether the two are the same: then they are merged. If not, nobody is asked again."""
        suggestion = find_suggestion(suggestion_id, table=self._table)
        if suggestion is None or not _is_seen(suggestion, self._answers(who)):
            raise NotFound(NO_SUGGESTION)
        one, other = suggestion.person_id, suggestion.other_person_id
        if wish.same:
            made = self._deciding.merge(other, one, who=who.email)
        else:
            made = self._deciding.tell_apart(one, other, who=who.email)
        return self._answers(who).decided(made, one, other=other)

    def _read(self, who: Member, limit: int, cursor: str | None) -> SuggestionList:
        answers = self._answers(who)
        found = list_suggestions(table=self._table)
        page, after = page_of(
            lambda most, behind: _page(found, answers, most, behind),
            query="suggestions",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._stores.keyring,
        )
        return SuggestionList(suggestions=[_told(each, answers) for each in page], last_evaluated_key=after)

    def _answers(self, who: Member) -> DecisionAnswers:
        return DecisionAnswers(who, at=self._gate.now(), stores=self._stores)


def _is_seen(suggestion: Suggestion, answers: DecisionAnswers) -> bool:
    """Of two who are one by now, nobody is asked."""
    one, other = answers.person(suggestion.person_id), answers.person(suggestion.other_person_id)
    return one is not None and other is not None and one.person_id != other.person_id


def _page(
    found: list[Suggestion], answers: DecisionAnswers, limit: int, after: Key | None
) -> tuple[list[Suggestion], Key | None]:
    ranked = sorted(found, key=_position)
    behind = (each for each in ranked if after is None or _position(each) > after)
    return first_page((each for each in behind if _is_seen(each, answers)), _position, limit=limit)


def _position(suggestion: Suggestion) -> Key:
    """The more alike, the earlier."""
    return Key(f"{1 - suggestion.similarity:.6f}", suggestion.suggestion_id)


def _told(suggestion: Suggestion, answers: DecisionAnswers) -> SuggestionAnswer:
    persons = (answers.person_answer(each) for each in (suggestion.person_id, suggestion.other_person_id))
    faces = (answers.face(each) for each in (suggestion.face_id, suggestion.other_face_id))
    return SuggestionAnswer(
        suggestion_id=suggestion.suggestion_id,
        similarity=suggestion.similarity,
        persons=[person for person in persons if person is not None],
        faces=[face for face in faces if face is not None],
    )
