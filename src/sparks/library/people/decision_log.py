"""Log of human decisions: each written once, with its immediate effect on rows.

The row of the decision, the person as all decisions make them, and a row in each photo whose faces it names are one
transaction. The faces follow when their photos are reconciled: the decisions of a photo are replayed then, so that of
two concurrent decisions the later one counts, and no face is lost.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.people.face_moves import restored_person
from sparks.library.people.photo_faces import NO_PERSON, TRIES, decisions_about
from sparks.library.people.redirects import CANONICAL
from sparks.library.people.replay_decisions import replayed
from sparks.library.photos.photo_rows import NO_PHOTO
from sparks.library.records import as_read, changes, from_item, key_of, to_item
from sparks.model.errors import BadInput, Busy, ConditionFailed, Conflict, NotFound
from sparks.model.face import Face, FaceReference
from sparks.model.ids import new_event_id
from sparks.model.person import Decision, DecisionKind, FaceDecision, Person
from sparks.table.port import Absent, Add, Change, Delete, Item, NotEquals, Present, Put, Set, Table, every

MAX_FACES: Final = 45  # of one decision: a write changes at most a hundred rows

_DECIDED: Final = ("decisionCount", CANONICAL)


def new_decision(
    person_id: str,
    kind: DecisionKind,
    *,
    who: str,
    at: datetime,
    faces: Sequence[Face] = (),
    other_person_id: str | None = None,
    name: str | None = None,
    was: str | None = None,
    undoes: str | None = None,
) -> Decision:
    """Its id names the person, by whom it is found, and sorts after earlier ones."""
    return Decision(
        person_id=person_id,
        decided_at=at,
        decision_id=f"{new_event_id()}.{person_id}",
        kind=kind,
        who=who,
        faces=tuple(FaceReference(image_id=face.image_id, box=face.box, face_id=face.face_id) for face in faces),
        other_person_id=other_person_id,
        name=name,
        was=was,
        undoes=undoes,
    )


def find_decision(decision_id: str, *, table: Table) -> Decision | None:
    """None where there is none, or this is no id."""
    _, _, person_id = decision_id.partition(".")
    if not person_id or "#" in person_id:
        return None
    known = decisions_about(person_id, table=table)
    return next((each for each in known if each.decision_id == decision_id), None)


def all_decisions(*, table: Table) -> list[Decision]:
    """All decisions, oldest first, for a rebuild to replay. From an index, which may be a moment behind."""
    decisions = (from_item(Decision, row) for row in every(table, entity_types.DECISIONS))
    return sorted(decisions, key=lambda decision: (decision.decided_at, decision.decision_id))


def write_decision(
    decision: Decision,
    *,
    owners: Sequence[str] = (),
    also: Sequence[Change] = (),
    founded: Person | None = None,
    table: Table,
) -> Person:
    """The person as they are now. `owners` are the owners of the photos of the decision's faces, in order. `founded` is
    a new person who is created with the decision.

    NotFound where the person, or one of the photos, is deleted; BadInput where it names too many faces; ConditionFailed
    where a change of `also` fails, by its position, or the person was merged.
    """
    if len(decision.faces) > MAX_FACES:
        raise BadInput(f"decide about at most {MAX_FACES} faces at a time, not {len(decision.faces):,}")
    photos = _photo_changes(decision, owners)
    return _write(decision, (*also, *photos), others=len(also), founded=founded, table=table)


def write_undo(decision: Decision, undoing: Decision, *, also: Sequence[Change] = (), table: Table) -> Person | None:
    """The person as they are now, or None where nothing is left of them. A repeat is harmless."""
    for _ in range(TRIES):
        known = decisions_about(decision.person_id, table=table)
        standing = next((each for each in known if each.decision_id == decision.decision_id), None)
        if standing is None or any(each.undoes == decision.decision_id for each in known):
            item = table.get(keys.person(decision.person_id))
            return None if item is None else from_item(Person, item)
        try:
            return _write(undoing, (*also, *_undone(standing, table)), others=len(also), table=table)
        except NotFound:
            continue  # one of its photos was deleted meanwhile
    raise Busy("this person is being changed by other requests: try again later")


def delete_photo_decisions(decisions: Sequence[FaceDecision], *, table: Table) -> None:
    """Removes the photo from all decisions; one that named no other photo is deleted."""
    for each in decisions:
        for _ in range(TRIES):
            key = keys.decision(each.person_id, each.decided_at, each.decision_id)
            item = table.get(key)
            try:
                table.write(*(() if item is None else (_without(item, each.image_id),)), Delete(key_of(each)))
            except ConditionFailed:
                continue
            break
        else:
            raise Busy("this decision is being changed by other requests: try again later")


def face_decision_of(decision: Decision, image_id: str, owner: str) -> FaceDecision:
    """The decision as a row of the photo."""
    return FaceDecision(
        image_id=image_id,
        owner=owner,
        decided_at=decision.decided_at,
        decision_id=decision.decision_id,
        kind=decision.kind,
        person_id=decision.person_id,
        faces=tuple(face for face in decision.faces if face.image_id == image_id),
        other_person_id=decision.other_person_id,
    )


# -- Writes


def _write(
    decision: Decision, more: Sequence[Change], *, others: int, founded: Person | None = None, table: Table
) -> Person:
    """`more` begins with so many changes of the caller."""
    key = keys.person(decision.person_id)
    for _ in range(TRIES):
        item = table.get(key)
        before = founded if item is None and founded is not None else _person(item, decision, table)
        known = decisions_about(decision.person_id, table=table)
        after = replace(
            replayed(before, [*known, decision]),
            decision_count=before.decision_count + 1,
            updated_at=decision.decided_at,
        )
        try:
            table.write(_person_change(item, before, after), *more, Put(to_item(decision), when=(Absent(),)))
        except ConditionFailed as failed:
            if 1 <= failed.position <= others:
                raise ConditionFailed(failed.position - 1, failed.found) from failed
            if others < failed.position <= len(more):
                raise NotFound(NO_PHOTO) from failed
            if failed.position > 0:
                return after  # written already, but the response was lost
            continue
        return after
    raise Busy("this person is being changed by other requests: try again later")


def _person(item: Item | None, decision: Decision, table: Table) -> Person:
    if item is not None:
        person = from_item(Person, item)
        if person.canonical_person_id is not None and decision.kind is not DecisionKind.UNDO:
            raise Conflict("this person was merged into another one just now: reload, and decide about that one")
        return person
    if decision.kind is not DecisionKind.UNDO:
        raise NotFound(NO_PERSON)
    return restored_person(decision.person_id, at=decision.decided_at, table=table)


def _person_change(item: Item | None, before: Person, after: Person) -> Change:
    if item is None:
        return Put(to_item(after), when=(Absent(),))
    return changes(before, after, when=as_read(item, _DECIDED))


def _photo_changes(decision: Decision, owners: Sequence[str]) -> list[Change]:
    """Each named photo gets a row of the decision, and must exist."""
    of_photo = dict(zip((face.image_id for face in decision.faces), owners, strict=True))
    added: list[Change] = []
    for image_id, owner in of_photo.items():
        there = (Present(), NotEquals("entityType", entity_types.DELETING.value))
        added.append(Add(keys.photo(image_id, owner), {"facesVersion": 1}, when=there))
        added.append(Put(to_item(face_decision_of(decision, image_id, owner))))
    return added


def _undone(decision: Decision, table: Table) -> list[Change]:
    image_ids = {face.image_id for face in decision.faces}
    named = [keys.face_decision(each, decision.decided_at, decision.decision_id) for each in sorted(image_ids)]
    rows = table.get_many(named)
    undone: list[Change] = []
    for key, row in sorted(rows.items()):
        photo = from_item(FaceDecision, row)
        undone.append(Add(keys.photo(photo.image_id, photo.owner), {"facesVersion": 1}, when=(Present(),)))
        undone.append(Set(key, {"undone": True}, when=(Present(),)))
    return undone


def _without(item: Item, image_id: str) -> Change:
    """The decision without the faces of this photo."""
    decision = from_item(Decision, item)
    left = tuple(face for face in decision.faces if face.image_id != image_id)
    as_seen = as_read(item, ("faces",))
    return changes(decision, replace(decision, faces=left), when=as_seen) if left else Delete(key_of(decision), as_seen)
