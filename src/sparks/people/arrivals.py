"""The faces that came since the last time, by the log of faces."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sparks.library import entity_types
from sparks.library.face_log import OVERLAP, entries_between, faces_by_id
from sparks.library.records import from_item
from sparks.model.face import Face, FaceChange
from sparks.people.known import Rows
from sparks.table.port import Table, every


@dataclass(frozen=True, slots=True)
class Arrivals:
    """`rows` are the faces to be thought over: those that came up to `checkpoint`, `count` of them, and such as came
    before and still wait. There may be `more`.
    """

    rows: Rows
    count: int
    checkpoint: datetime
    more: bool


def arrivals_since(checkpoint: datetime | None, *, at: datetime, most: int, table: Table) -> Arrivals:
    """The oldest first, and about `most` of them: what came in the same moment is not torn apart. Where there is no
    checkpoint, all that waits.
    """
    came = _waiting_ones(table) if checkpoint is None else _logged(checkpoint, at, table)
    new: dict[str, datetime] = {}
    until, more = at, False
    for time, face_id in came:
        if len(new) >= most and time > until:
            more = True
            break
        new[face_id] = time
        until = time if len(new) >= most else at
    rows = faces_by_id(new, table=table)
    late = {} if checkpoint is None else _late(checkpoint, table)
    return Arrivals({**late, **rows}, len(rows), until, more)


def _logged(checkpoint: datetime, at: datetime, table: Table) -> Iterator[tuple[datetime, str]]:
    for entry in entries_between(checkpoint, at, table=table):
        if entry.change is FaceChange.ADDED and entry.indexed_at > checkpoint:
            yield entry.indexed_at, entry.face_id


def _late(checkpoint: datetime, table: Table) -> Rows:
    entries = entries_between(checkpoint - OVERLAP, checkpoint, table=table)
    rows = faces_by_id([entry.face_id for entry in entries if entry.change is FaceChange.ADDED], table=table)
    return {face_id: face for face_id, face in rows.items() if face.person_id is None}


def _waiting_ones(table: Table) -> list[tuple[datetime, str]]:
    faces = (from_item(Face, item) for item in every(table, entity_types.FACES_UNASSIGNED))
    return sorted((face.indexed_at, face.face_id) for face in faces if face.indexed_at is not None)
