"""Stores the faces found in a photo, each crop before its row.

A worker that is killed in between leaves a crop without a row, which the sweep deletes. A row always has its crop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.faces.port import FaceEngine, FoundFace
from sparks.library import blob_keys
from sparks.library.face_index import vector_of
from sparks.library.people.face_rows import match_known, remove_face, stale_faces, store_face
from sparks.library.people.photo_faces import PhotoFaces, read_faces
from sparks.library.people.recognition_opt_outs import is_opted_out, opt_out_vectors
from sparks.library.people.source_faces import source_face_ids
from sparks.model.errors import NotFound
from sparks.model.face import Face
from sparks.model.ids import face_id
from sparks.model.photo import Photo
from sparks.table.port import Table

JPEG: Final = "image/jpeg"


def store_faces(
    photo: Photo,
    found: Sequence[FoundFace],
    *,
    engine: FaceEngine,
    strong: float,
    at: datetime,
    table: Table,
    blobs: Blobs,
) -> None:
    """Replaces the photo's faces by those that were found, without persons who opted out.

    Faces that are no longer found are removed, unless a human decided about them, also meanwhile. NotFound where the
    photo is deleted or being deleted.
    """
    before = read_faces(photo.image_id, photo.owner, table=table)
    matched = match_known([_face(photo, each, engine.name, at) for each in found], before.faces.values())
    opted_out = {face.face_id for face in _opted_out(before, matched, engine, strong, table)}
    stored = []
    for face, each in zip(matched, found, strict=True):
        if face.face_id not in opted_out:
            stored.append(_with_crop_key(face, before.faces.get(face.face_id)))
            _store(stored[-1], each.crop, at, table, blobs)
    current = read_faces(photo.image_id, photo.owner, table=table).faces.values()
    for face in stale_faces([face for face in current if face.face_id in before.faces], stored):
        _remove(face, at, table, blobs)


def remove_opted_out(
    photo: Photo, *, engine: FaceEngine, strong: float, at: datetime, table: Table, blobs: Blobs
) -> None:
    """Removes faces of persons who opted out of recognition while the faces were stored."""
    before = read_faces(photo.image_id, photo.owner, table=table)
    for face in _opted_out(before, list(before.faces.values()), engine, strong, table):
        _remove(face, at, table, blobs)


def remove_faces(photo: Photo, *, at: datetime, table: Table, blobs: Blobs) -> None:
    """Removes all faces of a photo. NotFound where the photo is deleted or being deleted."""
    for face in read_faces(photo.image_id, photo.owner, table=table).faces.values():
        _remove(face, at, table, blobs)


def _face(photo: Photo, found: FoundFace, engine: str, at: datetime) -> Face:
    return Face(
        image_id=photo.image_id,
        face_id=face_id(photo.image_id, engine, found.box, uploaded_at=photo.uploaded_at),
        owner=photo.owner,
        box=found.box,
        confidence=found.confidence,
        quality=found.quality,
        engine=engine,
        embedding=found.embedding,
        indexed_at=at,
        extra=source_face_ids(photo, found.box),
    )


def _with_crop_key(face: Face, known: Face | None) -> Face:
    """The face with the key of its crop. An unchanged face keeps its time, so that it is not logged as new."""
    face = replace(face, thumb_key=blob_keys.face_thumb(face.face_id))
    if known is None or (known.engine, known.embedding) != (face.engine, face.embedding):
        return face
    return replace(face, indexed_at=known.indexed_at)


def _opted_out(
    before: PhotoFaces, faces: Sequence[Face], engine: FaceEngine, strong: float, table: Table
) -> Iterator[Face]:
    """Unassigned faces that match an opt-out, by similarity or by the box of an erased face."""
    boxes = () if before.photo is None else before.photo.forgotten_boxes
    vectors = opt_out_vectors(engine.name, table=table)
    for face in faces:
        if face.person_id is not None or face.by_hand or face.engine != engine.name:
            continue
        vector = None if face.embedding is None else vector_of(face.embedding, engine.dimensions)
        alike = vector is not None and is_opted_out(vector, vectors, strong=strong)
        if alike or any(face.box.is_same_face(box) for box in boxes):
            yield face


def _store(face: Face, crop: bytes, at: datetime, table: Table, blobs: Blobs) -> None:
    key = blob_keys.face_thumb(face.face_id)
    blobs.put(key, [crop], size=len(crop), content_type=JPEG)
    try:
        store_face(face, at=at, table=table)
    except NotFound:
        blobs.delete(key)
        raise


def _remove(face: Face, at: datetime, table: Table, blobs: Blobs) -> None:
    gone = remove_face(face.image_id, face.owner, face.face_id, at=at, table=table)
    if gone is not None and gone.thumb_key is not None:
        blobs.delete(gone.thumb_key)
