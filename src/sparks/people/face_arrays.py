"""Stored faces as arrays for clustering, grouped by the person the engine chose.

[Note: engine persons] Of a merged person, each face keeps the engine person, to whom the engine assigned it before the
merge, and groups are made of engine persons. So merging a child and the adult, who look different, does not blur either
of them, and undoing the merge restores two persons. Users see all engine persons of a merged person as one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from sparks.library import entity_types
from sparks.library.face_index import listed_faces, vector_of
from sparks.library.people.redirects import merged_into, resolve_person
from sparks.library.records import from_item
from sparks.model.face import Face
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.people.clustering.constraints import GroupingThresholds
from sparks.people.clustering.face_columns import FaceColumns, faces_of
from sparks.table.port import Table, every
from sparks.vectors.port import Vector

Rows = Mapping[str, Face]
"""Face rows by face id."""


def thresholds_of(pipeline: FacePipelineSettings) -> GroupingThresholds:
    return GroupingThresholds(candidate=pipeline.candidate, strong=pipeline.strong, founding_quality=pipeline.founding)


def engine_person_of(face: Face) -> str | None:
    """The person of a face for grouping: the one people chose, else the one the engine chose. None if unassigned."""
    return face.person_id if face.by_hand or face.person_id is None else face.engine_person_id


def engine_persons_of(rows: Rows) -> dict[str, str]:
    """The engine person of each assigned face."""
    found = {face_id: engine_person_of(face) for face_id, face in rows.items()}
    return {face_id: engine_person for face_id, engine_person in found.items() if engine_person is not None}


def vector_in(face: Face, pipeline: FacePipelineSettings) -> Vector | None:
    """None where the face cannot be compared: it has no embedding, one of another engine, or a vector of zeros."""
    if face.embedding is None or face.engine != pipeline.engine:
        return None
    return vector_of(face.embedding, pipeline.dimensions)


def columns_of(faces: Iterable[Face], pipeline: FacePipelineSettings) -> FaceColumns:
    """Columns of the faces that can be compared."""
    vectors = {face.face_id: (face, vector) for face in faces if (vector := vector_in(face, pipeline)) is not None}
    comparable = [face for face, _ in vectors.values()]
    return faces_of(
        [face.face_id for face in comparable],
        [face.image_id for face in comparable],
        [vector for _, vector in vectors.values()],
        [face.quality or 0.0 for face in comparable],
    )


def by_engine_person(rows: Rows, columns: FaceColumns) -> dict[str, FaceColumns]:
    """The columns of each engine person of these rows; empty for one whose faces cannot be compared."""
    face_ids: dict[str, set[str]] = defaultdict(set)
    for face_id, engine_person in engine_persons_of(rows).items():
        face_ids[engine_person].add(face_id)
    return {engine_person: columns.only(ids) for engine_person, ids in face_ids.items()}


def faces_of_person(person_id: str, *, table: Table) -> Iterator[Face]:
    """All faces of the person to whom the id redirects, including faces that have yet to follow a merge.

    They are read from an index, which may lag: a step that changes a face checks its row.
    """
    person_id = resolve_person(person_id, table=table)
    for each in (person_id, *merged_into(person_id, table=table)):
        yield from (from_item(Face, item) for item in every(table, entity_types.face(each)))


def read_all_faces(person_ids: Iterable[str], *, table: Table) -> dict[str, Face]:
    """All faces of these persons, and all unassigned faces; of a face that is listed twice, the row read last."""
    faces = (from_item(Face, item) for item in listed_faces(person_ids, table=table))
    return {face.face_id: face for face in faces}
