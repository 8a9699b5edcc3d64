"""Renditions of an original, made in the studio, stored and recorded: the blobs first, then the row that names them.

A photo that is deleted meanwhile takes along what was made of it.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.library import objects
from sparks.library.live import announce
from sparks.library.photos import Made, Told, begin_processing, fail_processing, finish_processing
from sparks.media.metadata.taken import TakenFrom
from sparks.media.studio import Shown, Studio
from sparks.model.errors import NotFound
from sparks.model.events import Event, FilmWanted, PhotoChanged, PhotoEvent, RenditionsReady, Uploaded
from sparks.model.keyring import Keyring
from sparks.model.photo import FILM, AssetType, Exif, Photo, ProcessingStatus
from sparks.model.times import now
from sparks.table.port import Table
from sparks.upload.hashing import Duplicate, drop_duplicate, record_hashes
from sparks.upload.originals import REFUSALS, clear_made, kind_of, opened_original, photo_of

GIVEN_UP: Final = "Something went wrong while this was made ready to be shown. The original is kept: try again."
WEBP: Final = "image/webp"
FIRST_FILE_TIME: Final = datetime(1980, 1, 2, tzinfo=UTC)  # one before it is that of a clock which was never set

log = logging.getLogger(__name__)


def make_renditions(
    event: Uploaded, *, table: Table, blobs: Blobs, served: ServedBlobs | None, studio: Studio, keyring: Keyring
) -> Sequence[Event]:
    """Makes the sizes that are missing, and the photo READY; where it cannot be shown, its row says why."""
    try:
        photo = begin_processing(photo_of(event, table), at=now(), table=table)
        if photo.processing_status is ProcessingStatus.FAILED:
            return ()
        missing = _missing(photo, studio)
        if photo.processing_status is not ProcessingStatus.COMPLETED:
            announce(photo, photo, at=now(), table=table, keyring=keyring)
        elif not missing:
            return tuple(_follows(photo))
        try:
            with opened_original(event, table=table, blobs=blobs, served=served) as file:
                if photo.processing_status is not ProcessingStatus.COMPLETED:  # else it may have come without, long ago
                    photo = record_hashes(photo, file, table=table)
                shown = studio.show(file, kind_of(file), missing)
        except REFUSALS as refusal:
            fail_processing(photo, str(refusal), at=now(), table=table)
            return (PhotoChanged(event.image_id, event.owner),)
        return tuple(_finish(photo, shown, blobs, table))
    except Duplicate as duplicate:
        return tuple(drop_duplicate(event, duplicate.same, table=table))
    except NotFound:
        clear_made(event.image_id, blobs)
        return ()


def give_up_photo(event: Uploaded, reason: str, *, table: Table) -> PhotoChanged | None:
    """Says on its row that it did not work; `reason` is for the log alone."""
    try:
        fail_processing(photo_of(event, table), GIVEN_UP, at=now(), table=table)
    except NotFound:
        return None
    log.error("a photo was given up: %s", reason)
    return PhotoChanged(event.image_id, event.owner)


def _missing(photo: Photo, studio: Studio) -> dict[str, int]:
    made = {} if photo.renditions is None else photo.renditions.keys
    return {name: side for name, side in studio.sizes.items() if name not in made}


def _finish(photo: Photo, shown: Shown, blobs: Blobs, table: Table) -> Iterator[PhotoEvent]:
    made = Made(
        renditions=_stored(photo.image_id, shown.renditions, blobs),
        processed_size=(photo.processed_size or 0) + sum(map(len, shown.renditions.values())),
        width=shown.width,
        height=shown.height,
        thumbhash=shown.thumbhash,
        duration=shown.duration,
        format=shown.format,
        quality=shown.quality,
        told=_told(photo, shown.told),
    )
    return _follows(finish_processing(photo, made, at=now(), table=table), playable=shown.playable)


def _stored(image_id: str, renditions: Mapping[str, bytes], blobs: Blobs) -> dict[str, str]:
    """Their keys, by name."""
    stored = {name: objects.rendition(image_id, name) for name in renditions}
    for name, key in stored.items():
        blobs.put(key, [renditions[name]], size=len(renditions[name]), content_type=WEBP)
    return stored


def _follows(photo: Photo, *, playable: bool = False) -> Iterator[PhotoEvent]:
    """Where it is not known whether a video is playable as it is, whoever makes the film finds out."""
    yield RenditionsReady(photo.image_id, photo.owner)
    filmed = photo.renditions is not None and FILM in photo.renditions.keys
    if (photo.asset_type is AssetType.VIDEO and not playable and not filmed) or photo.lacks_motion:
        yield FilmWanted(photo.image_id, photo.owner)


def _told(photo: Photo, told: Told) -> Told:
    """The time of the uploader's file is the last resort, and marked so."""
    time = photo.file_time
    if told.taken_at is not None or photo.taken_at is not None or time is None or not FIRST_FILE_TIME <= time <= now():
        return told
    return replace(told, taken_at=time, exif=replace(told.exif or Exif(), taken_from=TakenFrom.FILE.value))
