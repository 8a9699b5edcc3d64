"""Step that transcodes a video, or the clip of a live photo."""

import logging
import os
from typing import Final

from sparks.blobs.local_file import scratch_file
from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.photos.processing_state import add_rendition, drop_motion
from sparks.media.digests import chunks_of
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.errors import NotFound
from sparks.model.events import PhotoChanged, VideoWanted
from sparks.model.photo import MOTION, VIDEO, AssetType, Photo, ProcessingStatus
from sparks.model.times import now
from sparks.renditions.originals import REFUSALS, delete_renditions, kind_of, open_original, photo_of_event
from sparks.table.port import Table

MP4: Final = "video/mp4"

log = logging.getLogger(__name__)


def make_video(event: VideoWanted, *, table: Table, blobs: Blobs, renderer: SandboxedRenderer) -> PhotoChanged | None:
    """Nothing happens where browsers can play the original, or it cannot be transcoded. A live photo without a readable
    clip becomes a still picture.
    """
    try:
        photo = photo_of_event(event, table)
        name = _missing(photo)
        if name is None:
            return None
        key = blob_keys.motion(event.image_id) if name == MOTION else blob_keys.video(event.image_id)
        with open_original(event, table=table, blobs=blobs) as file, scratch_file() as output:
            if not renderer.transcode(file, kind_of(file), output.fileno(), duration=photo.duration):
                return None
            size = os.fstat(output.fileno()).st_size
            blobs.put(key, chunks_of(output.fileno()), size=size, content_type=MP4)
        add_rendition(photo, name, key, size, at=now(), table=table)
    except REFUSALS as refusal:
        log.warning("this video cannot be transcoded for browsers: %s", refusal)
        return _without_motion(event, table)
    except NotFound:
        delete_renditions(event.image_id, blobs)
        return None
    return PhotoChanged(event.image_id, event.owner)


def _missing(photo: Photo) -> str | None:
    """The name of the rendition that may be missing."""
    if photo.processing_status is not ProcessingStatus.COMPLETED:
        return None
    if photo.asset_type is AssetType.IMAGE:
        return MOTION if photo.lacks_motion else None
    has_video = photo.renditions is not None and VIDEO in photo.renditions.keys
    return None if has_video else VIDEO


def _without_motion(event: VideoWanted, table: Table) -> PhotoChanged | None:
    try:
        photo = photo_of_event(event, table)
        if not photo.lacks_motion:
            return None
        drop_motion(photo, at=now(), table=table)
    except NotFound:
        return None
    return PhotoChanged(event.image_id, event.owner)
