"""Faces, persons and decisions of one photo, read with a version to write against.

Every write of a face, and every decision about one, raises `facesVersion` of the photo's own row. That row is read
first, and a write needs the same version: so it was planned from rows that have not changed, and two concurrent moves
of faces of one photo cannot conflict.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.photos.photo_rows import NO_PHOTO
from sparks.library.records import as_read, from_item, key_of, read_item, read_items
from sparks.model.access import NOT_THERE
from sparks.model.errors import NotFound
from sparks.model.face import Face, FaceById
from sparks.model.person import Decision, FaceDecision, Person, PersonInPhoto
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Absent, Conditions, Item, Key, NotEquals, Table, every

NO_PERSON: Final = NOT_THERE.format("person")
NO_FACE: Final = NOT_THERE.format("face")
TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class PhotoFaces:
    """The faces of a photo, its TAGGING rows, and the decisions about them, oldest first. `photo` is None where its row
    is deleted.
    """

    key: Key
    photo: Photo | None
    item: Item | None
    faces: Mapping[str, Face]
    taggings: Mapping[str, PersonInPhoto]
    rows: Mapping[Key, Item]
    decisions: tuple[FaceDecision, ...]

    @property
    def is_there(self) -> bool:
        return self.photo is not None and self.photo.state is not PhotoState.DELETING

    def unchanged(self, *names: str) -> Conditions:
        """The conditions that the photo's faces and these attributes are as they were read."""
        return (Absent(),) if self.item is None else as_read(self.item, ("facesVersion", *names))

    def to_be_changed(self) -> Conditions:
        return (*self.unchanged(), NotEquals("entityType", entity_types.DELETING.value))


def read_faces(image_id: str, owner: str, *, table: Table) -> PhotoFaces:
    key = keys.photo(image_id, owner)
    item = table.get(key)
    within = keys.photo_rows(image_id)
    faces = read_items(Face, every(table, within, keys.FACES))
    tagged = list(every(table, within, keys.PERSONS))
    taggings = read_items(PersonInPhoto, tagged)
    decided = every(table, within, keys.DECISIONS)
    return PhotoFaces(
        key=key,
        photo=None if item is None else read_item(Photo, item),
        item=item,
        faces={face.face_id: face for face in faces},
        taggings={tagging.person_id: tagging for tagging in taggings},
        rows={Key(row["PK"], row["SK"]): row for row in tagged},
        decisions=tuple(from_item(FaceDecision, row) for row in decided),
    )


def read_faces_or_raise(image_id: str, owner: str, *, table: Table) -> PhotoFaces:
    """NotFound where the photo is deleted or being deleted."""
    seen = read_faces(image_id, owner, table=table)
    if not seen.is_there:
        raise NotFound(NO_PHOTO)
    return seen


def find_face(face_id: str, *, table: Table) -> Face | None:
    row = table.get(keys.face_by_id(face_id))
    if row is None:
        return None
    item = table.get(keys.face(from_item(FaceById, row).image_id, face_id))
    return None if item is None else from_item(Face, item)


def find_face_in_photo(image_id: str, face_id: str, *, table: Table) -> Face | None:
    item = table.get(keys.face(image_id, face_id))
    return None if item is None else from_item(Face, item)


def find_person(person_id: str, *, table: Table) -> Person | None:
    """The person's own row; a redirect is not followed."""
    item = table.get(keys.person(person_id))
    return None if item is None else read_item(Person, item)


def find_persons(person_ids: Iterable[str], *, table: Table) -> dict[str, Person]:
    rows = table.get_many([keys.person(person_id) for person_id in dict.fromkeys(person_ids)])
    persons = read_items(Person, rows.values())
    return {person.person_id: person for person in persons}


def decisions_about(person_id: str, *, table: Table) -> list[Decision]:
    """Oldest first, with undone ones and their undos."""
    return [from_item(Decision, row) for row in every(table, keys.person_rows(person_id), keys.DECISIONS)]


def row_of(seen: PhotoFaces, tagging: PersonInPhoto) -> Item:
    return seen.rows[key_of(tagging)]
