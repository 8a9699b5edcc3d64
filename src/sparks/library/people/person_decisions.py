"""Human decisions about persons: name, hide, cover, reject, assign, split, merge and undo.

Each returns the decision, by whose id it can be undone. `also` is part of the same transaction: ConditionFailed where a
change of it fails. NotFound where the person or a photo is deleted, Conflict where the person was merged meanwhile. The
caller then applies the decision (`apply_decision`), as often as needed.

The faces follow when their photos are reconciled, and can be separated again: each keeps its engine person.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.decision_log import find_decision, new_decision, write_decision, write_undo
from sparks.library.people.face_assignment import next_person_id
from sparks.library.people.face_rows import remove_face, store_face
from sparks.library.people.merge_suggestions import delete_suggestion
from sparks.library.people.person_picture import picture_due
from sparks.library.people.photo_faces import TRIES, find_face, find_person
from sparks.library.people.redirects import CANONICAL, get_person, restore_redirects
from sparks.library.people.replay_decisions import new_person
from sparks.library.records import to_item
from sparks.model.access import NOT_THERE
from sparks.model.errors import BadInput, Busy, ConditionFailed, Conflict, NotFound
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind, Person
from sparks.model.text_validation import checked_name
from sparks.model.times import iso
from sparks.table.port import Absent, AttributeAbsent, Change, Present, Put, Set, Table

Also = Sequence[Change]
NO_DECISION: Final = NOT_THERE.format("decision")


def name_person(person_id: str, name: str | None, *, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """None, or only spaces, removes the name. BadInput for one that is too long or looks like an id."""
    person = get_person(person_id, table=table)
    decision = new_decision(
        person.person_id, DecisionKind.NAME, who=who, at=at, name=checked_name(name), was=person.display_name
    )
    write_decision(decision, also=also, table=table)
    return decision


def hide_person(person_id: str, *, hidden: bool, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """Hides the person from the lists of persons, or shows them again."""
    kind = DecisionKind.HIDE if hidden else DecisionKind.SHOW
    decision = new_decision(get_person(person_id, table=table).person_id, kind, who=who, at=at)
    write_decision(decision, also=also, table=table)
    return decision


def choose_picture(person_id: str, face: Face, *, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """This face is the cover face wherever it can be seen."""
    return _about_faces(DecisionKind.PICTURE, person_id, (face,), who=who, at=at, also=also, table=table)


def reject_faces(
    person_id: str, faces: Sequence[Face], *, who: str, at: datetime, also: Also = (), table: Table
) -> Decision:
    """These faces are not of this person and are never assigned to them again."""
    return _about_faces(DecisionKind.REJECT, person_id, faces, who=who, at=at, also=also, table=table)


def assign_faces(
    person_id: str,
    faces: Sequence[Face],
    *,
    founds: bool = False,
    who: str,
    at: datetime,
    also: Also = (),
    table: Table,
) -> Decision:
    """These faces are of this person; only people can change that. With `founds`, the person is new, and the id was
    never used.
    """
    return _about_faces(DecisionKind.ASSIGN, person_id, faces, founds=founds, who=who, at=at, also=also, table=table)


def add_manual_face(
    person_id: str, face: Face, *, founds: bool = False, who: str, at: datetime, also: Also = (), table: Table
) -> Decision:
    """A face where no engine found one. Its row is written first, and waits if nothing else follows. `founds` as for
    `assign_faces`.
    """
    store_face(face, at=at, table=table)
    return _about_faces(DecisionKind.DRAW, person_id, (face,), founds=founds, who=who, at=at, also=also, table=table)


def split_person(
    person_id: str,
    faces: Sequence[Face],
    *,
    into: str | None = None,
    who: str,
    at: datetime,
    also: Also = (),
    table: Table,
) -> Decision:
    """These faces are of another person: one who is founded with the decision, or `into`, founded by an earlier
    decision about the rest of the same faces.
    """
    person = get_person(person_id, table=table)
    founded = new_person(next_person_id(table=table) if into is None else into, at=at)
    decision = new_decision(
        person.person_id, DecisionKind.SPLIT, who=who, at=at, faces=_some(faces), other_person_id=founded.person_id
    )
    put = (Put(to_item(founded), when=(Absent(),)),) if into is None else ()
    write_decision(decision, owners=[face.owner for face in faces], also=(*also, *put), table=table)
    return decision


def mark_different(
    person_id: str, other_person_id: str, *, who: str, at: datetime, also: Also = (), table: Table
) -> Decision:
    """They are two persons, and the merge is not suggested again. BadInput where they are one already."""
    person, other = (get_person(each, table=table) for each in (person_id, other_person_id))
    if person.person_id == other.person_id:
        raise BadInput("these two are one person: undo the merge instead")
    decision = new_decision(person.person_id, DecisionKind.DIFFERENT, who=who, at=at, other_person_id=other.person_id)
    write_decision(decision, also=(*also, delete_suggestion(person.person_id, other.person_id)), table=table)
    return decision


def _about_faces(
    kind: DecisionKind,
    person_id: str,
    faces: Sequence[Face],
    *,
    founds: bool = False,
    who: str,
    at: datetime,
    also: Also,
    table: Table,
) -> Decision:
    founded = new_person(person_id, at=at) if founds else None
    person = founded or get_person(person_id, table=table)
    decision = new_decision(person.person_id, kind, who=who, at=at, faces=_some(faces))
    write_decision(decision, owners=[face.owner for face in faces], also=also, founded=founded, table=table)
    return decision


def _some(faces: Sequence[Face]) -> Sequence[Face]:
    if not faces:
        raise BadInput("name the faces")
    return faces


def merge_persons(
    person_id: str, other_person_id: str, *, who: str, at: datetime, also: Also = (), table: Table
) -> Decision | None:
    """The other person becomes this one, unless only the other one has a name: then it is the other way round. None
    where they are one already. NotFound where one of them is deleted.
    """
    for _ in range(TRIES):
        kept, gone = (get_person(each, table=table) for each in (person_id, other_person_id))
        if kept.person_id == gone.person_id:
            return None
        if gone.is_named and not kept.is_named:
            kept, gone = gone, kept
        answered = delete_suggestion(kept.person_id, gone.person_id)
        decision = new_decision(kept.person_id, DecisionKind.MERGE, who=who, at=at, other_person_id=gone.person_id)
        try:
            redirect = _redirect(gone, kept, at), picture_due(gone.person_id)
            write_decision(decision, also=(*also, *redirect, answered), table=table)
        except Conflict as failed:
            if isinstance(failed, ConditionFailed) and failed.position < len(also):
                raise
            continue
        return decision
    raise Busy("these persons are being changed by other requests: try again later")


def undo_decision(decision_id: str, *, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """The decision that was undone. A repeat is harmless. NotFound where there is none; Conflict for an undo."""
    decision = find_decision(decision_id, table=table)
    if decision is None:
        raise NotFound(NO_DECISION)
    if decision.kind is DecisionKind.UNDO:
        raise Conflict("this decision was undone before: make a new decision instead")
    undoing = new_decision(decision.person_id, DecisionKind.UNDO, who=who, at=at, undoes=decision_id)
    write_undo(decision, undoing, also=(*also, *_released(decision, at, table)), table=table)
    finish_undoing(decision, at=at, table=table)
    return decision


def finish_undoing(decision: Decision, *, at: datetime, table: Table) -> None:
    """The follow-up of an undo, which may be repeated after an interruption. A manual face is deleted, and its crop is
    to be deleted.
    """
    if decision.kind is DecisionKind.MERGE and decision.other_person_id is not None:
        restore_redirects(decision.other_person_id, table=table)
    if decision.kind is DecisionKind.DRAW:
        _erase_drawn(decision, at, table)


def _redirect(gone: Person, kept: Person, at: datetime) -> Change:
    as_seen = (Present(), AttributeAbsent(CANONICAL))
    return Set(keys.person(gone.person_id), {CANONICAL: kept.person_id, "updatedAt": iso(at)}, when=as_seen)


def _released(decision: Decision, at: datetime, table: Table) -> list[Change]:
    """The merged person is no longer merged."""
    if decision.kind is not DecisionKind.MERGE or decision.other_person_id is None:
        return []
    gone = find_person(decision.other_person_id, table=table)
    if gone is None or gone.canonical_person_id is None:
        return []
    key, changed = keys.person(gone.person_id), {"updatedAt": iso(at)}
    return [Set(key, changed, remove=frozenset({CANONICAL}), when=(Present(),)), picture_due(gone.person_id)]


def _erase_drawn(decision: Decision, at: datetime, table: Table) -> None:
    """Unless an engine has found the face since: the box is the engine's then."""
    for drawn in decision.faces:
        face = None if drawn.face_id is None else find_face(drawn.face_id, table=table)
        if face is not None and (face.engine is None or face.box == drawn.box):
            remove_face(face.image_id, face.owner, face.face_id, at=at, table=table)
