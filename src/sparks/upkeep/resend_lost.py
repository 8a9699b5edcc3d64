"""Step that resends photos whose job was lost.

The state of a photo's row shows that it needs a job: a PENDING photo waits for its renditions, a DELETING one for its
deletion. The process that
should have sent the job may have been killed, and a queue may lose a job. A job that is sent again too early costs some
work and changes nothing.

A photo that has not changed for long may also just wait in a long queue. So this step fills the queue up to
MAX_WAITING_JOBS and not above: lost photos are resent once the queue is shorter.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Final

from sparks.jobs.port import Jobs
from sparks.library import entity_types
from sparks.library.records import as_read, read_item
from sparks.model import times
from sparks.model.errors import ConditionFailed
from sparks.model.events import PatrolDue, PhotoDeletionBegun, PhotoEvent, Uploaded
from sparks.model.photo import Photo
from sparks.table.port import EntityType, Item, Key, Set, Table, every

STUCK_AFTER: Final = timedelta(minutes=10)
MAX_WAITING_JOBS: Final = 1000


def resend_lost(event: PatrolDue, *, table: Table, jobs: Jobs) -> Iterator[PhotoEvent]:
    """The events of photos that should have been deleted or processed long ago, the oldest first."""
    at = max(event.at, times.now())  # the patrol itself may have waited for hours: not all photos are lost then
    free = max(0, MAX_WAITING_JOBS - jobs.counts().waiting)
    deleting = (PhotoDeletionBegun(*stuck) for stuck in _stuck_photos(entity_types.DELETING, at, table))
    pending = (Uploaded(*stuck) for stuck in _stuck_photos(entity_types.PENDING, at, table))
    return islice(chain[PhotoEvent](deleting, pending), free)


def _stuck_photos(state: EntityType, at: datetime, table: Table) -> Iterator[tuple[str, str]]:
    """Image id and owner of photos that have been in this state for STUCK_AFTER. Each is touched, so that it is not
    resent again before the same time has passed.
    """
    for listed in every(table, state):
        item = table.get(Key(listed["PK"], listed["SK"])) if _is_stuck(listed, at) else None
        if item is not None and item["entityType"] == state.value and _touched(item, at, table):
            photo = read_item(Photo, item)
            if photo is not None:
                yield photo.image_id, photo.owner


def _touched(item: Item, at: datetime, table: Table) -> bool:
    """False where another process has changed or touched the photo meanwhile."""
    if not _is_stuck(item, at):
        return False
    unchanged = as_read(item, ("entityType", "lastModified"))
    try:
        table.write(Set(Key(item["PK"], item["SK"]), {"lastModified": times.iso(at)}, when=unchanged))
    except ConditionFailed:
        return False
    return True


def _is_stuck(item: Item, at: datetime) -> bool:
    """A time far in the future comes from a wrong clock, and counts as long ago."""
    modified = item.get("lastModified")
    return not times.is_iso(modified) or abs(at - times.from_iso(modified)) >= STUCK_AFTER
