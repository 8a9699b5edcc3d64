"""Faces and persons in a table, and a check that its rows agree."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, Final

from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.face_rows import store_face
from sparks.library.people.photo_faces import find_face
from sparks.library.people.reconcile import reconcile_people
from sparks.library.records import from_item
from sparks.model.album import AlbumPerson
from sparks.model.audience import person_scopes
from sparks.model.face import Box, Face, FaceById
from sparks.model.person import Person, PersonInPhoto, PersonInScope
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import album_of
from sparks.table.port import Item, Table
from tests.account_makers import everything, keep
from tests.factories import NOON, a_face, a_photo

FEW: Final = 2


def a_box(place: int = 0) -> Box:
    """Boxes of different places do not touch."""
    return Box(left=place % 10 / 10, top=place // 10 % 10 / 10, width=0.08, height=0.08)


def photographed(table: Table, **changes: Any) -> Photo:
    photo = a_photo(**changes)
    keep(table, photo)
    return photo


def seen(table: Table, photo: Photo, place: int = 0, **changes: Any) -> Face:
    """A face that an engine found, not assigned."""
    told: dict[str, Any] = {"embedding": b"vector", **changes}
    return store_face(a_face(photo, a_box(place), **told), at=NOON, table=table)


def met(table: Table, photo: Photo, place: int = 0, **changes: Any) -> Person:
    """A person founded by a face in this photo, and counted."""
    person = found_person(seen(table, photo, place, **changes), at=NOON, table=table)
    assert person is not None
    settle(table, photo)
    return person


def also_in(table: Table, person: Person | str, *photos: Photo, place: int = 0, **changes: Any) -> list[Face]:
    """The person's faces in these photos, assigned as an engine does, and counted."""
    person_id = person if isinstance(person, str) else person.person_id
    faces = [assign_face(seen(table, photo, place, **changes), person_id, at=NOON, table=table) for photo in photos]
    settle(table, *photos)
    return faces


def settle(table: Table, *photos: Photo) -> None:
    for photo in photos:
        reconcile_people(photo.image_id, photo.owner, min_photos=FEW, table=table)


def face_in(table: Table, face: Face) -> Face:
    found = find_face(face.face_id, table=table)
    assert found is not None
    return found


# -- One look at all rows


def check_counts(items: Iterable[Item]) -> None:
    """At every moment: a face has its row, its person is in the photo's `persons`, and each counter is the sum of what
    taggings say is counted.
    """
    rows = list(items)
    taggings = [from_item(PersonInPhoto, item) for item in rows if _is(item, "TAGGING#")]
    persons = {
        person.person_id: person
        for person in (from_item(Person, item) for item in rows if item.get("entityType") == "PERSON")
    }
    members = Counter[str]()
    photos = Counter[str]()
    scopes = Counter[tuple[str, str]]()
    for tagging in taggings:
        members[tagging.person_id] += tagging.counted_faces
        photos[tagging.person_id] += int(tagging.counted)
        scopes.update((tagging.person_id, scope) for scope in tagging.counted_in)
    for person in persons.values():
        assert (person.member_count, person.photo_count) == (members[person.person_id], photos[person.person_id])
    assert set(+members) <= persons.keys()
    shown = [from_item(PersonInScope, item) for item in rows if item["SK"].startswith("IN#")]
    assert {(each.person_id, str(each.scope)): each.count for each in shown} == dict(scopes)
    _check_photos(rows)


def _check_photos(rows: list[Item]) -> None:
    of_photo = defaultdict[str, list[Face]](list)
    for item in rows:
        if item["SK"].startswith("FACE#"):
            of_photo[item["PK"]].append(from_item(Face, item))
    for photo in (from_item(Photo, item) for item in rows if item["SK"].startswith("UPLOADED_BY#")):
        if photo.state is not PhotoState.DELETING:
            faces = of_photo[photo.image_id]
            assert set(photo.persons) == {face.person_id for face in faces} - {None}
            assert photo.face_count == len(faces)
            tagged = {
                from_item(PersonInPhoto, item).person_id
                for item in rows
                if item["PK"] == photo.image_id and "bestFaceId" in item
            }
            assert tagged == set(photo.persons)
    by_id = {from_item(FaceById, item).face_id for item in rows if item["SK"] == "FACE"}
    assert by_id == {face.face_id for faces in of_photo.values() for face in faces}


def check_settled(table: Table) -> None:
    """After all was reconciled: counts equal a recount from faces and photos, every person has a cover face that is
    visible in the scope, and no empty person is left.
    """
    items = everything(table)
    check_counts(items)
    photos = {
        photo.image_id: photo
        for photo in (from_item(Photo, item) for item in items if item["SK"].startswith("UPLOADED_BY#"))
    }
    faces = {face.face_id: face for face in (from_item(Face, item) for item in items if item["SK"].startswith("FACE#"))}
    persons = [from_item(Person, item) for item in items if item.get("entityType") == "PERSON"]
    in_scopes = Counter[tuple[str, str]]()
    albums = set[tuple[str, str, str]]()
    for photo in photos.values():
        for person_id in photo.persons:
            in_scopes.update((person_id, str(scope)) for scope in person_scopes(photo))
            albums |= {(photo.image_id, album, person_id) for album in map(album_of, person_scopes(photo)) if album}
    for person in persons:
        theirs = [face for face in faces.values() if face.person_id == person.person_id]
        assert person.member_count == len(theirs)
        assert person.photo_count == len({face.image_id for face in theirs})
        assert person.is_needed
        assert (person.rep_face_id in {face.face_id for face in theirs}) is bool(theirs)
    assert {face.person_id for face in faces.values()} - {None} <= {person.person_id for person in persons}
    names = {person.person_id: person for person in persons}
    shown = [from_item(PersonInScope, item) for item in items if item["SK"].startswith("IN#")]
    assert {(each.person_id, str(each.scope)): each.count for each in shown} == dict(in_scopes)
    for each in shown:
        face = faces[each.rep_face_id or ""]
        assert face.person_id == each.person_id
        assert face.image_id == each.rep_image_id
        assert each.scope in person_scopes(photos[face.image_id])
        person = names[each.person_id]
        assert each.listed is (not person.hidden and (person.is_named or each.count >= FEW))
    rows = [from_item(AlbumPerson, item) for item in items if _is(item, "ALBUM_PERSON#")]
    assert {(row.image_id, row.album_id, row.person_id) for row in rows} == albums


def _is(item: Item, kind: str) -> bool:
    return str(item.get("entityType", "")).startswith(kind)
