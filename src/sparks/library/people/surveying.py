"""All faces and persons there are, for whoever runs Sparks: counted, or told one by one.

From the lists of the index, which may be a moment behind. A face that becomes somebody's meanwhile is told once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.face_lists import listed_faces
from sparks.library.people.redirects import CANONICAL, Redirects
from sparks.library.records import from_item
from sparks.model.face import Face
from sparks.model.person import Person
from sparks.model.photo import FaceStatus, Photo
from sparks.table.port import Table, Within, every

_TOLD: Final = frozenset({"entityType", "owner", "bbox", "engine", "indexedAt", "confidence", "quality"})
_STATUS: Final = frozenset({"status"})
_FACES: Final = "memberCount"
_NAME: Final = "displayName"
_COUNTED: Final = frozenset({CANONICAL, _FACES, _NAME})
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class SeenFace:
    """A face with its photo and whose it is, at the end of all redirects."""

    face: Face
    photo: Photo
    person: Person | None


@dataclass(frozen=True, slots=True)
class Survey:
    """`photos` by how far their faces are, `faces` by the engine that found them; those that people drew have none.
    `waiting` are faces of nobody, `persons` those who have a face, `forgotten` those who are not to be recognised.
    """

    photos: Mapping[FaceStatus, int]
    faces: Mapping[str | None, int]
    waiting: int
    persons: int
    named: int
    hidden: int
    suggestions: int
    forgotten: int


@dataclass(frozen=True, slots=True)
class PeopleCount:
    persons: int
    named: int
    faces: int


def survey(*, table: Table) -> Survey:
    persons = list(_persons(table))
    found = list(all_faces(persons, table=table))
    resolve = Redirects(table)
    shown = {resolve(face.person_id) for face in found if face.person_id is not None}
    there = [person for person in persons if person.person_id in shown]
    return Survey(
        photos=_photos_by_status(table),
        faces=Counter(face.engine for face in found),
        waiting=sum(face.person_id is None for face in found),
        persons=len(there),
        named=sum(person.is_named for person in there),
        hidden=sum(person.hidden for person in there),
        suggestions=_count(entity_types.SUGGESTIONS, table),
        forgotten=_count(keys.UNRECOGNISED, table),
    )


def count_persons(*, table: Table) -> int:
    """All who have a face, whoever may see them: as `survey` does, by what is counted already."""
    return count_people(table=table).persons


def count_people(*, table: Table) -> PeopleCount:
    """The same with those who are named, and the faces that are somebody's. It reads one row a person."""
    rows = list(every(table, entity_types.PERSONS, only=_COUNTED))
    there = [row for row in rows if CANONICAL not in row and row.get(_FACES, 0) > 0]
    named = sum(row.get(_NAME, row["SK"]) != row["SK"] for row in there)
    return PeopleCount(persons=len(there), named=named, faces=sum(row.get(_FACES, 0) for row in rows))


def seen_faces(*, table: Table) -> Iterator[SeenFace]:
    """Every face of every photo that is there, the oldest photos first."""
    persons = {person.person_id: person for person in _persons(table)}
    resolve = Redirects(table)
    faces = sorted(all_faces(persons.values(), table=table), key=lambda face: (face.image_id, face.face_id))
    for start in range(0, len(faces), _AT_ONCE):
        some = faces[start : start + _AT_ONCE]
        rows = table.get_many(list({keys.photo(face.image_id, face.owner) for face in some}))
        photos = {item["PK"]: from_item(Photo, item) for item in rows.values()}
        for face in some:
            if face.image_id in photos:
                person = None if face.person_id is None else persons.get(resolve(face.person_id))
                yield SeenFace(face, photos[face.image_id], person)


def all_faces(persons: Iterable[Person], *, table: Table) -> Iterator[Face]:
    """Those of these persons and those of nobody, each once, without what an engine made of them."""
    told: set[str] = set()
    for item in listed_faces((person.person_id for person in persons), only=_TOLD, table=table):
        face = from_item(Face, item)
        if face.face_id not in told:
            told.add(face.face_id)
            yield face


def _persons(table: Table) -> Iterator[Person]:
    return (from_item(Person, item) for item in every(table, entity_types.PERSONS))


def _count(within: Within, table: Table) -> int:
    return sum(1 for _ in every(table, within, only=frozenset()))


def _photos_by_status(table: Table) -> dict[FaceStatus, int]:
    lists = entity_types.FEED, entity_types.PRIVATE
    told = (item.get("status") for within in lists for item in every(table, within, only=_STATUS))
    counts = Counter(FaceStatus.RAW if status is None else FaceStatus(status) for status in told)
    return {status: counts[status] for status in FaceStatus}
