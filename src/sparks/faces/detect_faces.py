"""Step that finds the faces of a photo or video, if consent allows.

Consent (`library.consent`) is checked before detection, and again after the faces are stored.
"""

import logging
import os
from collections.abc import Sequence
from typing import Final

from sparks.blobs.local_file import local_file
from sparks.blobs.port import Blobs
from sparks.faces.port import FaceEngine, FoundFace
from sparks.faces.store_faces import remove_faces, remove_opted_out, store_faces
from sparks.library import keys
from sparks.library.consent import faces_allowed
from sparks.library.live_events import announce_people, announce_while_there
from sparks.library.people.face_rows import finish_indexing
from sparks.library.people.reconcile import reconcile_people
from sparks.library.photos.photo_rows import NO_PHOTO, read_photo
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.audience import audience_of
from sparks.model.errors import Damaged, NotFound, TooLarge, UnsupportedType
from sparks.model.events import FacesFound, PersonPicturesDue, PhotoEvent
from sparks.model.keyring import Keyring
from sparks.model.photo import AssetType, FaceStatus, Photo, PhotoState, Rendition
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.model.times import now
from sparks.table.port import Table

MISSING_FILE: Final = "its file is missing from the store: restore it from a backup"
DETECTION_FAILED: Final = "Faces could not be looked for in this photo: try again."
FILE_ERRORS: Final = (Damaged, TooLarge, UnsupportedType)  # of a file that can never be analyzed
INDEXABLE_STATES: Final = frozenset({PhotoState.READY, PhotoState.TRASHED})

log = logging.getLogger(__name__)


def find_faces(
    event: PhotoEvent,
    *,
    table: Table,
    blobs: Blobs,
    engine: FaceEngine | None,
    pipeline: PipelineSettings,
    keyring: Keyring,
) -> FacesFound | PersonPicturesDue | None:
    """Stores the faces of a photo, each with its crop, and announces them to open pages.

    Without a usable engine nothing happens. Where this engine has analyzed the photo already, only the event is sent
    again. Faces that another engine found stay in use until this one is done.
    """
    if engine is None or pipeline.faces is None or engine.missing:
        return None
    try:
        photo = _photo(event, table)
        key = detection_source(photo)
        if key is None:
            return None
        if faces_allowed(photo, table=table) and not _is_indexed(photo, engine):
            _index_photo(photo, key, table, blobs, engine, pipeline.faces)
        _remove_disallowed(event, table, blobs, engine, pipeline.faces)
        touched = reconcile_people(event.image_id, event.owner, min_photos=pipeline.min_photos, table=table)
        found = _photo(event, table)
    except NotFound:
        return None
    if found != photo:
        announce_while_there(audience_of(found), found, at=now(), table=table, keyring=keyring)
    announce_people(touched, at=now(), table=table)
    if found.face_count:
        return FacesFound(event.image_id, event.owner)
    return PersonPicturesDue() if touched else None


def give_up_faces(event: PhotoEvent, reason: str, *, table: Table, engine: FaceEngine | None, keyring: Keyring) -> None:
    """Marks face detection of the photo as failed, without the `reason`, and announces it; faces found earlier stay."""
    try:
        photo = _photo(event, table)
        if engine is None or _is_indexed(photo, engine):
            return
        failed = finish_indexing(photo, FaceStatus.FAILED, engine=engine.name, error=DETECTION_FAILED, table=table)
    except NotFound:
        return
    announce_while_there(audience_of(failed), failed, at=now(), table=table, keyring=keyring)
    log.error("face detection in a photo was given up: %s", reason)


def detection_source(photo: Photo) -> str | None:
    """The blob key of the file in which faces are detected; None where it does not exist yet."""
    if photo.state not in INDEXABLE_STATES:
        return None
    if photo.asset_type is AssetType.VIDEO:
        return photo.original_key
    return None if photo.renditions is None else photo.renditions.keys.get(Rendition.LARGE)


def _photo(event: PhotoEvent, table: Table) -> Photo:
    """NotFound where the photo is deleted."""
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    if photo is None:
        raise NotFound(NO_PHOTO)
    return photo


def _is_indexed(photo: Photo, engine: FaceEngine) -> bool:
    return photo.face_status is FaceStatus.INDEXED and photo.face_engine == engine.name


def _index_photo(
    photo: Photo,
    key: str,
    table: Table,
    blobs: Blobs,
    engine: FaceEngine,
    pipeline: FacePipelineSettings,
) -> None:
    status, reason = FaceStatus.INDEXED, None
    try:
        found = _detect(photo, key, blobs, engine)
        store_faces(photo, found, engine=engine, strong=pipeline.strong, at=now(), table=table, blobs=blobs)
    except FILE_ERRORS as error:
        log.warning("faces of a photo cannot be detected: %s", error)
        status, reason = FaceStatus.FAILED, str(error)
    finish_indexing(photo, status, engine=engine.name, error=reason, table=table)


def _detect(photo: Photo, key: str, blobs: Blobs, engine: FaceEngine) -> Sequence[FoundFace]:
    try:
        with local_file(key, blobs=blobs) as file:
            if photo.asset_type is not AssetType.VIDEO:
                return engine.find_faces(file)
            return engine.find_faces_in_video(file, sniff(os.pread(file, HEAD_BYTES, 0), size=os.fstat(file).st_size))
    except NotFound as error:
        raise Damaged(MISSING_FILE) from error


def _remove_disallowed(
    event: PhotoEvent, table: Table, blobs: Blobs, engine: FaceEngine, pipeline: FacePipelineSettings
) -> None:
    """Removes faces that consent no longer allows, also where it was withdrawn during detection."""
    photo = _photo(event, table)
    if faces_allowed(photo, table=table):
        remove_opted_out(photo, engine=engine, strong=pipeline.strong, at=now(), table=table, blobs=blobs)
        return
    remove_faces(photo, at=now(), table=table, blobs=blobs)
    finish_indexing(photo, FaceStatus.RAW, engine=None, table=table)
