"""Whose a face is, by what the engine finds: people's decisions beat it, whoever is faster."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sparks.library import keys
from sparks.library.people.reading import NO_FACE, TRIES, PhotoFaces, read_faces_there
from sparks.library.people.redirects import Redirects, get_person
from sparks.library.people.replaying import nobody_yet, verdict_on
from sparks.library.people.writing import BUSY, write_face
from sparks.library.records import from_item, to_item
from sparks.model.counter import PersonCounter
from sparks.model.errors import Busy, ConditionFailed, NotFound
from sparks.model.face import Face
from sparks.model.ids import person_id as person_id_of
from sparks.model.person import Person
from sparks.table.port import Absent, Change, Condition, Equals, Put, Table


def next_person_id(*, table: Table) -> str:
    """An id that nobody has had. Gaps are fine."""
    return next_person_ids(1, table=table)[0]


def next_person_ids(count: int, *, table: Table) -> list[str]:
    """So many ids that nobody has had, the lowest first."""
    for _ in range(TRIES):
        item = table.get(keys.PERSON_COUNTER)
        last = PersonCounter() if item is None else from_item(PersonCounter, item)
        as_seen: Condition = Absent() if item is None else Equals("limit", last.last_number)
        following = replace(last, last_number=last.last_number + count)
        try:
            table.write(Put(to_item(following), when=(as_seen,)))
        except ConditionFailed:
            continue
        return [person_id_of(number) for number in range(last.last_number + 1, following.last_number + 1)]
    raise Busy("many persons are being founded at once: try again later")


def found_person(
    face: Face,
    *,
    at: datetime,
    person_id: str | None = None,
    as_seen: bool = False,
    also: Sequence[Change] = (),
    table: Table,
) -> Person | None:
    """A new person whose first face this is, or None where the face is somebody's already: people said so, or another
    run was faster. With `as_seen`, it may be taken from whom `face` names. `person_id` is one that was reserved for
    this. NotFound where the face or its photo is gone.
    """
    founded = nobody_yet(person_id or next_person_id(table=table), at=at)
    held_by = face if as_seen else replace(face, person_id=None)
    placed = _place(face, founded.person_id, at=at, also=also, founded=founded, held_by=held_by, table=table)
    return founded if placed.person_id == founded.person_id else None


def assign_face(
    face: Face, person_id: str, *, at: datetime, as_seen: bool = False, also: Sequence[Change] = (), table: Table
) -> Face:
    """The face as it is now: the person's or whom they became, unless people said that it is somebody else's, or not
    theirs; with `as_seen`, only if it still is whose `face` says. NotFound where the face, its photo or the person is
    gone; ConditionFailed where a change of `also` fails, by its position. A repeat is harmless.
    """
    get_person(person_id, table=table)
    return _place(face, person_id, at=at, also=also, held_by=face if as_seen else None, table=table)


def unassign_face(
    face: Face, *, at: datetime, as_seen: bool = False, also: Sequence[Change] = (), table: Table
) -> Face:
    """The face as it is now: nobody's, and told as one that waits, unless people said whose it is. `as_seen` as in
    `assign_face`.
    """
    return _place(face, None, at=at, also=also, held_by=face if as_seen else None, table=table)


def _place(
    face: Face,
    home: str | None,
    *,
    at: datetime,
    also: Sequence[Change],
    founded: Person | None = None,
    held_by: Face | None = None,
    table: Table,
) -> Face:
    """Nothing happens where the face is not whose `held_by`, if any, says."""
    for _ in range(TRIES):
        seen = read_faces_there(face.image_id, face.owner, table=table)
        before = seen.faces.get(face.face_id)
        if before is None:
            raise NotFound(NO_FACE)
        if held_by is not None and before.person_id != held_by.person_id:
            return before
        after = _wanted(seen, before, home, table)
        if after == before:
            return before
        if write_face(seen, before, after, at=at, also=also, founded=founded, table=table):
            return after
    raise Busy(BUSY)


def _wanted(seen: PhotoFaces, before: Face, home: str | None, table: Table) -> Face:
    resolve = Redirects(table)
    verdict = verdict_on(before, seen.decisions, seen.faces, resolve)
    if verdict.person_id is not None:
        return before
    if home is not None and resolve(home) in verdict.rejected:
        return before
    return verdict.place(before, home, resolve)
