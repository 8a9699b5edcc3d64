"""Photos that come in a random order, into a library in memory, whose jobs are the real ones.

A helper of `benchmarks.faces`: what the engine found is known, and is kept as it would be at that moment.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from sparks.library import entity_types
from sparks.library.face_index import FaceIndex
from sparks.library.people.face_rows import store_face
from sparks.library.records import from_item, to_item
from sparks.model.events import FacesFound
from sparks.model.face import Face
from sparks.model.person import Person
from sparks.model.photo import Photo, PhotoState
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.model.times import now
from sparks.people.assign_faces import place_faces
from sparks.people.face_arrays import read_all_faces
from sparks.people.group_new_faces import regroup_faces
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, every
from sparks.vectors.memory import MemoryVectors

BATCH: Final = 40  # faces that come between two runs of the incremental job


def arrived(faces: Iterable[Face], pipeline: FacePipelineSettings, *, seed: int, batch: int = BATCH) -> dict[str, str]:
    """By face whose it is in the end: clear ones are placed at once, and the incremental job runs after each batch."""
    library = Arriving(pipeline)
    coming = 0
    for photo in shuffled(faces, seed):
        library.take(photo)
        coming += len(photo)
        if coming >= batch:
            library.think_over()
            coming = 0
    library.think_over()
    return library.persons()


def shuffled(faces: Iterable[Face], seed: int) -> Iterator[Sequence[Face]]:
    """The faces of one photo after the other."""
    by_photo: dict[str, list[Face]] = defaultdict(list)
    for face in sorted(faces, key=lambda face: (face.image_id, face.face_id)):
        by_photo[face.image_id].append(face)
    photos = list(by_photo.values())
    random.Random(seed).shuffle(photos)
    yield from photos


class Arriving:
    def __init__(self, pipeline: FacePipelineSettings) -> None:
        self._table = MemoryTable()
        self._pipeline = PipelineSettings(faces=pipeline)
        self._index = FaceIndex(MemoryVectors(pipeline.dimensions), engine=pipeline.engine, table=self._table)

    def take(self, faces: Sequence[Face]) -> None:
        image_id, owner = faces[0].image_id, faces[0].owner
        self._table.write(Put(to_item(Photo(image_id=image_id, owner=owner, state=PhotoState.READY))))
        for face in faces:
            fresh = replace(face, person_id=None, stored_engine_person_id=None, indexed_at=now())
            store_face(fresh, at=now(), table=self._table)
        self._index.catch_up(at=now())
        place_faces(FacesFound(image_id, owner), table=self._table, index=self._index, pipeline=self._pipeline)

    def think_over(self) -> None:
        regroup_faces(table=self._table, index=self._index, pipeline=self._pipeline, at=now())

    def persons(self) -> dict[str, str]:
        known = [from_item(Person, item).person_id for item in every(self._table, entity_types.PERSONS)]
        faces = read_all_faces(known, table=self._table).values()
        return {face.face_id: face.person_id for face in faces if face.person_id is not None}
