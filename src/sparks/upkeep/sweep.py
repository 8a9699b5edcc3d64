"""Sweep of expired photos, orphaned blobs and unprocessed photos: hourly slices, or all at once.

An expired photo is deleted as if its owner had deleted it: the sweep hides it and gives back its upload limit, and the
step that follows the event deletes it. Any number of sweeps may run at once.

Where the marker file of the blobs is missing, a disk is not mounted, and the sweep refuses to delete anything. Where
more than 1 % of the blobs have no row, the rows are probably missing, and the sweep deletes no orphan.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library import keys
from sparks.library.encryption import seal, unseal
from sparks.library.photo_deletion import begin_deletion, delete_photo
from sparks.library.records import from_item, to_item
from sparks.library.timeline_blobs import drop_stale, stale_copies
from sparks.model.errors import BadSignature, Conflict
from sparks.model.events import PhotoDeletionBegun, PhotoEvent, UpkeepDue, Uploaded
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.system_records import JobState
from sparks.table.port import Put, Table
from sparks.upkeep.expired_photos import ExpiredPhoto, ExpiryReason, expired_photos, photos_deleting
from sparks.upkeep.handle_dead_letters import drop_orphaned_letters
from sparks.upkeep.orphaned_blobs import OrphanScan, delete_orphans, find_orphans

JOB: Final = "sweep"
AFTER: Final = "after"
BLOBS_PER_SWEEP: Final = 50_000  # the next sweep continues after them
MIN_ORPHAN_AGE: Final = timedelta(hours=24)

log = logging.getLogger(__name__)


def sweep(
    event: UpkeepDue, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring, pipeline: PipelineSettings
) -> Iterator[PhotoEvent]:
    """Begins the deletion of expired photos. Orphaned blobs of the last day are kept. Photos that another writer put
    into the table are sent to be processed.
    """
    blobs.check()
    for expired in expired_photos(at=event.at, trash_days=pipeline.trash_days, table=table):
        try:
            begin_deletion(expired.photo, table=table)
        except Conflict:
            continue  # the upload was completed, or the photo restored, at this moment
        yield PhotoDeletionBegun(expired.photo.image_id, expired.photo.owner)
    table.expire(event.at)
    drop_orphaned_letters(table=table, jobs=jobs)
    drop_stale(table=table, blobs=blobs, keyring=keyring)
    unprocessed = _sweep_slice(event.at, table, blobs, keyring)
    yield from (Uploaded(photo.image_id, photo.owner) for photo in unprocessed)


def _sweep_slice(at: datetime, table: Table, blobs: Blobs, keyring: Keyring) -> Sequence[Photo]:
    """Deletes orphaned blobs of the next slice. Returns the photos that were met and have never been processed."""
    after = _resume_point(table, keyring)
    scan = find_orphans(table=table, blobs=blobs, before=at - MIN_ORPHAN_AGE, after=after, limit=BLOBS_PER_SWEEP)
    if scan.refusal is not None:
        log.error("orphaned blobs were kept: %s", scan.refusal)
    else:
        delete_orphans(scan, table=table, blobs=blobs)
        log.info("swept", extra={"blobs": scan.scanned, "orphans": len(scan.orphans), "bytes": scan.bytes})
    _save_resume_point(scan.after, at, table, keyring)
    return scan.unprocessed


def _resume_point(table: Table, keyring: Keyring) -> str | None:
    item = table.get(keys.job_state(JOB))
    stats = None if item is None else from_item(JobState, item).stats
    sealed = (stats or {}).get(AFTER)
    try:
        return None if sealed is None else unseal(JOB, sealed, keyring)
    except BadSignature:
        return None  # the signing key has changed: begin again


def _save_resume_point(after: str | None, at: datetime, table: Table, keyring: Keyring) -> None:
    """A blob key contains the id of a photo, of which no trace may stay once it is deleted: so the key is encrypted."""
    stats = {} if after is None else {AFTER: seal(JOB, after, keyring)}
    table.write(Put(to_item(JobState(job_name=JOB, last_run_at=at, stats=stats))))


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """Numbers of deleted photos, rows and blobs. `refusal` is the reason why the counted orphans were kept."""

    reservations: int
    expired: int
    trash: int
    deletions: int  # that were begun before, and interrupted
    rows: int | None  # None in a preview
    letters: int | None  # dead letters of deleted photos; None in a preview
    caches: int
    orphans: int
    orphan_bytes: int
    refusal: str | None


def sweep_all(
    at: datetime,
    *,
    force: bool = False,
    table: Table,
    blobs: Blobs,
    jobs: Jobs,
    keyring: Keyring,
    pipeline: PipelineSettings,
) -> SweepResult:
    """`force` deletes orphans however many they are."""

    def deleted(photo: Photo) -> bool:
        try:
            delete_photo(photo, table=table, blobs=blobs, jobs=jobs, keyring=keyring)
        except Conflict:
            return False  # the upload was completed, or the photo restored, at this moment
        return True

    blobs.check()
    photos = Counter(expired.reason for expired in _expired(at, pipeline, table) if deleted(expired.photo))
    rows, letters = table.expire(at), drop_orphaned_letters(table=table, jobs=jobs)
    caches = drop_stale(table=table, blobs=blobs, keyring=keyring)
    scan = find_orphans(table=table, blobs=blobs, before=at)
    refusal = None if force else scan.refusal
    if refusal is None:
        delete_orphans(scan, table=table, blobs=blobs)
    return _result(photos, scan, rows=rows, letters=letters, caches=caches, refusal=refusal)


def preview_sweep(
    at: datetime, *, table: Table, blobs: Blobs, keyring: Keyring, pipeline: PipelineSettings
) -> SweepResult:
    """The result that `sweep_all` would have; changes nothing."""
    blobs.check()
    photos = Counter(expired.reason for expired in _expired(at, pipeline, table))
    caches = sum(1 for _ in stale_copies(table=table, blobs=blobs, keyring=keyring))
    scan = find_orphans(table=table, blobs=blobs, before=at)
    return _result(photos, scan, rows=None, letters=None, caches=caches, refusal=scan.refusal)


def _expired(at: datetime, pipeline: PipelineSettings, table: Table) -> Iterator[ExpiredPhoto]:
    yield from expired_photos(at=at, trash_days=pipeline.trash_days, table=table)
    yield from photos_deleting(table=table)


def _result(
    photos: Counter[ExpiryReason],
    scan: OrphanScan,
    *,
    rows: int | None,
    letters: int | None,
    caches: int,
    refusal: str | None,
) -> SweepResult:
    return SweepResult(
        **{reason: photos[reason] for reason in ExpiryReason},
        rows=rows,
        letters=letters,
        caches=caches,
        orphans=len(scan.orphans),
        orphan_bytes=scan.bytes,
        refusal=refusal,
    )
