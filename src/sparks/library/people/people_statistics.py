"""Counts and lists of all faces and persons, for administrators and export.

They come from the lists of the index, which may be a moment behind. A face that is assigned meanwhile is counted once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.face_index import listed_faces
from sparks.library.people.redirects import CANONICAL, Redirects
from sparks.library.records import read_items
from sparks.model.face import Face
from sparks.model.person import Person
from sparks.model.photo import FaceStatus, Photo
from sparks.table.port import Table, Within, every

_TOLD: Final = frozenset({"entityType", "owner", "bbox", "engine", "indexedAt", "confidence", "quality"})
_STATUS: Final = frozenset({"entityType", "status"})
_FACES: Final = "memberCount"
_NAME: Final = "displayName"
_COUNTED: Final = frozenset({CANONICAL, _FACES, _NAME})
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class FaceWithPerson:
    """A face with its photo and its person, at the end of all redirects."""

    face: Face
    photo: Photo
    person: Person | None


@dataclass(frozen=True, slots=True)
class PeopleStatistics:
    """`photos` by face status, `faces` by the engine that found them; manual faces have none. `waiting` are unassigned
    faces, `persons` those with a face, `forgotten` the recognition opt-outs.
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


def people_statistics(*, table: Table) -> PeopleStatistics:
    persons = list(_persons(table))
    found = list(iterate_faces(persons, table=table))
    resolve = Redirects(table)
    shown = {resolve(face.person_id) for face in found if face.person_id is not None}
    there = [person for person in persons if person.person_id in shown]
    return PeopleStatistics(
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
    """All persons with a face, regardless of who may see them, from the stored counters."""
    return count_people(table=table).persons


def count_people(*, table: Table) -> PeopleCount:
    """As `count_persons`, with the named persons and the assigned faces. It reads one row for each person."""
    persons = list(read_items(Person, every(table, entity_types.PERSONS, only=_COUNTED)))
    there = [person for person in persons if person.canonical_person_id is None and person.member_count]
    return PeopleCount(
        persons=len(there),
        named=sum(person.is_named for person in there),
        faces=sum(person.member_count or 0 for person in persons),
    )


def faces_with_persons(*, table: Table) -> Iterator[FaceWithPerson]:
    """Every face of every existing photo, the oldest photos first."""
    persons = {person.person_id: person for person in _persons(table)}
    resolve = Redirects(table)
    faces = sorted(iterate_faces(persons.values(), table=table), key=lambda face: (face.image_id, face.face_id))
    for start in range(0, len(faces), _AT_ONCE):
        some = faces[start : start + _AT_ONCE]
        rows = table.get_many(list({keys.photo(face.image_id, face.owner) for face in some}))
        photos = {photo.image_id: photo for photo in read_items(Photo, rows.values())}
        for face in some:
            if face.image_id in photos:
                person = None if face.person_id is None else persons.get(resolve(face.person_id))
                yield FaceWithPerson(face, photos[face.image_id], person)


def iterate_faces(persons: Iterable[Person], *, table: Table) -> Iterator[Face]:
    """The faces of these persons and the unassigned ones, each once, without embeddings."""
    counted: set[str] = set()
    listed = listed_faces((person.person_id for person in persons), only=_TOLD, table=table)
    for face in read_items(Face, listed):
        if face.face_id not in counted:
            counted.add(face.face_id)
            yield face


def _persons(table: Table) -> Iterator[Person]:
    return read_items(Person, every(table, entity_types.PERSONS))


def _count(within: Within, table: Table) -> int:
    return sum(1 for _ in every(table, within, only=frozenset()))


def _photos_by_status(table: Table) -> dict[FaceStatus, int]:
    lists = entity_types.FEED, entity_types.PRIVATE
    rows = (item for within in lists for item in every(table, within, only=_STATUS))
    counts = Counter(photo.face_status for photo in read_items(Photo, rows))
    return {status: counts[status] for status in FaceStatus}
