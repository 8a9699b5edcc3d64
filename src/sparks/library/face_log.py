"""Log of added and removed faces, read day by day with an overlap.

An entry holds the time at which its writer began, and appears when the write is done: perhaps after later entries, or
with a time of a clock that is ahead. So a reader also reads back a while, and skips the entries that it knows. An entry
only says that a face changed; the face's row says how it is now. So entries may be read late, twice, and in any order.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.face import Face, FaceById, FaceLogEntry
from sparks.model.times import day_of
from sparks.table.port import Table, every

OVERLAP: Final = timedelta(minutes=15)  # longer than a step takes from reading the clock to its last write
DAY: Final = timedelta(days=1)


def entries_between(since: datetime, until: datetime, *, table: Table) -> Iterator[FaceLogEntry]:
    """From the oldest to the newest, both ends included."""
    for day in days_between(since, until):
        for item in every(table, keys.face_log(day), keys.since(since)):
            entry = from_item(FaceLogEntry, item)
            if entry.indexed_at > until:
                return
            yield entry


def days_between(since: datetime, until: datetime) -> Iterator[str]:
    """The days of the log between these times."""
    while day_of(since) <= day_of(until):
        yield day_of(since)
        since += DAY


def faces_by_id(face_ids: Iterable[str], *, table: Table) -> Mapping[str, Face]:
    """Those of the faces that exist, as their rows say."""
    leads = table.get_many([keys.face_by_id(face_id) for face_id in face_ids]).values()
    named = (from_item(FaceById, item) for item in leads)
    rows = table.get_many([keys.face(lead.image_id, lead.face_id) for lead in named])
    faces = (from_item(Face, item) for item in rows.values())
    return {face.face_id: face for face in faces}
