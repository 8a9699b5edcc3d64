"""New faces since a checkpoint, the faces near them, and decisions about those."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sparks.library import entity_types
from sparks.library.face_index import FaceIndex
from sparks.library.face_log import OVERLAP, entries_between, faces_by_id
from sparks.library.people.photo_faces import decisions_about, find_persons
from sparks.library.people.redirects import Redirects, merged_into
from sparks.library.records import from_item
from sparks.model.face import Face, FaceChange
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.people.clustering.constraints import Constraints, with_near_duplicates
from sparks.people.clustering.face_columns import FaceColumns
from sparks.people.clustering.new_faces import near_faces
from sparks.people.constraints_from_decisions import Resolve, constraints_for
from sparks.people.face_arrays import Rows, by_engine_person, columns_of, faces_of_person, thresholds_of
from sparks.table.port import Table, every


@dataclass(frozen=True, slots=True)
class AffectedFaces:
    """`new` are the new faces and the unassigned faces near them; `known` the faces near them of each engine person;
    `rows` the rows of all these faces.
    """

    new: FaceColumns
    known: Mapping[str, FaceColumns]
    rows: Rows
    constraints: Constraints
    resolve: Resolve


def affected_by(new: Rows, *, pipeline: FacePipelineSettings, index: FaceIndex, table: Table) -> AffectedFaces:
    """Finds faces that the index has; the caller lets it catch up before."""
    thresholds = thresholds_of(pipeline)
    resolve = Redirects(table)
    new_columns = columns_of(new.values(), pipeline)
    near = faces_by_id(near_faces(new_columns, nearest=index.nearest, thresholds=thresholds), table=table)
    new_and_near = {**near, **new}
    persons = sorted({resolve(face.person_id) for face in new_and_near.values() if face.person_id is not None})
    rows = {face.face_id: face for person in persons for face in faces_of_person(person, table=table)} | new_and_near
    with_merged = [each for person in persons for each in (person, *merged_into(person, table=table))]
    columns = columns_of(rows.values(), pipeline)
    constraints = constraints_for(
        rows,
        columns,
        persons=find_persons(with_merged, table=table),
        decisions=[each for person in with_merged for each in decisions_about(person, table=table)],
        resolve=resolve,
        thresholds=thresholds,
    )
    unassigned = {face_id for face_id, face in near.items() if face.person_id is None}
    return AffectedFaces(
        columns.only({*new_columns.ids, *unassigned}),
        by_engine_person(rows, columns),
        rows,
        with_near_duplicates(constraints, columns, nearest=index.nearest, thresholds=thresholds),
        resolve,
    )


@dataclass(frozen=True, slots=True)
class NewFaces:
    """`rows` are the faces to group: those that came up to `checkpoint`, `count` of them, and earlier ones that are
    still unassigned. `more` says that there are newer ones.
    """

    rows: Rows
    count: int
    checkpoint: datetime
    more: bool


def new_faces_since(checkpoint: datetime | None, *, at: datetime, most: int, table: Table) -> NewFaces:
    """The oldest first, and about `most` of them: faces of the same moment are not separated. Without a checkpoint, all
    unassigned faces are new.
    """
    came = _unassigned(table) if checkpoint is None else _logged(checkpoint, at, table)
    new: dict[str, datetime] = {}
    until, more = at, False
    for time, face_id in came:
        if len(new) >= most and time > until:
            more = True
            break
        new[face_id] = time
        until = time if len(new) >= most else at
    rows = faces_by_id(new, table=table)
    late = {} if checkpoint is None else _late(checkpoint, table)
    return NewFaces({**late, **rows}, len(rows), until, more)


def _logged(checkpoint: datetime, at: datetime, table: Table) -> Iterator[tuple[datetime, str]]:
    for entry in entries_between(checkpoint, at, table=table):
        if entry.change is FaceChange.ADDED and entry.indexed_at > checkpoint:
            yield entry.indexed_at, entry.face_id


def _late(checkpoint: datetime, table: Table) -> Rows:
    """Unassigned faces whose log entries may have been written after the last run read the log."""
    entries = entries_between(checkpoint - OVERLAP, checkpoint, table=table)
    rows = faces_by_id([entry.face_id for entry in entries if entry.change is FaceChange.ADDED], table=table)
    return {face_id: face for face_id, face in rows.items() if face.person_id is None}


def _unassigned(table: Table) -> list[tuple[datetime, str]]:
    faces = (from_item(Face, item) for item in every(table, entity_types.FACES_UNASSIGNED))
    return sorted((face.indexed_at, face.face_id) for face in faces if face.indexed_at is not None)
