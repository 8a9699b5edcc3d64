"""What got lost on its way is found by its row, and sent again.

A photo's row is its own outbox: PENDING, it waits for its renditions, and DELETING, it is to go. Whoever should have
sent it on its way may have been interrupted, and a queue may lose a job. One that is sent again too early costs some
work and changes nothing.

[Note: room] What has not moved for long may just as well wait in a long queue. So the queue is filled up to ROOM jobs,
never above: a photo that is lost while many wait gets its turn when they are done.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Final

from sparks.jobs.port import Jobs
from sparks.library import entity_types
from sparks.library.photos.writing import as_read
from sparks.model import times
from sparks.model.errors import ConditionFailed
from sparks.model.events import PatrolDue, PhotoDeleting, PhotoEvent, Uploaded
from sparks.table.port import EntityType, Item, Key, Set, Table, every

LONG: Final = timedelta(minutes=10)
ROOM: Final = 1000


def resend_lost(event: PatrolDue, *, table: Table, jobs: Jobs) -> Iterator[PhotoEvent]:
    """Tells again of the photos that have neither been deleted nor processed for long, oldest first."""
    at = max(event.at, times.now())  # a patrol that waited for hours itself must not take all for lost
    room = max(0, ROOM - jobs.counts().waiting)
    deleting = (PhotoDeleting(*whose) for whose in _stuck(entity_types.DELETING, at, table))
    pending = (Uploaded(*whose) for whose in _stuck(entity_types.PENDING, at, table))
    return islice(chain[PhotoEvent](deleting, pending), room)


def _stuck(state: EntityType, at: datetime, table: Table) -> Iterator[tuple[str, str]]:
    """Image id and owner of those that have been in this state for long. They are touched, and so left alone for as
    long again.
    """
    for listed in every(table, state):
        item = table.get(Key(listed["PK"], listed["SK"])) if _has_stood(listed, at) else None
        if item is not None and item["entityType"] == state.value and _touched(item, at, table):
            yield item["PK"], item["owner"]


def _touched(item: Item, at: datetime, table: Table) -> bool:
    """False where somebody else moved or touched it meanwhile."""
    if not _has_stood(item, at):
        return False
    as_seen = as_read(item, ("entityType", "lastModified"))
    try:
        table.write(Set(Key(item["PK"], item["SK"]), {"lastModified": times.iso(at)}, when=as_seen))
    except ConditionFailed:
        return False
    return True


def _has_stood(item: Item, at: datetime) -> bool:
    """[Note: clocks] One that moved long from now did so by a clock that was wrong: nobody waits for that day."""
    moved = item.get("lastModified")
    return moved is None or abs(at - times.from_iso(moved)) >= LONG
