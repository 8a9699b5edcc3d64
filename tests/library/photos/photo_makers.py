"""Photos in a table, and what the pipeline makes of them."""

from datetime import timedelta
from typing import Any, Final

from sparks.library import blob_keys
from sparks.library.photos.processing_state import ProcessingResult
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.table.port import Table
from tests.account_makers import keep
from tests.factories import NOON, a_photo

LATER: Final = NOON + timedelta(hours=1)
IMAGE_ID: Final = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"
KEYS: Final = {size: blob_keys.rendition(IMAGE_ID, size) for size in ("large", "medium", "thumb")}
MADE: Final = ProcessingResult(
    renditions=KEYS, processed_size=300, width=400, height=300, thumbhash=b"hash", quality=80
)


def kept(table: Table, **changes: Any) -> Photo:
    """A finished photo that nothing leads to yet."""
    photo = a_photo(**changes)
    keep(table, photo)
    return photo


def pending(table: Table, **changes: Any) -> Photo:
    """One whose bytes are there, and of which nothing is made."""
    changes = {"state": PhotoState.PENDING, "processing_status": ProcessingStatus.PENDING, **changes}
    return kept(table, width=None, height=None, aspect_ratio=None, **changes)


def settled(table: Table, **changes: Any) -> Photo:
    photo = kept(table, **changes)
    reconcile_links(photo.image_id, photo.owner, table=table)
    return photo
