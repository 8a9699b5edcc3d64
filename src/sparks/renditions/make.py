"""Step that makes an original's renditions, stores them, and records them.

If the photo is deleted meanwhile, the renditions made of it are deleted too.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.duplicates import DuplicateOriginal, drop_duplicate, record_hashes
from sparks.library.live_events import announce
from sparks.library.photos.processing_state import (
    ProcessingResult,
    begin_processing,
    fail_processing,
    finish_processing,
)
from sparks.media.digests import chunks_of, digests_of
from sparks.media.metadata.capture_time import TakenFrom
from sparks.media.sandboxed_renderer import RenderedMedia, SandboxedRenderer
from sparks.model.errors import NotFound
from sparks.model.events import Event, PhotoChanged, PhotoEvent, RenditionsReady, Uploaded, VideoWanted
from sparks.model.keyring import Keyring
from sparks.model.photo import VIDEO, AssetType, EmbeddedMetadata, Exif, Photo, PhotoState, ProcessingStatus
from sparks.model.times import now
from sparks.renditions.originals import REFUSALS, delete_renditions, kind_of, open_original, photo_of_event
from sparks.table.port import Table

PROCESSING_FAILED: Final = "Processing of this photo failed. The original is stored: try again."
WEBP: Final = "image/webp"
EARLIEST_FILE_TIME: Final = datetime(1980, 1, 2, tzinfo=UTC)  # an earlier one is of a clock that was never set

log = logging.getLogger(__name__)


def make_photo_renditions(
    event: Uploaded,
    *,
    table: Table,
    blobs: Blobs,
    renderer: SandboxedRenderer,
    keyring: Keyring,
) -> Sequence[Event]:
    """Makes the missing sizes and sets the photo to READY; if it cannot be decoded, its row says why."""
    try:
        photo = begin_processing(photo_of_event(event, table), at=now(), table=table)
        if photo.processing_status is ProcessingStatus.FAILED:
            return ()
        missing = _missing(photo, renderer)
        if photo.processing_status is not ProcessingStatus.COMPLETED:
            announce(photo, photo, at=now(), table=table, keyring=keyring)
        elif not missing:
            return tuple(_follows(photo))
        try:
            with open_original(event, table=table, blobs=blobs) as file:
                if _needs_hashes(photo):
                    digests = digests_of(chunks_of(file))
                    photo = record_hashes(photo, sha256=digests.sha256, sha1=digests.sha1, table=table)
                rendered = renderer.render(file, kind_of(file), missing)
        except REFUSALS as refusal:
            fail_processing(photo, str(refusal), at=now(), table=table)
            return (PhotoChanged(event.image_id, event.owner),)
        return tuple(_finish(photo, rendered, blobs, table))
    except DuplicateOriginal as duplicate:
        return tuple(drop_duplicate(event, duplicate.same, table=table))
    except NotFound:
        delete_renditions(event.image_id, blobs)
        return ()


def fail_photo(event: Uploaded, reason: str, *, table: Table) -> PhotoChanged | None:
    """Sets the photo to FAILED; `reason` is only logged."""
    try:
        fail_processing(photo_of_event(event, table), PROCESSING_FAILED, at=now(), table=table)
    except NotFound:
        return None
    log.error("processing of a photo failed for good: %s", reason)
    return PhotoChanged(event.image_id, event.owner)


def _needs_hashes(photo: Photo) -> bool:
    """A completed photo of an earlier version may have no hashes, and keeps none. Nor does one that was migrated, or
    that another writer put into the table, get any here: it stays a photo of its own even if another one has the same
    bytes.
    """
    is_ours = photo.source_id is None and photo.state is not PhotoState.READY
    return is_ours and photo.processing_status is not ProcessingStatus.COMPLETED and photo.sha256 is None


def _missing(photo: Photo, renderer: SandboxedRenderer) -> dict[str, int]:
    made = {} if photo.renditions is None else photo.renditions.keys
    return {name: side for name, side in renderer.sizes.items() if name not in made}


def _finish(photo: Photo, rendered: RenderedMedia, blobs: Blobs, table: Table) -> Iterator[PhotoEvent]:
    result = ProcessingResult(
        renditions=_stored(photo.image_id, rendered.renditions, blobs),
        processed_size=(photo.processed_size or 0) + sum(map(len, rendered.renditions.values())),
        width=rendered.width,
        height=rendered.height,
        thumbhash=rendered.thumbhash,
        duration=rendered.duration,
        format=rendered.format,
        quality=rendered.quality,
        metadata=_with_file_time(photo, rendered.metadata),
    )
    return _follows(finish_processing(photo, result, at=now(), table=table), playable=rendered.playable)


def _stored(image_id: str, renditions: Mapping[str, bytes], blobs: Blobs) -> dict[str, str]:
    """The blob key of each rendition."""
    stored = {name: blob_keys.rendition(image_id, name) for name in renditions}
    for name, key in stored.items():
        blobs.put(key, [renditions[name]], size=len(renditions[name]), content_type=WEBP)
    return stored


def _follows(photo: Photo, *, playable: bool = False) -> Iterator[PhotoEvent]:
    """Where it is not known whether browsers can play the original, the video step finds out."""
    yield RenditionsReady(photo.image_id, photo.owner)
    has_video = photo.renditions is not None and VIDEO in photo.renditions.keys
    if (photo.asset_type is AssetType.VIDEO and not playable and not has_video) or photo.lacks_motion:
        yield VideoWanted(photo.image_id, photo.owner)


def _with_file_time(photo: Photo, metadata: EmbeddedMetadata) -> EmbeddedMetadata:
    """Uses the time of the uploaded file as capture time, marked as such, if there is no other."""
    time = photo.file_time
    if (
        metadata.taken_at is not None
        or photo.taken_at is not None
        or time is None
        or not EARLIEST_FILE_TIME <= time <= now()
    ):
        return metadata
    return replace(metadata, taken_at=time, exif=replace(metadata.exif or Exif(), taken_from=TakenFrom.FILE.value))
