"""The decisions that people can take about one person: a name, to be hidden, a picture, which faces are theirs.

Each answers with the decision, by whose id it can be undone. `also` is part of the same transaction: ConditionFailed
where a change of it fails. NotFound where the person or a photo is gone, Conflict where the person was merged this
moment. Whoever calls then settles what it is about (`settle_decision`), as often as need be.
"""

from collections.abc import Sequence
from datetime import datetime

from sparks.library.people.assigning import next_person_id
from sparks.library.people.decisions import new_decision, write_decision
from sparks.library.people.indexing import keep_face
from sparks.library.people.redirects import get_person
from sparks.library.people.replaying import nobody_yet
from sparks.library.people.suggestions import dropped
from sparks.library.photos.words import checked_name
from sparks.library.records import to_item
from sparks.model.errors import BadInput
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind
from sparks.table.port import Absent, Change, Put, Table

Also = Sequence[Change]


def name_person(person_id: str, name: str | None, *, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """None, or nothing but spaces, takes the name away. BadInput for one that is too long or looks like an id."""
    person = get_person(person_id, table=table)
    decision = new_decision(
        person.person_id, DecisionKind.NAME, who=who, at=at, name=checked_name(name), was=person.display_name
    )
    write_decision(decision, also=also, table=table)
    return decision


def hide_person(person_id: str, *, hidden: bool, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """Out of the lists of persons, or back into them."""
    kind = DecisionKind.HIDE if hidden else DecisionKind.SHOW
    decision = new_decision(get_person(person_id, table=table).person_id, kind, who=who, at=at)
    write_decision(decision, also=also, table=table)
    return decision


def choose_picture(person_id: str, face: Face, *, who: str, at: datetime, also: Also = (), table: Table) -> Decision:
    """This face shows them wherever it can be seen."""
    return _about_faces(DecisionKind.PICTURE, person_id, (face,), who=who, at=at, also=also, table=table)


def reject_faces(
    person_id: str, faces: Sequence[Face], *, who: str, at: datetime, also: Also = (), table: Table
) -> Decision:
    """Not this person: these faces never come back to them."""
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
    """This is them: nobody but people takes these faces away again. With `founds`, they are somebody new, and the id is
    one that nobody has had.
    """
    return _about_faces(DecisionKind.ASSIGN, person_id, faces, founds=founds, who=who, at=at, also=also, table=table)


def draw_face(
    person_id: str, face: Face, *, founds: bool = False, who: str, at: datetime, also: Also = (), table: Table
) -> Decision:
    """A face where no engine saw one. Its row comes first, and waits should nothing else come. `founds` as for
    `assign_faces`.
    """
    keep_face(face, at=at, table=table)
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
    """These faces are somebody else: the decision's other person, founded with it; or `into`, whom the same faces, too
    many for one decision, were split into before.
    """
    person = get_person(person_id, table=table)
    founded = nobody_yet(next_person_id(table=table) if into is None else into, at=at)
    decision = new_decision(
        person.person_id, DecisionKind.SPLIT, who=who, at=at, faces=_some(faces), other_person_id=founded.person_id
    )
    put = (Put(to_item(founded), when=(Absent(),)),) if into is None else ()
    write_decision(decision, owners=[face.owner for face in faces], also=(*also, *put), table=table)
    return decision


def tell_apart(
    person_id: str, other_person_id: str, *, who: str, at: datetime, also: Also = (), table: Table
) -> Decision:
    """They are two persons: nobody is asked again. BadInput where they are one already."""
    person, other = (get_person(each, table=table) for each in (person_id, other_person_id))
    if person.person_id == other.person_id:
        raise BadInput("these two are one person: undo the merge instead")
    decision = new_decision(person.person_id, DecisionKind.DIFFERENT, who=who, at=at, other_person_id=other.person_id)
    write_decision(decision, also=(*also, dropped(person.person_id, other.person_id)), table=table)
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
    founded = nobody_yet(person_id, at=at) if founds else None
    person = founded or get_person(person_id, table=table)
    decision = new_decision(person.person_id, kind, who=who, at=at, faces=_some(faces))
    write_decision(decision, owners=[face.owner for face in faces], also=also, founded=founded, table=table)
    return decision


def _some(faces: Sequence[Face]) -> Sequence[Face]:
    if not faces:
        raise BadInput("say which faces")
    return faces
