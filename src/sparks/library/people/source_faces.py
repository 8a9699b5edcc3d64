"""Faces that the service found which Sparks replaced: a face that is the same one keeps their id beside its own."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sparks.model.face import Box
from sparks.model.photo import Photo

REKOGNITION_FACES: Final = "rekognitionFaces"  # on a migrated photo: `faceId`, `bbox` and more of each face
REKOGNITION_FACE_ID: Final = "rekognitionFaceId"  # on a face


def source_face_ids(photo: Photo, box: Box) -> dict[str, Any]:
    """The id of the face at the same place, as an attribute for the face's row; nothing where there was none."""
    found = [(box.overlap(other), face_id) for face_id, other in _faces(photo) if box.is_same_face(other)]
    return {REKOGNITION_FACE_ID: max(found)[1]} if found else {}


def _faces(photo: Photo) -> Iterator[tuple[str, Box]]:
    for face in photo.extra.get(REKOGNITION_FACES, ()):
        box = box_of(face.get("bbox")) if isinstance(face, Mapping) else None
        if box is not None and isinstance(face.get("faceId"), str):
            yield face["faceId"], box


def box_of(bbox: Any) -> Box | None:
    """A box as Rekognition writes it; None where the value is none."""
    try:
        return Box(*(float(bbox[side]) for side in ("Left", "Top", "Width", "Height")))
    except (KeyError, TypeError, ValueError):
        return None
