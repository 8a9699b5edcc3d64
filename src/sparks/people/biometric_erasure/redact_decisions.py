"""Redacts decisions that name erased persons or faces; the rest of each stays."""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeVar

from sparks.library import entity_types, keys
from sparks.library.records import as_read, changes, key_of, to_item
from sparks.model.errors import ConditionFailed
from sparks.model.face import Box, Face, FaceReference
from sparks.model.person import Decision, DecisionKind, FaceDecision
from sparks.people.biometric_erasure.find_traces import FoundTraces
from sparks.table.port import Add, Change, Delete, NotEquals, Present, Put, Table

AnyDecision = TypeVar("AnyDecision", Decision, FaceDecision)
IsErased = Callable[[FaceReference], bool]


def redact_decisions(traces: FoundTraces, persons: Collection[str], *, table: Table) -> None:
    """Afterwards no decision names the persons or their faces. A repeat is harmless."""
    undone = {decision.undoes for decision in traces.decisions.values()}
    is_erased = _erased(traces.faces.values())
    for face_decision in traces.face_decisions.values():
        is_void = face_decision.undone and _names(face_decision, persons)
        left = None if is_void else redacted(face_decision, persons, is_erased)
        if left != face_decision:
            _write(face_decision, left, _raised_faces_version(face_decision), table)
    deleted = set[str]()
    for decision in sorted(traces.decisions.values(), key=lambda decision: decision.kind is DecisionKind.UNDO):
        is_void = decision.undoes in deleted or (decision.decision_id in undone and _names(decision, persons))
        rest = None if is_void else redacted(decision, persons, is_erased)
        deleted |= {decision.decision_id} if rest is None else set()
        if rest != decision:
            _write(decision, rest, (), table)


def redacted(decision: AnyDecision, persons: Collection[str], is_erased: IsErased) -> AnyDecision | None:
    """The rest of a decision that stands; None where it was only about the erased persons and faces.

    Faces that were split off stay with the person who has them, and are still not the person they were taken from.
    """
    left = tuple(face for face in decision.faces if not is_erased(face))
    if decision.faces and not left:
        return None
    decision = replace(decision, faces=left)
    is_about, other = decision.person_id in persons, decision.other_person_id
    if is_about and decision.kind is DecisionKind.SPLIT and other is not None and other not in persons:
        return _as_assignment(other, decision)
    if is_about:
        return None
    if other not in persons:
        return decision
    if decision.kind is DecisionKind.SPLIT:
        return replace(decision, kind=DecisionKind.REJECT, other_person_id=None)
    return replace(decision, other_person_id=None) if decision.kind is DecisionKind.ASSIGN else None


def _as_assignment(person_id: str, decision: AnyDecision) -> AnyDecision:
    made, _, _ = decision.decision_id.partition(".")
    return replace(
        decision,
        kind=DecisionKind.ASSIGN,
        person_id=person_id,
        other_person_id=None,
        decision_id=f"{made}.{person_id}",
    )


def _names(decision: Decision | FaceDecision, persons: Collection[str]) -> bool:
    return decision.person_id in persons or decision.other_person_id in persons


def _erased(faces: Collection[Face]) -> IsErased:
    ids = {face.face_id for face in faces}
    boxes = defaultdict[str, list[Box]](list)
    for face in faces:
        boxes[face.image_id].append(face.box)

    def is_erased(reference: FaceReference) -> bool:
        if reference.face_id is not None:
            return reference.face_id in ids
        return any(reference.box.is_same_face(box) for box in boxes[reference.image_id])

    return is_erased


def _raised_faces_version(decision: FaceDecision) -> tuple[Change, ...]:
    """Makes a concurrent write of the photo's faces fail, so that it is planned again."""
    is_there = (Present(), NotEquals("entityType", entity_types.DELETING.value))
    return (Add(keys.photo(decision.image_id, decision.owner), {"facesVersion": 1}, when=is_there),)


def _write(before: AnyDecision, after: AnyDecision | None, also: tuple[Change, ...], table: Table) -> None:
    unchanged = as_read(to_item(before), ("faces", "otherPersonId"))
    try:
        if after is None:
            table.write(Delete(key_of(before)), *also)
        elif key_of(after) == key_of(before):
            table.write(changes(before, after, when=unchanged), *also)
        else:
            table.write(Delete(key_of(before)), Put(to_item(after)), *also)
    except ConditionFailed as failed:
        if failed.position > 0:  # the photo is being deleted, and its decisions with it
            table.write(Delete(key_of(before)))
