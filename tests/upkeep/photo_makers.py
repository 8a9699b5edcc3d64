"""Photos in every state that a sweep looks at, with their blobs, and an account that they count for."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.photo_deletion import finish_deletion
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.records import changes
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model import ids, times
from sparks.model.events import PhotoDeletionBegun, PhotoEvent, UpkeepDue
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.photo_index import Expiry
from sparks.model.pipeline_settings import PipelineSettings
from sparks.table.port import Table
from sparks.upkeep.sweep import SweepResult, sweep, sweep_all
from tests.account_makers import keep
from tests.factories import ANN
from tests.library.tables import a_reservation

NOW: Final = times.now().replace(microsecond=0)  # as a `ttl` keeps it
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
BYTES: Final = b"0123456789"
PIPELINE: Final = PipelineSettings(trash_days=30)


def reservation(stores: Stores, *, expires_at: datetime, **more: Any) -> Photo:
    """Its bytes have begun to arrive."""
    photo = a_reservation(ANN, len(BYTES), expires_at=expires_at, ttl=expires_at + 30 * DAY, original_key=None, **more)
    reserve_photo(photo, table=stores.table)
    stores.blobs.put(blob_keys.upload(photo.image_id), [BYTES])
    return photo


def photo(stores: Stores, **more: Any) -> Photo:
    """A finished one; its original and a rendition are there."""
    reserved = a_reservation(ANN, len(BYTES))
    reserve_photo(reserved, table=stores.table)
    ready = replace(reserved, state=PhotoState.READY, processing_status=ProcessingStatus.COMPLETED, **more)
    stores.table.write(changes(reserved, ready))
    for key in (blob_keys.original(ready.image_id, "jpg"), blob_keys.rendition(ready.image_id, "thumb")):
        stores.blobs.put(key, [BYTES])
    return ready


def temporary(stores: Stores, *, until: datetime) -> Photo:
    kept = photo(stores, expires_at=until, ttl=until + 30 * DAY)
    keep(stores.table, Expiry(image_id=kept.image_id, owner=kept.owner, expires_at=until))
    return kept


def trashed(stores: Stores, *, at: datetime) -> Photo:
    return trash_photo(photo(stores), at=at, table=stores.table)


def orphans(stores: Stores, number: int) -> list[str]:
    keys = [blob_keys.original(ids.new_image_id(), "jpg") for _ in range(number)]
    for key in keys:
        stores.blobs.put(key, [BYTES])
    return keys


def hourly_sweep(
    stores: Stores, at: datetime, *, table: Table | None = None, pipeline: PipelineSettings = PIPELINE
) -> list[PhotoEvent]:
    """The events of an hourly sweep."""
    table, blobs, jobs, keyring = table or stores.table, stores.blobs, stores.jobs, stores.keyring
    return list(sweep(UpkeepDue(at), table=table, blobs=blobs, jobs=jobs, keyring=keyring, pipeline=pipeline))


def swept_hourly(stores: Stores, at: datetime) -> list[PhotoEvent]:
    """The events of an hourly sweep, whose deletions are carried out too."""
    result = hourly_sweep(stores, at)
    for event in result:
        assert isinstance(event, PhotoDeletionBegun)
        finish_deletion(event, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, keyring=stores.keyring)
    return result


def swept(stores: Stores, at: datetime, *, force: bool = False) -> SweepResult:
    table, blobs, jobs, keyring = stores.table, stores.blobs, stores.jobs, stores.keyring
    return sweep_all(at, force=force, table=table, blobs=blobs, jobs=jobs, keyring=keyring, pipeline=PIPELINE)
