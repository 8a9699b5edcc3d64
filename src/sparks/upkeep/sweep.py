"""What is swept every hour: what has expired, what was in the trash for long, what nobody owns.

A photo whose time is up goes as one that its owner deletes: it is hidden and given back here, and what follows from the
event erases it. Any number of sweeps may run at once.

[Note: refusals] Where the marker of the blobs is missing, a disk is not mounted, and rows would go without their bytes:
nothing is swept. Where more than 1 % of the blobs seem to be nobody's, it is rather their rows that are missing: no
orphan goes.
"""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library import keys
from sparks.library.erasure import begin_deletion
from sparks.library.months import drop_stale
from sparks.library.records import from_item, to_item
from sparks.library.sealing import seal, unseal
from sparks.model.errors import BadSignature, Conflict
from sparks.model.events import PhotoDeleting, UpkeepDue
from sparks.model.keyring import Keyring
from sparks.model.ledger import JobState
from sparks.model.terms import Terms
from sparks.table.port import Put, Table
from sparks.upkeep.due import photos_due
from sparks.upkeep.letters import drop_letters
from sparks.upkeep.orphans import drop, look

JOB: Final = "sweep"
AFTER: Final = "after"
SLICE: Final = 50_000  # blobs that are looked at; the next sweep goes on behind them
LEFT_ALONE: Final = timedelta(hours=24)

log = logging.getLogger(__name__)


def sweep(
    event: UpkeepDue, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring, terms: Terms
) -> Iterator[PhotoDeleting]:
    """Tells of the photos that are to be erased now. Blobs of the last day are left alone."""
    blobs.check()
    for due in photos_due(at=event.at, trash_days=terms.trash_days, table=table):
        try:
            begin_deletion(due.photo, table=table)
        except Conflict:
            continue  # it was completed or restored this very moment
        yield PhotoDeleting(due.photo.image_id, due.photo.owner)
    table.expire(event.at)
    drop_letters(table=table, jobs=jobs)
    drop_stale(table=table, blobs=blobs, keyring=keyring)
    _sweep_slice(event.at, table, blobs, keyring)


def _sweep_slice(at: datetime, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    after = _resume_point(table, keyring)
    looked = look(table=table, blobs=blobs, before=at - LEFT_ALONE, after=after, most=SLICE)
    if looked.doubt is not None:
        log.error("orphaned blobs were left where they are: %s", looked.doubt)
    else:
        drop(looked, table=table, blobs=blobs)
        log.info("swept", extra={"blobs": looked.seen, "orphans": len(looked.orphans), "bytes": looked.bytes})
    _note(looked.after, at, table, keyring)


def _resume_point(table: Table, keyring: Keyring) -> str | None:
    item = table.get(keys.job_state(JOB))
    stats = None if item is None else from_item(JobState, item).stats
    sealed = (stats or {}).get(AFTER)
    try:
        return None if sealed is None else unseal(JOB, sealed, keyring)
    except BadSignature:
        return None  # the secret is another one: from the beginning


def _note(after: str | None, at: datetime, table: Table, keyring: Keyring) -> None:
    """[Note: no id] The key of a blob names a photo, which may be deleted soon: so it is sealed."""
    stats = {} if after is None else {AFTER: seal(JOB, after, keyring)}
    table.write(Put(to_item(JobState(job_name=JOB, last_run_at=at, stats=stats))))
