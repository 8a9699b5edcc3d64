"""What people decided, once one of whom it was said is forgotten: what was said about others stands."""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeVar

from sparks.library import entity_types, keys
from sparks.library.people.remains import Remains
from sparks.library.photos.writing import as_read
from sparks.library.records import changes, key_of, to_item
from sparks.model.errors import ConditionFailed
from sparks.model.face import Box, Face, FaceReference
from sparks.model.person import Decision, DecisionKind, FaceDecision
from sparks.table.port import Add, Change, Delete, NotEquals, Present, Put, Table

Said = TypeVar("Said", Decision, FaceDecision)
IsGone = Callable[[FaceReference], bool]


def unsay(remains: Remains, persons: Collection[str], *, table: Table) -> None:
    """No decision names the persons or their faces any more. A repeat is harmless."""
    undone = {decision.undoes for decision in remains.decisions.values()}
    is_gone = _gone(remains.faces.values())
    for told in remains.told.values():
        after = None if told.undone and _names(told, persons) else without(told, persons, is_gone)
        if after != told:
            _write(told, after, _noticed(told), table)
    gone = set[str]()
    for decision in sorted(remains.decisions.values(), key=lambda decision: decision.kind is DecisionKind.UNDO):
        void = decision.undoes in gone or (decision.decision_id in undone and _names(decision, persons))
        left = None if void else without(decision, persons, is_gone)
        gone |= {decision.decision_id} if left is None else set()
        if left != decision:
            _write(decision, left, (), table)


def without(said: Said, persons: Collection[str], is_gone: IsGone) -> Said | None:
    """What is left of a decision that stands: None where it was about nobody and nothing else.

    Faces that were split off stay with the one who has them. That they are not whom they were taken from stands too.
    """
    left = tuple(each for each in said.faces if not is_gone(each))
    if said.faces and not left:
        return None
    said = replace(said, faces=left)
    about, other = said.person_id in persons, said.other_person_id
    if about and said.kind is DecisionKind.SPLIT and other is not None and other not in persons:
        return _given_to(other, said)
    if about:
        return None
    if other not in persons:
        return said
    if said.kind is DecisionKind.SPLIT:
        return replace(said, kind=DecisionKind.REJECT, other_person_id=None)
    return replace(said, other_person_id=None) if said.kind is DecisionKind.ASSIGN else None


def _given_to(person_id: str, said: Said) -> Said:
    made, _, _ = said.decision_id.partition(".")
    return replace(
        said,
        kind=DecisionKind.ASSIGN,
        person_id=person_id,
        other_person_id=None,
        decision_id=f"{made}.{person_id}",
    )


def _names(said: Decision | FaceDecision, persons: Collection[str]) -> bool:
    return said.person_id in persons or said.other_person_id in persons


def _gone(faces: Collection[Face]) -> IsGone:
    ids = {face.face_id for face in faces}
    boxes = defaultdict[str, list[Box]](list)
    for face in faces:
        boxes[face.image_id].append(face.box)

    def is_gone(reference: FaceReference) -> bool:
        if reference.face_id is not None:
            return reference.face_id in ids
        return any(reference.box.is_same_face(box) for box in boxes[reference.image_id])

    return is_gone


def _noticed(told: FaceDecision) -> tuple[Change, ...]:
    """Whoever moves faces of the photo at this moment plans anew."""
    there = (Present(), NotEquals("entityType", entity_types.DELETING.value))
    return (Add(keys.photo(told.image_id, told.owner), {"facesVersion": 1}, when=there),)


def _write(said: Said, left: Said | None, also: tuple[Change, ...], table: Table) -> None:
    as_seen = as_read(to_item(said), ("faces", "otherPersonId"))
    try:
        if left is None:
            table.write(Delete(key_of(said)), *also)
        elif key_of(left) == key_of(said):
            table.write(changes(said, left, when=as_seen), *also)
        else:
            table.write(Delete(key_of(said)), Put(to_item(left)), *also)
    except ConditionFailed as failed:
        if failed.position > 0:  # its photo goes, and it does so too
            table.write(Delete(key_of(said)))
