"""Assigns a face to a person on behalf of the engine, below human decisions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sparks.library import entity_types, keys
from sparks.library.people.face_moves import BUSY, with_joining_time, write_face
from sparks.library.people.photo_faces import NO_FACE, TRIES, PhotoFaces, read_faces_or_raise
from sparks.library.people.redirects import Redirects, get_person
from sparks.library.people.replay_decisions import new_person, verdict_on
from sparks.model.errors import Busy, NotFound
from sparks.model.face import Face
from sparks.model.ids import person_id as person_id_of
from sparks.model.person import Person
from sparks.table.port import Change, Table


def next_person_id(*, table: Table) -> str:
    """An id that was never used. Gaps are fine."""
    return next_person_ids(1, table=table)[0]


def next_person_ids(count: int, *, table: Table) -> list[str]:
    """So many ids that were never used, the lowest first. The id of a row that another program wrote without raising
    the counter is skipped.
    """
    ids: list[str] = []
    while missing := count - len(ids):
        drawn = _draw(missing, table)
        used = table.get_many([keys.person(person_id) for person_id in drawn])
        ids += [person_id for person_id in drawn if keys.person(person_id) not in used]
    return ids


def _draw(count: int, table: Table) -> list[str]:
    """By one atomic increment, so that no two callers get the same number."""
    kind = {"entityType": entity_types.PERSON_COUNTER.value}
    last = int(table.increment(keys.PERSON_COUNTER, "limit", count, values=kind))
    return [person_id_of(number) for number in range(last - count + 1, last + 1)]


def found_person(
    face: Face,
    *,
    at: datetime,
    person_id: str | None = None,
    as_seen: bool = False,
    also: Sequence[Change] = (),
    table: Table,
) -> Person | None:
    """A new person with this first face, or None where the face belongs to a person already: people decided so, or
    another run was faster. With `as_seen`, it may be taken from the person that `face` names. `person_id` is an id that
    was reserved for this. NotFound where the face or its photo is deleted.
    """
    founded = new_person(person_id or next_person_id(table=table), at=at)
    held_by = face if as_seen else replace(face, person_id=None)
    placed = _place(face, founded.person_id, at=at, also=also, founded=founded, held_by=held_by, table=table)
    return founded if placed.person_id == founded.person_id else None


def assign_face(
    face: Face, person_id: str, *, at: datetime, as_seen: bool = False, also: Sequence[Change] = (), table: Table
) -> Face:
    """The face as it is now: assigned to the person, or to the one they became, unless people decided otherwise; with
    `as_seen`, only if it still has the person that `face` names. NotFound where the face, its photo or the person is
    deleted; ConditionFailed where a change of `also` fails, by its position. A repeat is harmless.
    """
    get_person(person_id, table=table)
    return _place(face, person_id, at=at, also=also, held_by=face if as_seen else None, table=table)


def unassign_face(
    face: Face, *, at: datetime, as_seen: bool = False, also: Sequence[Change] = (), table: Table
) -> Face:
    """The face as it is now: unassigned, and logged as waiting, unless people assigned it. `as_seen` as in
    `assign_face`.
    """
    return _place(face, None, at=at, also=also, held_by=face if as_seen else None, table=table)


def _place(
    face: Face,
    engine_person_id: str | None,
    *,
    at: datetime,
    also: Sequence[Change],
    founded: Person | None = None,
    held_by: Face | None = None,
    table: Table,
) -> Face:
    """Nothing happens where the face does not belong to the person `held_by`, if given."""
    for _ in range(TRIES):
        seen = read_faces_or_raise(face.image_id, face.owner, table=table)
        before = seen.faces.get(face.face_id)
        if before is None:
            raise NotFound(NO_FACE)
        if held_by is not None and before.person_id != held_by.person_id:
            return before
        placed = _with_decisions(seen, before, engine_person_id, table)
        if placed == before:
            return before
        after = with_joining_time(before, placed, at)
        if write_face(seen, before, after, at=at, also=also, founded=founded, table=table):
            return after
    raise Busy(BUSY)


def _with_decisions(seen: PhotoFaces, before: Face, engine_person_id: str | None, table: Table) -> Face:
    resolve = Redirects(table)
    verdict = verdict_on(before, seen.decisions, seen.faces, resolve)
    if verdict.person_id is not None:
        return before
    if engine_person_id is not None and resolve(engine_person_id) in verdict.rejected:
        return before
    return verdict.place(before, engine_person_id, resolve)
