"""Sets of faces of any size, grown from the labelled photos, and libraries of them, written straight to the table.

A helper of `benchmarks.people_scale`. Turned round as a whole, the labelled persons are as many new ones, who are as
much alike as the real ones are; with a little noise, each of their photos was taken some more times.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.labelled import OWNER, labelled_photos
from benchmarks.library import AT_ONCE, Row
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.library.people.replay_decisions import new_person
from sparks.library.records import to_item
from sparks.model.face import Box, Face, FaceById
from sparks.model.ids import image_id_at, person_id
from sparks.model.person import PersonCounter
from sparks.model.photo import FaceStatus, Photo, PhotoState, ProcessingStatus
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.table.port import Item
from sparks.table.sqlite import PUT, row_of
from sparks.vectors.port import Vector

TIMES: Final = 10  # that each photo was taken
NOISE: Final = 0.04  # two of those are alike by .83
SINCE: Final = datetime(2024, 1, 1, tzinfo=UTC)
APART: Final = timedelta(seconds=30)
BOX: Final = Box(0.4, 0.3, 0.2, 0.25)
QUALITY: Final = 0.9

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Faces, and the number of the person that each of them is."""

    vectors: Vector
    persons: Numbers

    def __len__(self) -> int:
        return len(self.persons)

    def part(self, start: int, end: int) -> "Crowd":
        return Crowd(self.vectors[start:end], self.persons[start:end])


def labelled_crowd() -> Crowd:
    """The face of each labelled photo."""
    vectors, labels = [], []
    with OpenCvEngine() as engine:
        for path in labelled_photos():
            with path.open("rb") as file:
                for face in engine.find_faces(file.fileno())[:1]:
                    vectors.append(np.frombuffer(face.embedding, "<f2").astype(np.float32))
                    labels.append(path.parent.name)
    return Crowd(np.stack(vectors), np.unique(labels, return_inverse=True)[1])


def grown(real: Crowd, count: int) -> Crowd:
    """So many faces, in a random order."""
    random = np.random.default_rng(1)
    copies = -(-count // (len(real) * TIMES))
    vectors = np.concatenate([taken_again(real.vectors, random) for _ in range(copies)])
    persons = [np.repeat(real.persons + copy * (real.persons.max() + 1), TIMES) for copy in range(copies)]
    chosen = random.permutation(len(vectors))[:count]
    return Crowd(vectors[chosen], np.concatenate(persons)[chosen])


def taken_again(vectors: Vector, random: np.random.Generator) -> Vector:
    turned, _ = np.linalg.qr(random.standard_normal((vectors.shape[1], vectors.shape[1])))
    seen = np.repeat(vectors @ turned.astype(np.float32), TIMES, axis=0)
    seen += NOISE * random.standard_normal(seen.shape, dtype=np.float32)
    lengths: Vector = np.linalg.norm(seen, axis=1, keepdims=True)
    return np.asarray(seen / lengths, np.float32)


# -- In the table


def fill_with(crowd: Crowd, database: Path, pipeline: FacePipelineSettings) -> None:
    """A photo for each face, and the persons whose they are, into an empty table."""
    connection = apsw.Connection(str(database))
    for pragma in ("synchronous=OFF", "cache_size=-200000"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    rows = (row_of(item) for item in _items(crowd, pipeline))
    while batch := list(islice(rows, AT_ONCE)):
        _insert(connection, batch)
    connection.close()


def photo_and_face(vector: Vector, number: int, pipeline: FacePipelineSettings) -> tuple[Photo, Face]:
    """A photo with a face that has no person yet."""
    at = SINCE + APART * number
    photo = Photo(
        image_id=image_id_at(at),
        owner=OWNER,
        state=PhotoState.READY,
        processing_status=ProcessingStatus.COMPLETED,
        face_status=FaceStatus.INDEXED,
        face_engine=pipeline.engine,
        face_count=1,
        uploaded_at=at,
    )
    face = Face(
        image_id=photo.image_id,
        face_id=f"{number:08x}-0000-4000-8000-000000000000",
        owner=OWNER,
        box=BOX,
        quality=QUALITY,
        confidence=99.0,
        engine=pipeline.engine,
        embedding=vector.astype("<f2").tobytes(),
        indexed_at=at,
    )
    return photo, face


def _items(crowd: Crowd, pipeline: FacePipelineSettings) -> Iterator[Item]:
    ids = [person_id(number + 1) for number in range(int(crowd.persons.max()) + 1)]
    for number, (vector, person) in enumerate(zip(crowd.vectors, crowd.persons, strict=True)):
        photo, face = photo_and_face(vector, number, pipeline)
        yield to_item(replace(photo, persons=(ids[person],)))
        yield to_item(replace(face, person_id=ids[person]))
        yield to_item(FaceById(face_id=face.face_id, image_id=face.image_id, owner=face.owner))
    for each, count in zip(ids, np.bincount(crowd.persons).tolist(), strict=True):
        yield to_item(replace(new_person(each, at=SINCE), member_count=count, photo_count=count))
    yield to_item(PersonCounter(last_number=len(ids)))


def _insert(connection: apsw.Connection, rows: list[Row]) -> None:
    with connection:
        connection.executemany(PUT, rows)
