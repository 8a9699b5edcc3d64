"""Steps after a decision: applies it again, and rejects near duplicates of rejected faces.

Each step may run late, twice, or at the same time as itself: it reads the decisions as they stand now, not the event.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.live_events import people_announced
from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.decision_log import find_decision
from sparks.library.people.face_assignment import unassign_face
from sparks.library.people.person_decisions import finish_undoing
from sparks.library.people.photo_faces import decisions_about, find_face
from sparks.library.people.reconcile import reconcile_people
from sparks.library.people.redirects import resolve_person
from sparks.model.errors import NotFound
from sparks.model.events import DecisionMade, DecisionRecheckDue, PeopleDue
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.model.scope import Scope
from sparks.model.times import iso, now
from sparks.people.face_arrays import thresholds_of, vector_in
from sparks.table.port import Table

MAX_NEAR_DUPLICATES: Final = 64  # of one face
REJECTING: Final = frozenset({DecisionKind.REJECT, DecisionKind.SPLIT})


def follow_decision(
    event: DecisionMade, *, table: Table, blobs: Blobs, index: FaceIndex | None, pipeline: PipelineSettings
) -> PeopleDue | None:
    """Nothing happens where the decision no longer exists."""
    decision = find_decision(event.decision_id, table=table)
    if decision is None:
        return None
    with people_announced(table=table) as touched:
        touched |= _follow(decision, table=table, blobs=blobs, index=index, pipeline=pipeline)
    return PeopleDue()


def follow_decision_again(
    event: DecisionRecheckDue, *, table: Table, blobs: Blobs, index: FaceIndex | None, pipeline: PipelineSettings
) -> PeopleDue | None:
    """Follows all decisions that were made about these persons at that time; None where none was written."""
    decisions = list(_decided_at(event, table))
    with people_announced(table=table) as touched:
        for decision in decisions:
            touched |= _follow(decision, table=table, blobs=blobs, index=index, pipeline=pipeline)
    return PeopleDue() if decisions else None


def _decided_at(event: DecisionRecheckDue, table: Table) -> Iterator[Decision]:
    """For an undo, the decision that it undoes."""
    for person_id in dict.fromkeys(event.person_ids):
        decisions = decisions_about(person_id, table=table)
        by_id = {decision.decision_id: decision for decision in decisions}
        for decision in decisions:
            if iso(decision.decided_at) == iso(event.decided_at):
                undone = by_id.get(decision.undoes or "")
                yield decision if undone is None else undone


def _follow(
    decision: Decision, *, table: Table, blobs: Blobs, index: FaceIndex | None, pipeline: PipelineSettings
) -> set[Scope]:
    """Returns the scopes whose persons have changed."""
    is_undone = any(each.undoes == decision.decision_id for each in decisions_about(decision.person_id, table=table))
    if is_undone:
        _finish_undoing(decision, table, blobs)
    touched = set(apply_decision(decision, min_photos=pipeline.min_photos, table=table))
    if index is not None and pipeline.faces is not None and not is_undone and decision.kind in REJECTING:
        touched |= _reject_near_duplicates(decision, table=table, index=index, pipeline=pipeline.faces)
    return touched


def _finish_undoing(decision: Decision, table: Table, blobs: Blobs) -> None:
    with suppress(NotFound):  # a photo that is deleted takes its manual faces along
        finish_undoing(decision, at=now(), table=table)
    if decision.kind is DecisionKind.DRAW:
        for drawn in decision.faces:
            if drawn.face_id is not None and find_face(drawn.face_id, table=table) is None:
                blobs.delete(blob_keys.face_thumb(drawn.face_id))


def _reject_near_duplicates(
    decision: Decision, *, table: Table, index: FaceIndex, pipeline: FacePipelineSettings
) -> set[Scope]:
    """Unassigns near duplicates of the rejected faces from this person, unless people assigned them.

    An unassigned near duplicate may be the work of an interrupted run, so its photo is reconciled again.
    """
    index.catch_up(at=now())
    person_id = resolve_person(decision.person_id, table=table)
    named = {face.face_id for face in decision.faces if face.face_id is not None}
    touched: set[Scope] = set()
    for face in _near_duplicates(named, table, index, pipeline):
        if face.person_id in (person_id, None) and not face.by_hand and face.face_id not in named:
            touched |= _unassign(face, table, pipeline)
    return touched


def _near_duplicates(
    face_ids: set[str], table: Table, index: FaceIndex, pipeline: FacePipelineSettings
) -> Iterator[Face]:
    near: dict[str, None] = {}
    at_least = thresholds_of(pipeline).near_duplicate
    for face in faces_by_id(sorted(face_ids), table=table).values():
        vector = vector_in(face, pipeline)
        if vector is not None:
            near |= dict.fromkeys(each.face_id for each in index.nearest(vector, MAX_NEAR_DUPLICATES, at_least))
    yield from faces_by_id(near, table=table).values()


def _unassign(face: Face, table: Table, pipeline: FacePipelineSettings) -> frozenset[Scope]:
    try:
        unassign_face(face, at=now(), as_seen=True, table=table)
    except NotFound:
        return frozenset()
    return reconcile_people(face.image_id, face.owner, min_photos=pipeline.min_photos, table=table)
