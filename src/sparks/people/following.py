"""What follows a decision: faces and lists agree with it, and those who look just like a face that was rejected leave
too.

Each step may run late, twice, and at once with itself: it looks at what stands now, and not at what was sent.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import objects
from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.live import people_told
from sparks.library.people import (
    decisions_about,
    find_decision,
    find_face,
    finish_undoing,
    resolve_person,
    settle_decision,
    settle_people,
    unassign_face,
)
from sparks.model.errors import NotFound
from sparks.model.events import Decided, DecidedLately, PeopleDue
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind
from sparks.model.scope import Scope
from sparks.model.terms import FaceTerms, Terms
from sparks.model.times import iso, now
from sparks.people.known import rule_of, vector_in
from sparks.table.port import Table

MOST_TWINS: Final = 64  # of one face
REJECTING: Final = frozenset({DecisionKind.REJECT, DecisionKind.SPLIT})


def follow_decision(
    event: Decided, *, table: Table, blobs: Blobs, index: FaceIndex | None, terms: Terms
) -> PeopleDue | None:
    """Nothing happens where there is no such decision any more."""
    decision = find_decision(event.decision_id, table=table)
    if decision is None:
        return None
    with people_told(table=table) as touched:
        touched |= _follow(decision, table=table, blobs=blobs, index=index, terms=terms)
    return PeopleDue()


def follow_decision_again(
    event: DecidedLately, *, table: Table, blobs: Blobs, index: FaceIndex | None, terms: Terms
) -> PeopleDue | None:
    """All that was decided about these persons then; None where that came to nothing."""
    made = list(_decided_then(event, table))
    with people_told(table=table) as touched:
        for decision in made:
            touched |= _follow(decision, table=table, blobs=blobs, index=index, terms=terms)
    return PeopleDue() if made else None


def _decided_then(event: DecidedLately, table: Table) -> Iterator[Decision]:
    for person_id in dict.fromkeys(event.person_ids):
        known = decisions_about(person_id, table=table)
        by_id = {decision.decision_id: decision for decision in known}
        for decision in known:
            if iso(decision.decided_at) == iso(event.decided_at):
                undone = by_id.get(decision.undoes or "")
                yield decision if undone is None else undone


def _follow(decision: Decision, *, table: Table, blobs: Blobs, index: FaceIndex | None, terms: Terms) -> set[Scope]:
    """The scopes where the decision is to be seen."""
    known = decisions_about(decision.person_id, table=table)
    undone = any(each.undoes == decision.decision_id for each in known)
    if undone:
        _finish_undoing(decision, table, blobs)
    touched = set(settle_decision(decision, enough=terms.enough, table=table))
    if index is not None and terms.faces is not None and not undone and decision.kind in REJECTING:
        touched |= _part_from_twins(decision, table=table, index=index, terms=terms.faces)
    return touched


def _finish_undoing(decision: Decision, table: Table, blobs: Blobs) -> None:
    with suppress(NotFound):  # a photo that goes takes along what was drawn
        finish_undoing(decision, at=now(), table=table)
    if decision.kind is DecisionKind.DRAW:
        for drawn in decision.faces:
            if drawn.face_id is not None and find_face(drawn.face_id, table=table) is None:
                blobs.delete(objects.face_thumb(drawn.face_id))


# -- Twins


def _part_from_twins(decision: Decision, *, table: Table, index: FaceIndex, terms: FaceTerms) -> set[Scope]:
    """Faces of the same moment as one that is not this person's are not either, unless somebody said that they are.

    [Note: parted before] One that is nobody's by now may be what somebody parted who was killed right then: its photo
    is settled once more.
    """
    index.catch_up(at=now())
    person_id = resolve_person(decision.person_id, table=table)
    named = {face.face_id for face in decision.faces if face.face_id is not None}
    touched: set[Scope] = set()
    for twin in _twins(named, table, index, terms):
        if twin.person_id in (person_id, None) and not twin.by_hand and twin.face_id not in named:
            touched |= _part(twin, table, terms)
    return touched


def _twins(face_ids: set[str], table: Table, index: FaceIndex, terms: FaceTerms) -> Iterator[Face]:
    near: dict[str, None] = {}
    for face in faces_by_id(sorted(face_ids), table=table).values():
        vector = vector_in(face, terms)
        if vector is not None:
            near |= dict.fromkeys(each.face_id for each in index.nearest(vector, MOST_TWINS, rule_of(terms).twin))
    yield from faces_by_id(near, table=table).values()


def _part(face: Face, table: Table, terms: FaceTerms) -> frozenset[Scope]:
    try:
        unassign_face(face, at=now(), as_seen=True, table=table)
    except NotFound:
        return frozenset()
    return settle_people(face.image_id, face.owner, enough=terms.enough, table=table)
