"""Two persons become one, and two again: a merge leaves a redirect, and undoing it takes that away.

The faces follow when the persons are settled, and can be told apart again: each keeps whom the engine took it for.
"""

from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.deciding import Also
from sparks.library.people.decisions import find_decision, new_decision, undo, write_decision
from sparks.library.people.indexing import remove_face
from sparks.library.people.reading import TRIES, find_face, find_person
from sparks.library.people.redirects import CANONICAL, get_person, restore_redirects
from sparks.library.people.suggestions import dropped
from sparks.model.access import NOT_THERE
from sparks.model.errors import Busy, ConditionFailed, Conflict, NotFound
from sparks.model.person import Decision, DecisionKind, Person
from sparks.table.port import AttributeAbsent, Change, Present, Set, Table

NO_DECISION: Final = NOT_THERE.format("decision")


def merge_persons(
    person_id: str, other_person_id: str, *, who: str, at: datetime, also: Also = (), table: Table
) -> Decision | None:
    """The other one becomes this person, unless only the other one has a name: then it is the other way round. None
    where they are one already. NotFound where one of them is gone.
    """
    for _ in range(TRIES):
        kept, gone = (get_person(each, table=table) for each in (person_id, other_person_id))
        if kept.person_id == gone.person_id:
            return None
        if gone.is_named and not kept.is_named:
            kept, gone = gone, kept
        answered = dropped(kept.person_id, gone.person_id)
        decision = new_decision(kept.person_id, DecisionKind.MERGE, who=who, at=at, other_person_id=gone.person_id)
        try:
            write_decision(decision, also=(*also, _redirect(gone, kept), answered), table=table)
        except Conflict as failed:
            if isinstance(failed, ConditionFailed) and failed.position < len(also):
                raise
            continue
        return decision
    raise Busy("these persons are being changed by many at once: try again later")


def undo_decision(decision_id: str, *, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """The decision that was undone. A repeat is harmless. NotFound where there is none; Conflict for what was itself an
    undoing.
    """
    decision = find_decision(decision_id, table=table)
    if decision is None:
        raise NotFound(NO_DECISION)
    if decision.kind is DecisionKind.UNDO:
        raise Conflict("what was undone cannot be undone again: decide anew")
    undoing = new_decision(decision.person_id, DecisionKind.UNDO, who=who, at=at, undoes=decision_id)
    undo(decision, undoing, also=(*also, *_released(decision, table)), table=table)
    finish_undoing(decision, at=at, table=table)
    return decision


def finish_undoing(decision: Decision, *, at: datetime, table: Table) -> None:
    """What follows once it is undone: whoever was interrupted there may do it again. What was drawn goes, and its crop
    is to be deleted.
    """
    if decision.kind is DecisionKind.MERGE and decision.other_person_id is not None:
        restore_redirects(decision.other_person_id, table=table)
    if decision.kind is DecisionKind.DRAW:
        _erase_drawn(decision, at, table)


def _redirect(gone: Person, kept: Person) -> Change:
    as_seen = (Present(), AttributeAbsent(CANONICAL))
    return Set(keys.person(gone.person_id), {CANONICAL: kept.person_id}, when=as_seen)


def _released(decision: Decision, table: Table) -> list[Change]:
    """Who was merged leads to nobody any more."""
    if decision.kind is not DecisionKind.MERGE or decision.other_person_id is None:
        return []
    gone = find_person(decision.other_person_id, table=table)
    if gone is None or gone.canonical_person_id is None:
        return []
    return [Set(keys.person(gone.person_id), remove=frozenset({CANONICAL}), when=(Present(),))]


def _erase_drawn(decision: Decision, at: datetime, table: Table) -> None:
    """Unless an engine has found it since, by itself: then the box is the engine's."""
    for drawn in decision.faces:
        face = None if drawn.face_id is None else find_face(drawn.face_id, table=table)
        if face is not None and (face.engine is None or face.box == drawn.box):
            remove_face(face.image_id, face.owner, face.face_id, at=at, table=table)
