"""Photos and faces of a person, newest first, from all lists that lead to them."""

from collections.abc import Iterable
from dataclasses import replace

from sparks.library.authorized_reads import may_see
from sparks.library.people.apply_decision import apply_decision, reconcile_person
from sparks.library.people.person_decisions import assign_faces, merge_persons
from sparks.library.people.person_photos import list_faces_of, list_photos_of
from sparks.library.people.visible_persons import find_visible_person
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.records import from_item, to_item
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.caller import Credential, Member
from sparks.model.face import Face
from sparks.model.person import PersonInPhoto
from sparks.model.photo import Photo, Visibility
from sparks.table.port import Key, Put, Table
from tests.account_makers import keep
from tests.factories import ANN, BOB, a_user
from tests.library.people.rows import FEW, also_in, face_in, met, photographed, seen
from tests.library.photos.photo_makers import LATER

ALBUM = "album1"
PRIVATE = Visibility.PRIVATE
ANNS = Member(a_user(ANN), Credential("session", "s1"))
BOBS = Member(a_user(BOB), Credential("session", "s2"))


def photos_of(table: Table, caller: Member, *person_ids: str, limit: int = 100) -> list[str]:
    """The ids of all pages."""
    persons = [find_visible_person(caller, person_id, table=table) for person_id in person_ids]
    found: list[str] = []
    after: Key | None = None
    while True:
        page, after = list_photos_of(
            *persons,
            sees=lambda photo: may_see(caller, photo, at=LATER, table=table),
            limit=limit,
            after=after,
            table=table,
        )
        assert len(page) == limit or after is None
        found += [item["PK"] for item in page]
        if after is None:
            return found


def faces_of(table: Table, caller: Member, person_id: str, limit: int = 100) -> list[Face]:
    person = find_visible_person(caller, person_id, table=table)
    found: list[Face] = []
    after: Key | None = None
    while True:
        page, after = list_faces_of(
            person,
            sees=lambda photo: may_see(caller, photo, at=LATER, table=table),
            limit=limit,
            after=after,
            table=table,
        )
        assert len(page) == limit or after is None
        found += page
        if after is None:
            return found


def newest_first(*photos: Photo) -> list[str]:
    return sorted((photo.image_id for photo in photos), reverse=True)


def images_of(faces: Iterable[Face]) -> list[str]:
    return [face.image_id for face in faces]


def test_photos_of_all_lists_are_one_list_newest_first(any_table: Table) -> None:
    table = any_table
    keep(table, AlbumMember(album_id=ALBUM, email=BOB, role=AlbumRole.VIEWER))
    shown = [photographed(table) for _ in range(2)]
    anns = photographed(table, visibility=PRIVATE)
    bobs = photographed(table, visibility=PRIVATE, owner=BOB)
    shared = photographed(table, visibility=PRIVATE, albums=(ALBUM,))
    last = photographed(table, albums=(ALBUM,))
    person = met(table, shown[0]).person_id
    also_in(table, person, shown[1], anns, bobs, shared, last)
    for limit in (1, 2, 3, 100):
        assert photos_of(table, BOBS, person, limit=limit) == newest_first(*shown, bobs, shared, last)
        assert photos_of(table, ANNS, person, limit=limit) == newest_first(*shown, anns, shared, last)
        assert images_of(faces_of(table, BOBS, person, limit)) == newest_first(*shown, bobs, shared, last)


def test_photos_that_show_two_persons_are_listed(table: Table) -> None:
    photos = [photographed(table) for _ in range(5)]
    one, other = met(table, photos[0]).person_id, met(table, photos[0], 1).person_id
    also_in(table, one, *photos[1:4])
    also_in(table, other, photos[2], photos[4], place=1)
    both = newest_first(photos[0], photos[2])
    for limit in (1, 100):
        assert photos_of(table, BOBS, one, other, limit=limit) == both
        assert photos_of(table, BOBS, other, one, limit=limit) == both
    assert photos_of(table, BOBS, one, one) == newest_first(*photos[:4])


