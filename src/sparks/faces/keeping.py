"""What was found in a photo becomes its faces: each crop first, then the row that names it; what goes, the other way.

A crop without a row may be left by whoever is killed in between, and is swept; a row always has its crop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.faces.port import FaceEngine, FoundFace
from sparks.library import objects
from sparks.library.face_index import vector_of
from sparks.library.people import (
    PhotoFaces,
    forgotten_vectors,
    found_again,
    is_forgotten,
    keep_face,
    read_faces,
    remove_face,
    stale_faces,
)
from sparks.model.errors import NotFound
from sparks.model.face import Face
from sparks.model.ids import face_id
from sparks.model.photo import Photo
from sparks.table.port import Table

JPEG: Final = "image/jpeg"


def keep_faces(
    photo: Photo,
    found: Sequence[FoundFace],
    *,
    engine: FaceEngine,
    strong: float,
    at: datetime,
    table: Table,
    blobs: Blobs,
) -> None:
    """The photo's faces are those that were found, but for those that are to be forgotten; what was found before and
    not now is gone, unless people have decided about it, also meanwhile. NotFound where the photo is gone or being
    deleted.
    """
    seen = read_faces(photo.image_id, photo.owner, table=table)
    told = found_again([_face(photo, each, engine.name, at) for each in found], seen.faces.values())
    forgotten = {face.face_id for face in _forgotten(seen, told, engine, strong, table)}
    kept = []
    for face, each in zip(told, found, strict=True):
        if face.face_id not in forgotten:
            kept.append(_unmoved(face, seen.faces.get(face.face_id)))
            _keep(kept[-1], each.crop, at, table, blobs)
    since = read_faces(photo.image_id, photo.owner, table=table).faces.values()
    for face in stale_faces([face for face in since if face.face_id in seen.faces], kept):
        _remove(face, at, table, blobs)


def withdraw_forgotten(
    photo: Photo, *, engine: FaceEngine, strong: float, at: datetime, table: Table, blobs: Blobs
) -> None:
    """Removes what somebody wanted forgotten while it was being kept."""
    seen = read_faces(photo.image_id, photo.owner, table=table)
    for face in _forgotten(seen, list(seen.faces.values()), engine, strong, table):
        _remove(face, at, table, blobs)


def remove_faces(photo: Photo, *, at: datetime, table: Table, blobs: Blobs) -> None:
    """The photo has no faces any more. NotFound where it is gone or being deleted."""
    for face in read_faces(photo.image_id, photo.owner, table=table).faces.values():
        _remove(face, at, table, blobs)


def _face(photo: Photo, found: FoundFace, engine: str, at: datetime) -> Face:
    return Face(
        image_id=photo.image_id,
        face_id=face_id(photo.image_id, engine, found.box),
        owner=photo.owner,
        box=found.box,
        confidence=found.confidence,
        quality=found.quality,
        engine=engine,
        embedding=found.embedding,
        indexed_at=at,
    )


def _unmoved(face: Face, known: Face | None) -> Face:
    """With the key of its crop; one that is just as it was is not told as one that came."""
    face = replace(face, thumb_key=objects.face_thumb(face.face_id))
    if known is None or (known.engine, known.embedding) != (face.engine, face.embedding):
        return face
    return replace(face, indexed_at=known.indexed_at)


def _forgotten(
    seen: PhotoFaces, faces: Sequence[Face], engine: FaceEngine, strong: float, table: Table
) -> Iterator[Face]:
    """Those of the faces that are nobody's, and are to be: by what they are like, or by where they are."""
    boxes = () if seen.photo is None else seen.photo.forgotten_boxes
    vectors = forgotten_vectors(engine.name, table=table)
    for face in faces:
        if face.person_id is not None or face.by_hand or face.engine != engine.name:
            continue
        vector = None if face.embedding is None else vector_of(face.embedding, engine.dimensions)
        alike = vector is not None and is_forgotten(vector, vectors, strong=strong)
        if alike or any(face.box.is_same_face(box) for box in boxes):
            yield face


def _keep(face: Face, crop: bytes, at: datetime, table: Table, blobs: Blobs) -> None:
    key = objects.face_thumb(face.face_id)
    blobs.put(key, [crop], size=len(crop), content_type=JPEG)
    try:
        keep_face(face, at=at, table=table)
    except NotFound:
        blobs.delete(key)
        raise


def _remove(face: Face, at: datetime, table: Table, blobs: Blobs) -> None:
    gone = remove_face(face.image_id, face.owner, face.face_id, at=at, table=table)
    if gone is not None and gone.thumb_key is not None:
        blobs.delete(gone.thumb_key)
