"""Persons that a face resembles, for selfies and profile pictures that are not stored.

The faces nearest to it give the candidates. The score of a candidate is the average similarity to the more similar half
of their good faces: people age and wear glasses, and one similar face is no proof. The score of a merged person is that
of their most similar engine person.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from sparks.library.face_index import FaceIndex, vector_of
from sparks.library.face_log import faces_by_id
from sparks.library.people.redirects import Redirects
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.people.clustering.face_columns import FaceColumns, Vectors
from sparks.people.clustering.new_faces import CLEAR_MARGIN
from sparks.people.face_arrays import Rows, by_engine_person, columns_of, faces_of_person
from sparks.table.port import Table

MAX_NEIGHBORS: Final = 300  # faces that give the candidates
MAX_PERSONS: Final = 20
MAX_FACES: Final = 500  # of a person
MIN_COUNTED: Final = 3  # faces; of so few, all count


@dataclass(frozen=True, slots=True)
class Likeness:
    """`score` is a similarity, comparable with the engine's thresholds."""

    person_id: str
    score: float


@dataclass(frozen=True, slots=True)
class RecognitionResult:
    """Persons similar to a face, the most similar first; those whose face it certainly is; and the one person who is
    clearly more similar than all others, if any.
    """

    alike: tuple[Likeness, ...] = ()
    certain: frozenset[str] = frozenset()
    clear: str | None = None


def recognize(
    embedding: bytes, quality: float, *, index: FaceIndex, pipeline: FacePipelineSettings, table: Table
) -> RecognitionResult:
    """`embedding` is of the engine in the pipeline settings. A face too poor to found a person is certainly of none."""
    vector = vector_of(embedding, pipeline.dimensions)
    if vector is None:
        return RecognitionResult()
    scored = (
        Likeness(person_id, max((_score(vector, faces, pipeline) for faces in by_engine.values()), default=-1.0))
        for person_id, by_engine in _persons_near(vector, index, pipeline, table).items()
    )
    alike = sorted(
        (one for one in scored if one.score >= pipeline.candidate), key=lambda one: (-one.score, one.person_id)
    )
    certain = [one for one in alike if one.score >= pipeline.strong and quality >= pipeline.founding]
    clear = certain and (len(alike) == 1 or alike[0].score >= alike[1].score + CLEAR_MARGIN)
    return RecognitionResult(
        tuple(alike), frozenset(one.person_id for one in certain), alike[0].person_id if clear else None
    )


def _persons_near(
    vector: Vectors, index: FaceIndex, pipeline: FacePipelineSettings, table: Table
) -> dict[str, dict[str, FaceColumns]]:
    """The candidates, each with their faces by engine person."""
    near = [each.face_id for each in index.nearest(vector, MAX_NEIGHBORS, pipeline.candidate)]
    faces = faces_by_id(near, table=table)
    resolve = Redirects(table)
    assigned = (faces[face_id].person_id for face_id in near if face_id in faces)
    candidates = dict.fromkeys(resolve(person_id) for person_id in assigned if person_id is not None)
    rows_of = {person_id: _rows(person_id, table) for person_id in islice(candidates, MAX_PERSONS)}
    return {
        person_id: by_engine_person(rows, columns_of(rows.values(), pipeline)) for person_id, rows in rows_of.items()
    }


def _rows(person_id: str, table: Table) -> Rows:
    return {face.face_id: face for face in islice(faces_of_person(person_id, table=table), MAX_FACES)}


def _score(vector: Vectors, faces: FaceColumns, pipeline: FacePipelineSettings) -> float:
    """Faces of poor quality count only where there is no good one."""
    is_good = faces.quality >= pipeline.founding
    vectors = faces.vectors[is_good] if is_good.any() else faces.vectors
    return _average_of_best(vectors @ (vector / np.linalg.norm(vector))) if len(vectors) else -1.0


def _average_of_best(similarities: Iterable[float]) -> float:
    best = sorted(map(float, similarities), reverse=True)
    counted = best[: max(MIN_COUNTED, math.ceil(len(best) / 2))]
    return sum(counted) / len(counted)
