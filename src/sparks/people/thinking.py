"""All faces and all that people said, thought over: what a full rebuild is to do."""

from datetime import datetime
from typing import Final

import numpy as np

from sparks.library import entity_types
from sparks.library.face_index import FaceIndex
from sparks.library.people import all_decisions
from sparks.library.people.redirects import Redirects
from sparks.library.records import from_item
from sparks.model.ids import random_id
from sparks.model.person import Person
from sparks.model.terms import FaceTerms
from sparks.people.groups.constraints import Constraints, with_twins
from sparks.people.groups.edges import Nearest
from sparks.people.groups.faces import Faces, Vectors
from sparks.people.groups.grouping import group_faces
from sparks.people.kept_plan import KeptPlan, new_plan
from sparks.people.known import Rows, all_faces, columns_of, rule_of
from sparks.people.outcome import outcome_of
from sparks.people.said import constraints_for
from sparks.table.port import Table, every

MANY: Final = 20_000  # faces; of more, those that are near come from the index


def think_over(*, at: datetime, table: Table, index: FaceIndex, terms: FaceTerms) -> KeptPlan:
    """Changes nothing but the counter, from which those who are new have their ids.

    [Note: lists] Persons, faces and decisions are read from lists that may be a moment behind. So each step of the plan
    looks at the rows themselves before it changes anything.
    """
    persons = {item["SK"]: from_item(Person, item) for item in every(table, entity_types.PERSONS)}
    rows = all_faces(persons, table=table)
    columns = columns_of(rows.values(), terms)
    nearest = _nearest(columns, index, at)
    said = _said(rows, columns, persons, nearest, terms, table)
    grouping = group_faces(columns, rule=rule_of(terms), constraints=said, nearest=nearest)
    return new_plan(
        random_id(),
        outcome_of(grouping, rows, said, table=table).steps,
        grouping.doubts,
        engine=terms.engine,
        made_at=at,
        faces=len(columns),
        decided={person.person_id: person.decision_count for person in persons.values()},
    )


def _said(
    rows: Rows,
    columns: Faces,
    persons: dict[str, Person],
    nearest: Nearest | None,
    terms: FaceTerms,
    table: Table,
) -> Constraints:
    rule, resolve = rule_of(terms), Redirects(table)
    decisions = all_decisions(table=table)
    said = constraints_for(rows, columns, persons=persons, decisions=decisions, resolve=resolve, rule=rule)
    return with_twins(said, columns, nearest=nearest or _compared(columns), rule=rule)


def _nearest(columns: Faces, index: FaceIndex, at: datetime) -> Nearest | None:
    """None where all can be compared with all."""
    if len(columns) <= MANY:
        return None
    index.catch_up(at=at)
    return index.nearest


def _compared(columns: Faces) -> Nearest:
    """For the few faces that are asked about."""

    def nearest(vector: Vectors, most: int, at_least: float) -> list[tuple[str, float]]:
        alike = columns.vectors @ vector
        rows = [int(row) for row in np.argsort(-alike, kind="stable")[:most] if alike[row] >= at_least]
        return [(columns.ids[row], float(alike[row])) for row in rows]

    return nearest
