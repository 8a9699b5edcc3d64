"""Photos for face detection, a fake engine that finds given faces, and stores that fail."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import BlobInfo
from sparks.faces.detect_faces import find_faces
from sparks.faces.port import FaceEngine, FoundFace, Thresholds
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.library import blob_keys
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item
from sparks.media.file_types import FileType
from sparks.model.errors import SparksError, Unavailable
from sparks.model.events import FacesFound, FacesWanted, PersonPicturesDue, RenditionsReady
from sparks.model.face import Box, Face
from sparks.model.ids import new_image_id
from sparks.model.photo import Photo, Renditions
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.table.port import Table
from tests.account_makers import everything, keep
from tests.factories import a_photo
from tests.journey.sample_steps import KEYRING
from tests.library.people.rows import a_box, check_settled

PICTURE: Final = b"a picture"
DIMENSIONS: Final = 8
THRESHOLDS: Final = Thresholds(candidate=0.42, strong=0.49, founding=0.3)
PIPELINE: Final = PipelineSettings(
    faces=FacePipelineSettings(
        engine="fake-1", dimensions=DIMENSIONS, candidate=0.42, strong=0.49, founding=0.3, min_photos=2
    )
)


def embedding_like(like: int) -> bytes:
    """An embedding that is similar to no other one."""
    vector = np.zeros(DIMENSIONS, "<f2")
    vector[like] = 1
    return vector.tobytes()


def found_face(like: int, *, box: Box | None = None) -> FoundFace:
    crop = b"\xff\xd8 somebody like " + bytes([like])
    return FoundFace(box=box or a_box(like), confidence=99.0, quality=0.8, embedding=embedding_like(like), crop=crop)


@dataclass
class FakeEngine:
    """An engine that finds the given faces in every picture, or raises `error`. `meanwhile` runs during a detection;
    `analyzed` holds the first bytes of each file, and the type of a video.
    """

    faces: Sequence[FoundFace] = ()
    name: str = "fake-1"
    missing: str = ""
    error: SparksError | None = None
    meanwhile: Callable[[], object] = lambda: None
    analyzed: list[bytes | str] = field(default_factory=list)
    dimensions: int = DIMENSIONS
    thresholds: Thresholds = THRESHOLDS

    def find_faces(self, picture: int) -> Sequence[FoundFace]:
        self.analyzed.append(os.pread(picture, 100, 0))
        self.meanwhile()
        if self.error is not None:
            raise self.error
        return self.faces

    def analyze_box(self, picture: int, box: Box) -> FoundFace:
        return replace(self.find_faces(picture)[0], box=box)

    def find_faces_in_video(self, video: int, kind: FileType) -> Sequence[FoundFace]:
        self.analyzed.append(kind.name)
        return self.find_faces(video)

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
            "pipeline": PIPELINE,
            **more,
        }
    )


def photo_with_rendition(stores: Stores, picture: bytes = PICTURE, **changes: Any) -> Photo:
    """A ready photo with the rendition in which faces are detected."""
    image_id = changes.pop("image_id", None) or new_image_id()
    large = blob_keys.rendition(image_id, "large")
    stores.blobs.put(large, [picture])
    photo = a_photo(**{"image_id": image_id, "renditions": Renditions({"large": large}), **changes})
    keep(stores.table, photo)
    return photo


def find(photo: Photo, stores: Stores) -> FacesFound | PersonPicturesDue | None:
    """As its renditions are ready."""
    return find_faces(
        RenditionsReady(photo.image_id, photo.owner),
        table=stores.table,
        blobs=stores.blobs,
        engine=stores.engine,
        pipeline=stores.pipeline,
        keyring=stores.keyring,
    )


def find_again(photo: Photo, stores: Stores) -> FacesFound | PersonPicturesDue | None:
    """As its faces are wanted."""
    return find_faces(
        FacesWanted(photo.image_id, photo.owner),
        table=stores.table,
        blobs=stores.blobs,
        engine=stores.engine,
        pipeline=stores.pipeline,
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
    return {blob.key for blob in stores.blobs.list(blob_keys.FACE_THUMBS).blobs}


def crops_of(faces: Iterable[Face]) -> set[str]:
    return {str(face.thumb_key) for face in faces}


class FailingBlobs(MemoryBlobs):
    """Raises Unavailable once, at the write or deletion after `after` others."""

    def __init__(self, *, after: int) -> None:
        super().__init__(keyring=KEYRING)
        self._left = after

    def put(self, key: str, chunks: Iterable[bytes], **options: Any) -> BlobInfo:
        self._count()
        return super().put(key, chunks, **options)

    def delete(self, key: str) -> None:
        self._count()
        super().delete(key)

    def _count(self) -> None:
        self._left -= 1
        if self._left == -1:
            raise Unavailable("the power is out")


ANNA, BERT, CARL = (found_face(like) for like in range(3))


def checked_faces(photo: Photo, stores: Stores) -> list[Face]:
    """The photo's faces, each with its crop, and counted."""
    faces = faces_in(photo, stores.table)
    assert crops(stores) == crops_of(faces)
    assert photo_now(photo, stores).face_count == len(faces)
    check_settled(stores.table)
    return faces


def persons_of(faces: list[Face]) -> list[str | None]:
    return [face.person_id for face in faces]


def beside(box: Box, moved: float) -> Box:
    return Box(box.left + moved, box.top, box.width, box.height)


def nothing() -> None:
    pass
