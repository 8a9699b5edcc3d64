"""A face that somebody draws where no engine saw one: looked at more closely, and cut out, if an engine can."""

import logging
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.blobs.local_file import local_file
from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.faces.keeping import JPEG
from sparks.faces.port import FaceEngine, FoundFace
from sparks.library import objects
from sparks.library.consent import faces_allowed
from sparks.library.face_index import vector_of
from sparks.library.people import forgotten_vectors, is_forgotten
from sparks.model.errors import Conflict, Damaged, NotFound, Unavailable
from sparks.model.face import Box, Face
from sparks.model.ids import face_id, new_event_id
from sparks.model.photo import Photo, PhotoState, Rendition
from sparks.model.terms import FaceTerms
from sparks.table.port import Table

NOT_SHOWN: Final = "this photo is not finished, or in the trash: draw in it when it can be seen"
NOT_WANTED: Final = "faces are switched off for this photo: its owner, an album or the site does not want any"
BY_HAND: Final = "hand"

log = logging.getLogger(__name__)


def drawn_face(
    photo: Photo,
    box: Box,
    *,
    at: datetime,
    table: Table,
    blobs: Blobs,
    served: ServedBlobs | None,
    engine: FaceEngine | None,
    terms: FaceTerms | None,
) -> Face:
    """The face, whose crop is there, if it has one, and whose row is yet to be written. Conflict where the photo is not
    shown, or nobody wants faces of it.

    [Note: a guess] Where the engine sees no face either, what it makes of the box tells nobody who that is. Of one who
    is not to be recognised nothing is kept but the box.
    """
    if photo.state is not PhotoState.READY:
        raise Conflict(NOT_SHOWN)
    if not faces_allowed(photo, table=table):
        raise Conflict(NOT_WANTED)
    bare = Face(
        image_id=photo.image_id,
        face_id=face_id(photo.image_id, f"{BY_HAND} {new_event_id()}", box),
        owner=photo.owner,
        box=box,
    )
    usable = engine if engine is not None and terms is not None and not engine.missing else None
    found = None if usable is None else _looked_at(photo, box, usable, blobs, served)
    if found is None or usable is None or terms is None or _is_forgotten(found, usable, terms, table):
        return bare
    return _cut_out(bare, found, usable, at, blobs)


def _looked_at(
    photo: Photo, box: Box, engine: FaceEngine, blobs: Blobs, served: ServedBlobs | None
) -> FoundFace | None:
    """None where that does not work: somebody has seen the face all the same."""
    key = None if photo.renditions is None else photo.renditions.keys.get(Rendition.LARGE)
    if key is None:
        return None
    try:
        with local_file(key, blobs=blobs, served=served) as picture:
            return engine.look_at(picture, box)
    except (Damaged, NotFound, Unavailable) as error:
        log.warning("a face that was drawn cannot be looked at: %s", error)
        return None


def _is_forgotten(found: FoundFace, engine: FaceEngine, terms: FaceTerms, table: Table) -> bool:
    vector = vector_of(found.embedding, engine.dimensions)
    return vector is not None and is_forgotten(vector, forgotten_vectors(engine.name, table=table), strong=terms.strong)


def _cut_out(bare: Face, found: FoundFace, engine: FaceEngine, at: datetime, blobs: Blobs) -> Face:
    key = objects.face_thumb(bare.face_id)
    blobs.put(key, [found.crop], size=len(found.crop), content_type=JPEG)
    shown = replace(bare, thumb_key=key)
    if found.confidence <= 0:
        return shown
    return replace(
        shown,
        confidence=found.confidence,
        quality=found.quality,
        engine=engine.name,
        embedding=found.embedding,
        indexed_at=at,
    )
