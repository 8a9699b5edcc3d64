"""What was decided about a person, by whom, and taking it back."""

from typing import Annotated, Final

from fastapi import APIRouter, Path

from sparks.api.deciding import Deciding
from sparks.api.decision_answers import DecidedAnswer, DecisionAnswers, DecisionList
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.persons import PersonId
from sparks.journey import Stores
from sparks.library.access import person_for
from sparks.library.pages import first_page
from sparks.library.people import SeenPerson, decisions_about, find_decision
from sparks.library.records import key_of
from sparks.model.access import NOT_THERE, Action
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.person import Decision, DecisionKind
from sparks.table.port import Key

NO_DECISION: Final = NOT_THERE.format("decision")

DecisionId = Annotated[str, Path(alias="decisionId", max_length=400)]


class HistoryRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, deciding: Deciding) -> None:
        self._gate = gate
        self._stores = stores
        self._table = stores.table
        self._deciding = deciding

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="persons")
        change = Action.CHANGE_PERSONS
        routes.add("GET", "/api/persons/{personId}/decisions", change, self.read_decisions, errors=(404,))
        routes.add("POST", "/api/decisions/{decisionId}/undo", change, self.undo_decision, errors=(404, 409))
        return routes.router

    def read_decisions(
        self, who: MemberCaller, person_id: PersonId, limit: Limit = 100, cursor: Cursor = None
    ) -> DecisionList:
        """What people decided about a person, and about all who became them, newest first: who did it, and whether it
        was undone. Only what is about photos that you see.
        """
        at = self._gate.now()
        seen = person_for(who, Action.CHANGE_PERSONS, person_id, at=at, table=self._table)
        answers = DecisionAnswers(who, at=at, stores=self._stores)
        known = self._known(seen)
        page, after = page_of(
            lambda most, behind: _page(known, answers, most, behind),
            query=f"decisions about {seen.person_id}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._stores.keyring,
        )
        return DecisionList(decisions=[answers.told(each, known) for each in page], last_evaluated_key=after)

    def undo_decision(self, who: MemberCaller, decision_id: DecisionId) -> DecidedAnswer:
        """Take a decision back, whoever made it: all is as if it had never been said. Undoing it twice is harmless."""
        answers = self._answers(who)
        decision = find_decision(decision_id, table=self._table)
        if decision is None or not answers.sees(decision):
            raise NotFound(NO_DECISION)
        undone = self._deciding.undo(decision, who=who.email)
        return self._answers(who).decided([undone], undone.person_id, other=undone.other_person_id)

    def _known(self, seen: SeenPerson) -> list[Decision]:
        return [each for person_id in seen.ids for each in decisions_about(person_id, table=self._table)]

    def _answers(self, who: Member) -> DecisionAnswers:
        return DecisionAnswers(who, at=self._gate.now(), stores=self._stores)


def _page(
    known: list[Decision], answers: DecisionAnswers, limit: int, after: Key | None
) -> tuple[list[Decision], Key | None]:
    """The newest first; what undid another one is told with that one."""
    said = [each for each in known if each.kind is not DecisionKind.UNDO]
    behind = [each for each in said if after is None or key_of(each).sk < after.sk]
    newest_first = sorted(behind, key=lambda decision: key_of(decision).sk, reverse=True)
    return first_page(filter(answers.sees, newest_first), key_of, limit=limit)
