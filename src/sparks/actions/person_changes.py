"""Actions of members about persons: name, hide, merge, choose the cover face, undo a decision.

Each decision is durable before the response, and names the member who made it. Two members who decide at once both
count: about the same face, the later decision wins.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from sparks.actions.record_decision import DecisionRecorder, DecisionResult
from sparks.feed.visible_decisions import VisibleDecisions
from sparks.library.authorized_reads import faces_for, person_for
from sparks.library.people.decision_log import find_decision
from sparks.library.people.merge_suggestions import find_suggestion
from sparks.library.people.person_decisions import (
    choose_picture,
    hide_person,
    mark_different,
    merge_persons,
    name_person,
    undo_decision,
)
from sparks.library.people.person_list import persons_named
from sparks.library.people.visible_persons import VisiblePerson
from sparks.library.photos.photo_edit import UNCHANGED, Unchanged
from sparks.model.access import NOT_THERE, Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput, Conflict, NameTaken, NotFound
from sparks.model.person import Decision
from sparks.model.text_validation import checked_name
from sparks.table.port import Table

CHANGE: Final = Action.CHANGE_PERSONS
NOTHING: Final = "say what to change: displayName, hidden"
NOT_THEIRS: Final = "a face does not belong to this person, or not any more: reload, and choose among their faces"
NO_DECISION: Final = NOT_THERE.format("decision")
NO_SUGGESTION: Final = NOT_THERE.format("suggestion")


class PersonChanges:
    """Each method raises NotFound for a person, face or decision that the caller does not see, and Conflict for a
    person who is merged at this moment.
    """

    def __init__(self, *, recorder: DecisionRecorder, table: Table, clock: Callable[[], datetime]) -> None:
        self._recorder = recorder
        self._table = table
        self._now = clock

    def change(
        self,
        caller: Member,
        person_id: str,
        *,
        name: str | Unchanged | None = UNCHANGED,
        hidden: bool | None = None,
        same_name: bool = False,
    ) -> DecisionResult:
        """Names or hides a person; None as the name removes it. NameTaken where another person has the name, unless
        `same_name` says that they are two.
        """
        person = self._person(caller, person_id)
        if name is UNCHANGED and hidden is None:
            raise BadInput(NOTHING)
        made = [] if name is UNCHANGED else self._name(caller, person, checked_name(name), same_name=same_name)
        if hidden is not None and hidden is not person.person.hidden:
            made.append(self._hide(caller, person, hidden=hidden))
        return DecisionResult(person.person_id, made)

    def merge(self, caller: Member, person_id: str, into: str) -> DecisionResult:
        person, other = self._person(caller, person_id), self._person(caller, into)
        return DecisionResult(other.person_id, self._merge(caller, person.person_id, other.person_id))

    def answer_suggestion(self, caller: Member, suggestion_id: str, *, same: bool) -> DecisionResult:
        """Merges the two persons, or records that they are different."""
        suggestion = find_suggestion(suggestion_id, table=self._table)
        if suggestion is None or not self._visible(caller).sees_suggestion(suggestion):
            raise NotFound(NO_SUGGESTION)
        one, other = suggestion.person_id, suggestion.other_person_id
        made = self._merge(caller, other, one) if same else [self._mark_different(caller, one, other)]
        return DecisionResult(one, made, other_person_id=other)

    def choose_cover_face(self, caller: Member, person_id: str, face_id: str) -> DecisionResult:
        """Conflict for a face of another person."""
        person = self._person(caller, person_id)
        [(face, _)] = faces_for(caller, CHANGE, [face_id], at=self._now(), table=self._table)
        if face.person_id not in person.ids:
            raise Conflict(NOT_THEIRS)
        at = self._recorder.begin(person.person_id)
        made = choose_picture(person.person_id, face, who=caller.email, at=at, table=self._table)
        return DecisionResult(person.person_id, [self._recorder.follow_up(made)])

    def undo(self, caller: Member, decision_id: str) -> DecisionResult:
        """The decision that was undone. Conflict for a decision that itself undid another one."""
        decision = find_decision(decision_id, table=self._table)
        if decision is None or not self._visible(caller).sees(decision):
            raise NotFound(NO_DECISION)
        at = self._recorder.begin(decision.person_id)
        undone = undo_decision(decision.decision_id, who=caller.email, at=at, table=self._table)
        self._recorder.follow_up(undone)
        return DecisionResult(undone.person_id, [undone], other_person_id=undone.other_person_id)

    def _name(self, caller: Member, person: VisiblePerson, name: str | None, *, same_name: bool) -> list[Decision]:
        if (name or person.person_id) == person.person.display_name:
            return []
        if name is not None and not same_name:
            check_name_is_free(name, caller, besides=person.person_id, at=self._now(), table=self._table)
        at = self._recorder.begin(person.person_id)
        made = name_person(person.person_id, name, who=caller.email, at=at, table=self._table)
        return [self._recorder.follow_up(made)]

    def _hide(self, caller: Member, person: VisiblePerson, *, hidden: bool) -> Decision:
        at = self._recorder.begin(person.person_id)
        made = hide_person(person.person_id, hidden=hidden, who=caller.email, at=at, table=self._table)
        return self._recorder.follow_up(made)

    def _merge(self, caller: Member, person_id: str, into: str) -> list[Decision]:
        at = self._recorder.begin(person_id, into)
        made = merge_persons(into, person_id, who=caller.email, at=at, table=self._table)
        return [] if made is None else [self._recorder.follow_up(made)]

    def _mark_different(self, caller: Member, person_id: str, other_person_id: str) -> Decision:
        at = self._recorder.begin(person_id)
        made = mark_different(person_id, other_person_id, who=caller.email, at=at, table=self._table)
        return self._recorder.follow_up(made)

    def _person(self, caller: Member, person_id: str) -> VisiblePerson:
        return person_for(caller, CHANGE, person_id, at=self._now(), table=self._table)

    def _visible(self, caller: Member) -> VisibleDecisions:
        return VisibleDecisions(caller, at=self._now(), table=self._table)


def check_name_is_free(name: str, caller: Member, *, besides: str | None = None, at: datetime, table: Table) -> None:
    """NameTaken where the caller sees another person of this name, other than `besides`."""
    for person in persons_named(name, table=table):
        if person.person_id != besides and _sees(caller, person.person_id, at, table):
            raise NameTaken(
                f"another person is named {person.display_name}, {person.person_id}: if both are the same person, merge"
                " them, or choose that one; if they are two, send the request again with sameName: true",
                person_id=person.person_id,
            )


def _sees(caller: Member, person_id: str, at: datetime, table: Table) -> bool:
    try:
        person_for(caller, CHANGE, person_id, at=at, table=table)
    except NotFound:
        return False
    return True
