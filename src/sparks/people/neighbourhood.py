"""New faces with all that they may have to do with: who is near to one of them, and what people said about those."""

from collections.abc import Mapping
from dataclasses import dataclass

from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.people import decisions_about, find_persons, merged_into
from sparks.library.people.redirects import Redirects
from sparks.model.person import Decision
from sparks.model.terms import FaceTerms
from sparks.people.groups.arrival import near_faces
from sparks.people.groups.constraints import Constraints, with_twins
from sparks.people.groups.faces import Faces
from sparks.people.known import Rows, by_home, columns_of, faces_of_person, rule_of
from sparks.people.said import Resolve, constraints_for
from sparks.table.port import Table


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """`new` are the faces that came and those near to them that wait; `known` the faces of each home near to them, and
    `rows` all of these as they are in the table.
    """

    new: Faces
    known: Mapping[str, Faces]
    rows: Rows
    said: Constraints
    resolve: Resolve


def neighbourhood_of(arrived: Rows, *, terms: FaceTerms, index: FaceIndex, table: Table) -> Neighbourhood:
    """As far as the index has caught up."""
    rule = rule_of(terms)
    resolve = Redirects(table)
    came = columns_of(arrived.values(), terms)
    near = faces_by_id(near_faces(came, nearest=index.nearest, rule=rule), table=table)
    looked_up = {**near, **arrived}
    persons = sorted({resolve(face.person_id) for face in looked_up.values() if face.person_id is not None})
    theirs = {face.face_id: face for person in persons for face in faces_of_person(person, table=table)}
    rows = theirs | looked_up
    everyone = [each for person in persons for each in (person, *merged_into(person, table=table))]
    columns = columns_of(rows.values(), terms)
    said = constraints_for(
        rows,
        columns,
        persons=find_persons(everyone, table=table),
        decisions=_decisions(everyone, table),
        resolve=resolve,
        rule=rule,
    )
    new = columns.only({*came.ids, *(face_id for face_id, face in near.items() if face.person_id is None)})
    said = with_twins(said, columns, nearest=index.nearest, rule=rule)
    return Neighbourhood(new, by_home(rows, columns), rows, said, resolve)


def _decisions(persons: list[str], table: Table) -> list[Decision]:
    return [decision for person in persons for decision in decisions_about(person, table=table)]
