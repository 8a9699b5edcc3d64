"""Computes the plan of a full rebuild from all faces and decisions."""

from datetime import datetime
from typing import Final

import numpy as np

from sparks.library import entity_types
from sparks.library.face_index import FaceIndex
from sparks.library.people.decision_log import all_decisions
from sparks.library.people.redirects import Redirects
from sparks.library.records import read_items
from sparks.model.ids import random_id
from sparks.model.person import Person
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.people.change_plan import StoredPlan, new_plan
from sparks.people.clustering.constraints import Constraints, with_near_duplicates
from sparks.people.clustering.face_columns import FaceColumns, Vectors
from sparks.people.clustering.group_faces import group_faces
from sparks.people.clustering.neighbor_graph import Nearest
from sparks.people.constraints_from_decisions import constraints_for
from sparks.people.face_arrays import Rows, columns_of, read_all_faces, thresholds_of
from sparks.people.grouping_result import result_of
from sparks.table.port import Table, every

MAX_COMPARED_DIRECTLY: Final = 20_000  # faces; of more, the neighbors come from the index


def compute_plan(*, at: datetime, table: Table, index: FaceIndex, pipeline: FacePipelineSettings) -> StoredPlan:
    """Changes nothing but the person counter, from which new persons get their ids.

    Persons, faces and decisions are read from indexes, which may lag. So each step of the plan checks the rows before
    it changes anything.
    """
    persons = {each.person_id: each for each in read_items(Person, every(table, entity_types.PERSONS))}
    rows = read_all_faces(persons, table=table)
    columns = columns_of(rows.values(), pipeline)
    nearest = _nearest_in_index(columns, index, at)
    constraints = _constraints(rows, columns, persons, nearest, pipeline, table)
    grouping = group_faces(columns, thresholds=thresholds_of(pipeline), constraints=constraints, nearest=nearest)
    return new_plan(
        random_id(),
        result_of(grouping, rows, constraints, table=table).steps,
        grouping.doubts,
        engine=pipeline.engine,
        made_at=at,
        faces=len(columns),
        decided={person.person_id: person.decision_count for person in persons.values()},
    )


def _nearest_in_index(columns: FaceColumns, index: FaceIndex, at: datetime) -> Nearest | None:
    """None where all faces can be compared with each other."""
    if len(columns) <= MAX_COMPARED_DIRECTLY:
        return None
    index.catch_up(at=at)
    return index.nearest


def _constraints(
    rows: Rows,
    columns: FaceColumns,
    persons: dict[str, Person],
    nearest: Nearest | None,
    pipeline: FacePipelineSettings,
    table: Table,
) -> Constraints:
    thresholds = thresholds_of(pipeline)
    constraints = constraints_for(
        rows,
        columns,
        persons=persons,
        decisions=all_decisions(table=table),
        resolve=Redirects(table),
        thresholds=thresholds,
    )
    return with_near_duplicates(constraints, columns, nearest=nearest or _nearest_among(columns), thresholds=thresholds)


def _nearest_among(columns: FaceColumns) -> Nearest:
    """A comparison with all columns, for the few faces that were rejected."""

    def nearest(vector: Vectors, most: int, at_least: float) -> list[tuple[str, float]]:
        similarities = columns.vectors @ vector
        order = np.argsort(-similarities, kind="stable")[:most]
        return [(columns.ids[row], float(similarities[row])) for row in order if similarities[row] >= at_least]

    return nearest
