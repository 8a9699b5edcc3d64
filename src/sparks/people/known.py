"""The faces that are there, as grouping wants them.

[Note: homes] Faces of a person whom others were merged into stay told apart by whom the engine took them for: their
home. Groups are made of homes. So a merge of two who look nothing alike, a child and the adult, does not blur what
either of them is like, and undone it leaves two persons again. To people, all homes of a person are one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from sparks.library import entity_types
from sparks.library.face_index import vector_of
from sparks.library.face_lists import listed_faces
from sparks.library.people import merged_into, resolve_person
from sparks.library.records import from_item
from sparks.model.face import Face
from sparks.model.terms import FaceTerms
from sparks.people.groups.faces import Faces, faces_of
from sparks.people.groups.rule import Rule
from sparks.table.port import Table, every
from sparks.vectors.port import Vector

Rows = Mapping[str, Face]
"""Faces by their ids, as their rows are."""


def rule_of(terms: FaceTerms) -> Rule:
    return Rule(candidate=terms.candidate, strong=terms.strong, founding_quality=terms.founding)


def home_of(face: Face) -> str | None:
    """Whose it is when groups are made: of one that people decided about, whom they said; of any other, the person whom
    the engine takes it for. None is nobody, and waits.
    """
    return face.person_id if face.by_hand or face.person_id is None else face.home


def homes_of(rows: Rows) -> dict[str, str]:
    """By face, of those that are somebody's."""
    homes = {face_id: home_of(face) for face_id, face in rows.items()}
    return {face_id: home for face_id, home in homes.items() if home is not None}


def vector_in(face: Face, terms: FaceTerms) -> Vector | None:
    """None where it cannot be compared: another engine made it, or none, or it has no direction."""
    if face.embedding is None or face.engine != terms.engine:
        return None
    return vector_of(face.embedding, terms.dimensions)


def columns_of(faces: Iterable[Face], terms: FaceTerms) -> Faces:
    """Those that can be compared."""
    vectors = {face.face_id: (face, vector) for face in faces if (vector := vector_in(face, terms)) is not None}
    known = [face for face, _ in vectors.values()]
    return faces_of(
        [face.face_id for face in known],
        [face.image_id for face in known],
        [vector for _, vector in vectors.values()],
        [face.quality or 0.0 for face in known],
    )


def by_home(rows: Rows, columns: Faces) -> dict[str, Faces]:
    """The faces of each home, out of the columns of these rows; of one whose faces cannot be compared, none."""
    parts: dict[str, set[str]] = defaultdict(set)
    for face_id, home in homes_of(rows).items():
        parts[home].add(face_id)
    return {home: columns.only(face_ids) for home, face_ids in parts.items()}


def faces_of_person(person_id: str, *, table: Table) -> Iterator[Face]:
    """All faces of the person whom the id leads to, also those that have yet to follow a merge. From an index, which
    may be a moment behind: the rows decide when something is done to a face.
    """
    person_id = resolve_person(person_id, table=table)
    for each in (person_id, *merged_into(person_id, table=table)):
        yield from (from_item(Face, item) for item in every(table, entity_types.face(each)))


def all_faces(person_ids: Iterable[str], *, table: Table) -> dict[str, Face]:
    """All faces of these persons, those merged included, and all that wait; each as it was read last."""
    faces = (from_item(Face, item) for item in listed_faces(person_ids, table=table))
    return {face.face_id: face for face in faces}
