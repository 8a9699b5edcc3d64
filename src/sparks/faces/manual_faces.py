"""Face that a user draws by hand, analyzed and cropped where the engine can do so."""

import logging
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.blobs.local_file import local_file
from sparks.blobs.port import Blobs
from sparks.faces.port import FaceEngine, FoundFace
from sparks.faces.store_faces import JPEG
from sparks.library import blob_keys
from sparks.library.consent import faces_allowed
from sparks.library.face_index import vector_of
from sparks.library.people.recognition_opt_outs import is_opted_out, opt_out_vectors
from sparks.model.errors import Conflict, Damaged, NotFound, Unavailable
from sparks.model.face import Box, Face
from sparks.model.ids import face_id, new_event_id
from sparks.model.photo import Photo, PhotoState, Rendition
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.table.port import Table

NOT_SHOWN: Final = "this photo is still being processed, or is in the trash: a face can be drawn once it is shown"
NOT_WANTED: Final = "faces are switched off for this photo, by its owner, an album or the site"
BY_HAND: Final = "hand"

log = logging.getLogger(__name__)


def manual_face(
    photo: Photo,
    box: Box,
    *,
    at: datetime,
    table: Table,
    blobs: Blobs,
    engine: FaceEngine | None,
    pipeline: FacePipelineSettings | None,
) -> Face:
    """The new face, with its crop stored and its row not yet written.

    Conflict where the photo is not ready, or where faces are not allowed in it. Where the engine sees no face in the
    box, the embedding is dropped, because it identifies no person. Of a person who opted out of recognition only the
    box is kept.
    """
    if photo.state is not PhotoState.READY:
        raise Conflict(NOT_SHOWN)
    if not faces_allowed(photo, table=table):
        raise Conflict(NOT_WANTED)
    bare = Face(
        image_id=photo.image_id,
        face_id=face_id(photo.image_id, f"{BY_HAND} {new_event_id()}", box, uploaded_at=photo.uploaded_at),
        owner=photo.owner,
        box=box,
    )
    usable = engine if engine is not None and pipeline is not None and not engine.missing else None
    found = None if usable is None else _analyze(photo, box, usable, blobs)
    if found is None or usable is None or pipeline is None or _has_opted_out(found, usable, pipeline, table):
        return bare
    return _with_crop(bare, found, usable, at, blobs)


def _analyze(photo: Photo, box: Box, engine: FaceEngine, blobs: Blobs) -> FoundFace | None:
    """None where the engine cannot analyze the picture; the face is kept all the same."""
    key = None if photo.renditions is None else photo.renditions.keys.get(Rendition.LARGE)
    if key is None:
        return None
    try:
        with local_file(key, blobs=blobs) as picture:
            return engine.analyze_box(picture, box)
    except (Damaged, NotFound, Unavailable) as error:
        log.warning("a face that a user drew cannot be analyzed: %s", error)
        return None


def _has_opted_out(found: FoundFace, engine: FaceEngine, pipeline: FacePipelineSettings, table: Table) -> bool:
    vector = vector_of(found.embedding, engine.dimensions)
    return vector is not None and is_opted_out(
        vector, opt_out_vectors(engine.name, table=table), strong=pipeline.strong
    )


def _with_crop(bare: Face, found: FoundFace, engine: FaceEngine, at: datetime, blobs: Blobs) -> Face:
    key = blob_keys.face_thumb(bare.face_id)
    blobs.put(key, [found.crop], size=len(found.crop), content_type=JPEG)
    cropped = replace(bare, thumb_key=key)
    if found.confidence <= 0:
        return cropped
    return replace(
        cropped,
        confidence=found.confidence,
        quality=found.quality,
        engine=engine.name,
        embedding=found.embedding,
        indexed_at=at,
    )
