"""Films that any browser plays, at most 720p, beside the renditions: of a video, where the original is none or tells
what cannot be hidden from strangers, and of what is behind a live photo.
"""

import logging
import os
from typing import Final

from sparks.blobs.local_file import scratch_file
from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.library import objects
from sparks.library.photos import add_rendition, drop_motion
from sparks.media.studio import Studio
from sparks.model.errors import NotFound
from sparks.model.events import FilmWanted, PhotoChanged
from sparks.model.photo import FILM, MOTION, AssetType, Photo, ProcessingStatus
from sparks.model.times import now
from sparks.table.port import Table
from sparks.upload.digests import chunks_of
from sparks.upload.originals import REFUSALS, clear_made, kind_of, opened_original, photo_of

MP4: Final = "video/mp4"

log = logging.getLogger(__name__)


def make_film(
    event: FilmWanted, *, table: Table, blobs: Blobs, served: ServedBlobs | None, studio: Studio
) -> PhotoChanged | None:
    """Nothing happens where the original is playable as it is, or no film can be made of it: it is there all the same.
    A live photo behind which there is no film after all is a still.
    """
    try:
        photo = photo_of(event, table)
        name = _wanted(photo)
        if name is None:
            return None
        key = objects.motion(event.image_id) if name == MOTION else objects.film(event.image_id)
        with opened_original(event, table=table, blobs=blobs, served=served) as file, scratch_file() as film:
            if not studio.film(file, kind_of(file), film.fileno(), duration=photo.duration):
                return None
            size = os.fstat(film.fileno()).st_size
            blobs.put(key, chunks_of(film.fileno()), size=size, content_type=MP4)
        add_rendition(photo, name, key, size, at=now(), table=table)
    except REFUSALS as refusal:
        log.warning("no film for browsers can be made: %s", refusal)
        return _without_motion(event, table)
    except NotFound:
        clear_made(event.image_id, blobs)
        return None
    return PhotoChanged(event.image_id, event.owner)


def _wanted(photo: Photo) -> str | None:
    """The name of the film that may be lacking."""
    if photo.processing_status is not ProcessingStatus.COMPLETED:
        return None
    if photo.asset_type is AssetType.IMAGE:
        return MOTION if photo.lacks_motion else None
    filmed = photo.renditions is not None and FILM in photo.renditions.keys
    return None if filmed else FILM


def _without_motion(event: FilmWanted, table: Table) -> PhotoChanged | None:
    try:
        photo = photo_of(event, table)
        if not photo.lacks_motion:
            return None
        drop_motion(photo, at=now(), table=table)
    except NotFound:
        return None
    return PhotoChanged(event.image_id, event.owner)
