"""A film that any browser plays, where the original is none: at most 720p, beside the renditions."""

import logging
import os
from typing import Final

from sparks.blobs.local_file import scratch_file
from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.library import objects
from sparks.library.photos import add_rendition
from sparks.media.studio import Studio
from sparks.model.errors import NotFound
from sparks.model.events import FilmWanted, PhotoChanged
from sparks.model.photo import FILM, AssetType, Photo, ProcessingStatus
from sparks.model.times import now
from sparks.table.port import Table
from sparks.upload.digests import chunks_of
from sparks.upload.originals import REFUSALS, clear_made, kind_of, opened_original, photo_of

MP4: Final = "video/mp4"

log = logging.getLogger(__name__)


def make_film(
    event: FilmWanted, *, table: Table, blobs: Blobs, served: ServedBlobs | None, studio: Studio
) -> PhotoChanged | None:
    """Nothing happens where any browser plays the original, or no film can be made of it: it is there all the same."""
    try:
        photo = photo_of(event, table)
        if not _may_need_film(photo):
            return None
        key = objects.film(event.image_id)
        with opened_original(event, table=table, blobs=blobs, served=served) as file, scratch_file() as film:
            if not studio.film(file, kind_of(file), film.fileno(), duration=photo.duration):
                return None
            size = os.fstat(film.fileno()).st_size
            blobs.put(key, chunks_of(film.fileno()), size=size, content_type=MP4)
        add_rendition(photo, FILM, key, size, at=now(), table=table)
    except REFUSALS as refusal:
        log.warning("no film for browsers can be made of a video: %s", refusal)
        return None
    except NotFound:
        clear_made(event.image_id, blobs)
        return None
    return PhotoChanged(event.image_id, event.owner)


def _may_need_film(photo: Photo) -> bool:
    filmed = photo.renditions is not None and FILM in photo.renditions.keys
    shown = photo.processing_status is ProcessingStatus.COMPLETED
    return photo.asset_type is AssetType.VIDEO and shown and not filmed
