"""Photos to find faces in, an engine that finds what it is told, and stores that fail at a bad moment."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import BlobInfo
from sparks.faces.finding import find_faces, find_faces_again
from sparks.faces.port import FaceEngine, FoundFace, Thresholds
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.library import objects
from sparks.library.photos import find_photo
from sparks.library.records import from_item
from sparks.media.kinds import Kind
from sparks.model.errors import SparksError, Unavailable
from sparks.model.events import FacesFound, FacesWanted, RenditionsReady
from sparks.model.face import Box, Face
from sparks.model.ids import new_image_id
from sparks.model.photo import Photo, Renditions
from sparks.model.terms import FaceTerms, Terms
from sparks.table.port import Table
from tests.accounts import everything, keep
from tests.factories import a_photo
from tests.journey.trip import KEYRING
from tests.library.people.rows import a_box

PICTURE: Final = b"a picture"
DIMENSIONS: Final = 8
THRESHOLDS: Final = Thresholds(candidate=0.42, strong=0.49, founding=0.3)
TERMS: Final = Terms(
    faces=FaceTerms(engine="told-1", dimensions=DIMENSIONS, candidate=0.42, strong=0.49, founding=0.3, enough=2)
)


def looks(like: int) -> bytes:
    """The embedding of a face that resembles no other one."""
    vector = np.zeros(DIMENSIONS, "<f2")
    vector[like] = 1
    return vector.tobytes()


def a_find(like: int, *, box: Box | None = None) -> FoundFace:
    crop = b"\xff\xd8 somebody like " + bytes([like])
    return FoundFace(box=box or a_box(like), confidence=99.0, quality=0.8, embedding=looks(like), crop=crop)


@dataclass
class Told:
    """An engine that finds what it was told, in whatever picture, or refuses it. `meanwhile` is done while it looks;
    `looked` holds how each file begins, and of a film what it is.
    """

    faces: Sequence[FoundFace] = ()
    name: str = "told-1"
    missing: str = ""
    refusal: SparksError | None = None
    meanwhile: Callable[[], object] = lambda: None
    looked: list[bytes | str] = field(default_factory=list)
    dimensions: int = DIMENSIONS
    thresholds: Thresholds = THRESHOLDS

    def find_faces(self, picture: int) -> Sequence[FoundFace]:
        self.looked.append(os.pread(picture, 100, 0))
        self.meanwhile()
        if self.refusal is not None:
            raise self.refusal
        return self.faces

    def look_at(self, picture: int, box: Box) -> FoundFace:
        return replace(self.find_faces(picture)[0], box=box)

    def watch(self, film: int, kind: Kind) -> Sequence[FoundFace]:
        self.looked.append(kind.name)
        return self.find_faces(film)

    def close(self) -> None:
        pass


def stores_with(engine: FaceEngine | None, table: Table, **more: Any) -> Stores:
    blobs = more.pop("blobs", None) or MemoryBlobs(keyring=KEYRING)
    return Stores(
        **{
            "table": table,
            "blobs": blobs,
            "jobs": MemoryJobs(),
            "keyring": KEYRING,
            "engine": engine,
            "terms": TERMS,
            **more,
        }
    )


def hung(stores: Stores, picture: bytes = PICTURE, **changes: Any) -> Photo:
    """A finished photo, with the rendition in which faces are looked for."""
    image_id = changes.pop("image_id", None) or new_image_id()
    large = objects.rendition(image_id, "large")
    stores.blobs.put(large, [picture])
    photo = a_photo(**{"image_id": image_id, "renditions": Renditions({"large": large}), **changes})
    keep(stores.table, photo)
    return photo


def find(photo: Photo, stores: Stores) -> FacesFound | None:
    """As its renditions are ready."""
    return find_faces(
        RenditionsReady(photo.image_id, photo.owner),
        table=stores.table,
        blobs=stores.blobs,
        served=stores.served,
        engine=stores.engine,
        terms=stores.terms,
        keyring=stores.keyring,
    )


def find_again(photo: Photo, stores: Stores) -> FacesFound | None:
    """As its faces are wanted."""
    return find_faces_again(
        FacesWanted(photo.image_id, photo.owner),
        table=stores.table,
        blobs=stores.blobs,
        served=stores.served,
        engine=stores.engine,
        terms=stores.terms,
        keyring=stores.keyring,
    )


def photo_now(photo: Photo, stores: Stores) -> Photo:
    found = find_photo(photo.image_id, table=stores.table)
    assert found is not None
    return found


def faces_in(photo: Photo, table: Table) -> list[Face]:
    """From all rows that there are, by where they are."""
    rows = [item for item in everything(table) if item["PK"] == photo.image_id and item["SK"].startswith("FACE#")]
    faces = [from_item(Face, row) for row in rows]
    return sorted(faces, key=lambda face: (face.box.top, face.box.left))


def crops(stores: Stores) -> set[str]:
    return {blob.key for blob in stores.blobs.list(objects.FACE_THUMBS).blobs}


def crops_of(faces: Iterable[Face]) -> set[str]:
    return {str(face.thumb_key) for face in faces}


class FailingBlobs(MemoryBlobs):
    """The power is out at the write, or the deletion, after so many, once."""

    def __init__(self, *, after: int) -> None:
        super().__init__(keyring=KEYRING)
        self._left = after

    def put(self, key: str, chunks: Iterable[bytes], **told: Any) -> BlobInfo:
        self._count()
        return super().put(key, chunks, **told)

    def delete(self, key: str) -> None:
        self._count()
        super().delete(key)

    def _count(self) -> None:
        self._left -= 1
        if self._left == -1:
            raise Unavailable("the power is out")