def test_photos_of_two_persons_that_the_caller_does_not_see_are_not_listed(table: Table) -> None:
    private = photographed(table, visibility=PRIVATE)
    one, other = met(table, photographed(table)).person_id, met(table, photographed(table)).person_id
    also_in(table, one, private)
    also_in(table, other, private, place=1)
    assert photos_of(table, ANNS, one, other) == [private.image_id]
    assert photos_of(table, BOBS, one, other) == []


def test_photos_of_who_was_merged_are_theirs_before_the_faces_have_moved(table: Table) -> None:
    first, second, both = (photographed(table) for _ in range(3))
    kept, gone = met(table, first).person_id, met(table, second).person_id
    also_in(table, kept, both)
    also_in(table, gone, both, place=1)
    other = met(table, second, 2).person_id
    merge_persons(kept, gone, who=ANN, at=LATER, table=table)
    for settled in (False, True):
        if settled:
            for person_id in (kept, gone):
                reconcile_person(person_id, min_photos=FEW, table=table)
        for limit in (1, 100):
            assert photos_of(table, BOBS, kept, limit=limit) == newest_first(first, second, both)
            assert photos_of(table, BOBS, gone, limit=limit) == newest_first(first, second, both)
            assert len(faces_of(table, BOBS, gone, limit)) == 4
        assert photos_of(table, BOBS, other, gone) == [second.image_id]


def test_a_trashed_photo_is_in_no_list_of_a_persons_photos(table: Table) -> None:
    photos = [photographed(table) for _ in range(2)]
    person = met(table, photos[0]).person_id
    also_in(table, person, photos[1])
    trash_photo(photos[1], at=LATER, table=table)
    for who in (ANNS, BOBS):
        assert photos_of(table, who, person) == [photos[0].image_id]
        assert images_of(faces_of(table, who, person)) == [photos[0].image_id]


def test_the_photo_decides_and_not_the_row_that_leads_there(table: Table) -> None:
    kept, changed = photographed(table), photographed(table)
    person = met(table, kept).person_id
    also_in(table, person, changed)
    item = table.get(Key(changed.image_id, f"UPLOADED_BY#{ANN}"))
    assert item is not None
    table.write(Put(to_item(replace(from_item(Photo, item), visibility=PRIVATE))))
    assert photos_of(table, BOBS, person) == [kept.image_id]
    table.write(Put(to_item(replace(from_item(Photo, item), persons=()))))
    assert photos_of(table, ANNS, person) == [kept.image_id]


def test_an_old_row_without_an_owner_leads_to_its_photo(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo).person_id
    item = table.get(Key(photo.image_id, f"PERSON#{person}"))
    assert item is not None
    table.write(Put(to_item(replace(from_item(PersonInPhoto, item), owner=None))))
    assert photos_of(table, BOBS, person) == [photo.image_id]


def test_several_faces_of_a_photo_are_listed_one_by_one(table: Table) -> None:
    photo, older = photographed(table), photographed(table)
    person = met(table, photo)
    twins = [seen(table, photo, place) for place in (1, 2)]
    decision = assign_faces(person.person_id, twins, who=ANN, at=LATER, table=table)
    apply_decision(decision, min_photos=FEW, table=table)
    also_in(table, person, older)
    faces = faces_of(table, BOBS, person.person_id)
    assert images_of(faces) == [older.image_id, *[photo.image_id] * 3]
    assert [face.by_hand for face in faces].count(True) == 2
    assert {face.face_id for face in faces[1:]} >= {face.face_id for face in twins}
    for limit in (1, 2, 3):
        assert faces_of(table, BOBS, person.person_id, limit) == faces


def test_listing_faces_does_not_read_embeddings(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    (face,) = faces_of(table, BOBS, person.person_id)
    assert face_in(table, face).embedding == b"vector"
    assert face.embedding is None
    assert (face.quality, face.confidence) == (0.8, 0.99)
