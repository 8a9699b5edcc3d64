"""Persons, taggings and a counter that another program wrote exactly as the document shows them."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys, keys
from sparks.library.people.face_assignment import assign_face, found_person, unassign_face
from sparks.library.people.face_rows import store_face
from sparks.library.people.person_decisions import merge_persons, name_person
from sparks.library.people.person_list import list_persons, persons_named
from sparks.library.people.person_photos import list_faces_of, list_photos_of
from sparks.library.people.person_picture import update_picture
from sparks.library.people.visible_persons import find_visible_person, find_visible_persons
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.photo_rows import find_photo
from sparks.model.caller import Credential, Member
from sparks.model.errors import Unavailable
from sparks.model.events import PatrolDue, PersonPicturesDue
from sparks.model.face import Face
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import COMMUNITY, scope_of_private
from sparks.people.person_pictures import check_persons, update_person_pictures
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Key, Put, Table
from tests.account_makers import everything, interrupted, keep
from tests.factories import ANN, BOB, NOON, a_photo, a_user
from tests.library.people.rows import met, settle
from tests.people.face_library import FaceLibrary

BOBS: Final = Member(a_user(BOB), Credential("session", "s1"))
SEEN_BY_BOB: Final = (COMMUNITY, scope_of_private(BOB))

names = st.one_of(st.none(), st.text("abcß é", min_size=1, max_size=8).filter(lambda text: bool(text.strip())))
person_ids = st.one_of(
    st.integers(1, 9).map(lambda number: f"person{number}"), st.sampled_from(["anna", "x_y-1", "Ü 1"])
)


def person_row(person_id: str, name: str | None = None, created: int = 1754040302) -> Item:
    return {
        "PK": f"PERSON#{person_id}",
        "SK": person_id,
        "entityType": "PERSON",
        "displayName": name or person_id,
        "s3Key": f"persons/{person_id}.jpg",
        "createdAt": created,
    }


def tagging_row(photo: Photo, person_id: str) -> Item:
    return {
        "PK": photo.image_id,
        "SK": f"PERSON#{person_id}",
        "entityType": f"TAGGING#{person_id}",
        "s3Key": f"processed/{photo.image_id}_large.webp",
        "createdAt": 1754040302,
    }


def counter_row(limit: int) -> Item:
    return {"PK": "UNKNOWN_PERSONS", "SK": "UNKNOWN_PERSONS", "entityType": "UNKNOWN_PERSONS", "limit": limit}


def write(table: Table, *rows: Item) -> None:
    for row in rows:
        table.write(Put(row))


def still_there(table: Table, *rows: Item) -> bool:
    """Whether the rows hold all that the other program wrote."""
    found = table.get_many([Key(row["PK"], row["SK"]) for row in rows])
    return all(row.items() <= found.get(Key(row["PK"], row["SK"]), {}).items() for row in rows)


def listed(table: Table) -> dict[str, Any]:
    page, after = list_persons(SEEN_BY_BOB, few=True, limit=100, after=None, table=table)
    assert after is None
    return {each.person_id: each for each in page}


def photos_of(person_id: str, table: Table) -> list[str]:
    person = find_visible_person(BOBS, person_id, table=table)
    rows, _ = list_photos_of(
        person, sees=lambda photo: photo.visibility is Visibility.COMMUNITY, limit=50, after=None, table=table
    )
    assert list_faces_of(person, sees=lambda _: True, limit=50, after=None, table=table) == ([], None)
    return sorted(row["PK"] for row in rows)


def with_crop(library: FaceLibrary, face: Face) -> Face:
    key = blob_keys.face_thumb(face.face_id)
    library.blobs.put(key, [b"ours"])
    return store_face(replace(face, thumb_key=key), at=NOON, table=library.table)


@dataclass(frozen=True)
class Written:
    """Persons by their ids, each with the numbers of the photos in which the program says they are."""

    persons: dict[str, tuple[str | None, list[int]]]
    limit: int | None
    private: list[bool]


programs = st.builds(
    Written,
    st.dictionaries(person_ids, st.tuples(names, st.lists(st.integers(0, 2), unique=True)), min_size=1, max_size=5),
    st.one_of(st.none(), st.integers(0, 12)),
    st.lists(st.booleans(), min_size=3, max_size=3),
)


@given(written=programs)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_rows_of_another_program_are_listed_counted_and_kept(written: Written) -> None:
    table, blobs = MemoryTable(), MemoryBlobs()
    photos = [a_photo(visibility=Visibility.PRIVATE if each else Visibility.COMMUNITY) for each in written.private]
    keep(table, *photos)
    rows = [person_row(each, name) for each, (name, _) in written.persons.items()]
    rows += [tagging_row(photos[n], each) for each, (_, within) in written.persons.items() for n in within]
    write(table, *rows, *(() if written.limit is None else [counter_row(written.limit)]))
    public = {each: sorted(photos[n].image_id for n in within if not written.private[n])
              for each, (_, within) in written.persons.items()}  # fmt: skip

    # At once: the pages of the persons, and new persons beside them
    for person_id, expected in public.items():
        assert photos_of(person_id, table) == expected
    assert find_visible_persons(BOBS, written.persons, table=table).keys() == written.persons.keys()
    own = met(table, photos[0])
    assert own.person_id not in written.persons
    settle(table, *photos)
    assert still_there(table, *rows)

    # Since the next patrol: the list
    library = FaceLibrary(table)
    for _ in range(2):
        check_persons(PatrolDue(NOON), table=table, pipeline=library.pipeline)
        update_person_pictures(PersonPicturesDue(), table=table, blobs=blobs, pipeline=library.pipeline)
    found = listed(table)
    for person_id, (name, _) in written.persons.items():
        assert found[person_id].person.display_name == (name or person_id)
        assert found[person_id].person.picture_key == f"persons/{person_id}.jpg"
        assert found[person_id].photo_count == len(public[person_id])
        assert photos_of(person_id, table) == public[person_id]

    assert list(persons_named("Eve", table=table)) == []

    # Grouping, a rebuild, and the deletion of the photos
    faces = library.photos(0, 1, times=3)
    library.regroup()
    assert library.persons_of(faces).isdisjoint(written.persons)
    library.rebuild()
    assert still_there(table, *rows)
    for photo in photos:
        delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert still_there(table, *rows[: len(written.persons)])
    assert not [row for row in everything(table) if str(row.get("entityType")).startswith("TAGGING#anna")]
    assert {each: listed(table)[each].photo_count for each in written.persons} == dict.fromkeys(written.persons, 0)


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


def test_a_person_of_another_program_can_be_named_merged_and_given_faces(table: MemoryTable) -> None:
    library, photo = FaceLibrary(table), a_photo()
    keep(table, photo)
    write(table, person_row("person1"), counter_row(1))
    own = met(table, photo)
    assert own.person_id == "person2"
    library.settle(name_person("person1", "Eve", who=ANN, at=NOON, table=table))
    library.settle(merge_persons("person1", own.person_id, who=ANN, at=NOON, table=table))
    check_persons(PatrolDue(NOON), table=table, pipeline=library.pipeline)
    assert {each: seen.photo_count for each, seen in listed(table).items()} == {"person1": 1}
    assert find_visible_person(BOBS, "person2", table=table).person.display_name == "Eve"


def test_the_picture_of_another_program_stays_until_a_face_takes_its_place(table: MemoryTable) -> None:
    library, photo = FaceLibrary(table), a_photo()
    keep(table, photo)
    write(table, person_row("person1", "Eve"), counter_row(1))
    library.blobs.put("persons/person1.jpg", [b"theirs"])

    def picture() -> bytes:
        check_persons(PatrolDue(NOON), table=table, pipeline=library.pipeline)
        update_person_pictures(PersonPicturesDue(), table=table, blobs=library.blobs, pipeline=library.pipeline)
        return b"".join(library.blobs.open("persons/person1.jpg"))

    assert picture() == b"theirs"
    [face] = library.photo(0)
    assign_face(face, "person1", at=NOON, table=table)
    library.settle_all()
    assert picture() == b"theirs"  # the face has no crop
    unassign_face(face, at=NOON, table=table)
    library.settle_all()
    assert picture() == b"theirs"

    face = with_crop(library, *library.photo(0))
    assign_face(face, "person1", at=NOON, table=table)
    library.settle_all()
    assert picture() == b"ours"


def test_a_picture_that_took_the_place_of_another_programs_goes_with_the_photo(table: MemoryTable) -> None:
    """Also where the process was killed right after it wrote the blob."""
    library = FaceLibrary(table)
    write(table, person_row("person1", "Eve"), counter_row(1))
    face = with_crop(library, *library.photo(0))
    assign_face(face, "person1", at=NOON, table=table)
    library.settle_all()
    for writes in range(4):
        library.blobs.put("persons/person1.jpg", [b"theirs"])
        with suppress(Unavailable):
            update_picture("person1", table=interrupted(table, after=writes), blobs=library.blobs)
        if b"".join(library.blobs.open("persons/person1.jpg")) == b"ours":
            break
    photo = find_photo(face.image_id, table=table)
    assert photo is not None
    keep(table, replace(photo, visibility=Visibility.PRIVATE))
    library.settle_all()
    update_picture("person1", table=table, blobs=library.blobs)
    assert not library.blobs.list("persons/").blobs
    assert "s3Key" not in (table.get(keys.person("person1")) or {})


def test_numbers_that_another_program_used_without_counting_are_skipped(table: MemoryTable) -> None:
    write(table, person_row("person1"), person_row("person3"))
    photo = a_photo()
    keep(table, photo)
    assert [met(table, photo, place).person_id for place in range(3)] == ["person2", "person4", "person5"]


def test_a_face_founds_nobody_twice_where_its_number_was_taken(table: MemoryTable) -> None:
    library = FaceLibrary(table)
    [face] = library.photo(0)
    write(table, person_row("person1"))
    founded = found_person(face, at=NOON, table=table)
    assert founded is not None
    assert founded.person_id == "person2"
