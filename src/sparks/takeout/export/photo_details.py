"""Details of an exported photo: its persons, faces and albums."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.people.photo_faces import find_person
from sparks.library.people.redirects import resolve_person
from sparks.library.records import from_item, read_items
from sparks.model.album import Album
from sparks.model.face import Box, Face
from sparks.model.person import Person
from sparks.model.photo import Photo
from sparks.table.port import Item, Key, Table, every

BATCH_SIZE: Final = 200


@dataclass(frozen=True, slots=True)
class FaceDetails:
    """`name` is None for a person without a name, `person_id` for a face that is not assigned."""

    box: Box
    person_id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class PhotoDetails:
    photo: Photo
    faces: tuple[FaceDetails, ...] = ()
    albums: tuple[str, ...] = ()

    @property
    def people(self) -> list[str]:
        """The names of the persons, each once."""
        return list(dict.fromkeys(face.name for face in self.faces if face.name is not None))


class PhotoDetailsReader:
    """Reader of details that caches persons and albums, since many photos of an export share them."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._persons: dict[str, Person | None] = {}
        self._albums: dict[str, str | None] = {}

    def read(self, photo: Photo) -> PhotoDetails:
        rows = every(self._table, keys.photo_rows(photo.image_id), keys.FACES)
        faces = sorted(read_items(Face, rows), key=lambda face: (face.box.left, face.face_id))
        titles = (self._title(album_id) for album_id in photo.albums)
        albums = tuple(sorted(title for title in titles if title is not None))
        return PhotoDetails(photo, tuple(map(self._face, faces)), albums)

    def _face(self, face: Face) -> FaceDetails:
        person = None if face.person_id is None else self._person(face.person_id)
        if person is None:
            return FaceDetails(face.box)
        return FaceDetails(face.box, person.person_id, person.display_name if person.is_named else None)

    def _person(self, person_id: str) -> Person | None:
        """The person of the id, after merges."""
        if person_id not in self._persons:
            resolved = resolve_person(person_id, table=self._table)
            self._persons[person_id] = find_person(resolved, table=self._table)
        return self._persons[person_id]

    def _title(self, album_id: str) -> str | None:
        if album_id not in self._albums:
            item = self._table.get(keys.album(album_id))
            self._albums[album_id] = None if item is None else from_item(Album, item).title
        return self._albums[album_id]


def all_photos(*, table: Table) -> Iterator[Photo]:
    """Every photo that has arrived and is not in the trash, each once."""
    listed: set[str] = set()
    for within in (entity_types.FEED, entity_types.PRIVATE, entity_types.PENDING, entity_types.FAILED):
        for photo in _read(every(table, within, only=frozenset()), table):
            if photo.image_id not in listed:
                listed.add(photo.image_id)
                yield photo


def photos_of(email: str, *, table: Table) -> Iterator[Photo]:
    """As `all_photos`, of one user."""
    return _read(every(table, keys.uploads_of(email), only=frozenset()), table)


def _read(rows: Iterable[Item], table: Table) -> Iterator[Photo]:
    """The photos of these index rows, read by key: the index may lag behind."""
    each = iter(rows)
    while some := [Key(row["PK"], row["SK"]) for row in islice(each, BATCH_SIZE)]:
        found = table.get_many(some)
        photos = read_items(Photo, (found[key] for key in some if key in found))
        yield from (photo for photo in photos if photo.uploaded_by is not None and photo.original_key is not None)
