"""The people of an album, and the photos of one of them there."""

from typing import Any

import pytest

from sparks.auth.guests import guest_token
from sparks.library import entity_types
from sparks.library.people import merge_persons, reject_faces, settle_decision, settle_person
from sparks.model.photo import Photo, Visibility
from sparks.model.secret import new_secret
from sparks.model.share import Guest, LinkPermission
from sparks.table.port import EntityType
from tests.api.community import Headers, as_bearer
from tests.api.crowd import People
from tests.api.shelf import Shelf
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import FEW, also_in, seen, settle

PRIVATE = Visibility.PRIVATE


@pytest.fixture
def shelf(people: People) -> Shelf:
    return Shelf(people.community, people._browser)


def persons_of(shelf: Shelf, album_id: str, who: Headers, query: str = "?few=true") -> dict[str, int | None]:
    """In how many photos each of them is, where that is told."""
    told = shelf.browser.get(f"/api/albums/{album_id}/persons{query}", headers=who).json()
    return {each["personId"]: each.get("photoCount") for each in told["persons"]}


def photos_of(shelf: Shelf, album_id: str, person_id: str, who: Headers, query: str = "") -> list[str]:
    answer = shelf.browser.get(f"/api/albums/{album_id}/persons/{person_id}/photos{query}", headers=who)
    assert answer.status_code == 200, answer.text
    return [image["imageId"] for image in answer.json()["images"]]


def ids(*photos: Photo) -> list[str]:
    return [photo.image_id for photo in photos]


def test_members_see_who_is_in_the_album_and_where(people: People, shelf: Shelf, ann: Headers, bob: Headers) -> None:
    photos = [people.photo(visibility=PRIVATE) for _ in range(3)]
    eve, mallory = people.in_photos(*photos), people.met(photos[0], 1)
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "viewer")
    shelf.add(album_id, ann, *photos[:2])
    shelf.community.work()
    assert persons_of(shelf, album_id, bob) == {eve.person_id: 2, mallory.person_id: 1}
    assert photos_of(shelf, album_id, eve.person_id, bob) == ids(photos[1], photos[0])
    assert photos_of(shelf, album_id, eve.person_id, bob, f"?with={mallory.person_id}") == ids(photos[0])
    person = shelf.browser.get(f"/api/persons/{eve.person_id}", headers=bob).json()
    assert person["photoCount"] == 2


def test_who_is_in_photos_elsewhere_alone_is_not_there(
    people: People, shelf: Shelf, ann: Headers, bob: Headers
) -> None:
    inside, outside = people.photo(), people.photo()
    eve, mallory = people.met(inside), people.met(outside)
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, inside)
    shelf.community.work()
    path = f"/api/albums/{album_id}/persons/{mallory.person_id}/photos"
    assert persons_of(shelf, album_id, ann) == {eve.person_id: 1}
    assert shelf.browser.get(path, headers=ann).status_code == 404
    assert shelf.browser.get(f"/api/albums/{album_id}/persons", headers=bob).status_code == 404


def test_people_follow_photos_that_come_and_go(people: People, shelf: Shelf, ann: Headers) -> None:
    photos = [people.photo(visibility=PRIVATE) for _ in range(3)]
    eve = people.in_photos(*photos)
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, *photos)
    shelf.community.work()
    shelf.remove(album_id, ann, photos[0])
    shelf.browser.post("/api/photos/trash", json={"ids": ids(photos[1])}, headers=ann)
    shelf.community.work()
    assert persons_of(shelf, album_id, ann) == {eve.person_id: 1}
    shelf.browser.post("/api/photos/restore", json={"ids": ids(photos[1])}, headers=ann)
    shelf.browser.post("/api/photos/delete", json={"ids": ids(photos[2])}, headers=ann)
    shelf.community.work()
    assert photos_of(shelf, album_id, eve.person_id, ann) == ids(photos[1])
    shelf.browser.delete(f"/api/albums/{album_id}", headers=ann)
    shelf.community.work()
    rows = shelf.community.table.scan().items
    assert [row for row in rows if album_id in str(row) and not row["PK"].startswith("EVENT#")] == []


def test_people_follow_what_is_decided_about_them(people: People, shelf: Shelf, ann: Headers) -> None:
    table, photos = people.table, [people.photo() for _ in range(2)]
    eve, mallory = people.met(photos[0]), people.met(photos[1])
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, *photos)
    shelf.community.work()
    decision = merge_persons(eve.person_id, mallory.person_id, who=ANN, at=NOON, table=table)
    assert decision is not None
    settle_decision(decision, enough=FEW, table=table)
    settle_person(eve.person_id, enough=FEW, table=table)
    assert persons_of(shelf, album_id, ann) == {eve.person_id: 2}
    assert photos_of(shelf, album_id, mallory.person_id, ann) == ids(photos[1], photos[0])
    face = seen(table, photos[0])
    reject = reject_faces(eve.person_id, [face], who=ANN, at=NOON, table=table)
    settle_decision(reject, enough=FEW, table=table)
    settle(table, *photos)
    assert photos_of(shelf, album_id, eve.person_id, ann) == ids(photos[1])


def test_a_guest_sees_the_people_that_the_link_leads_to(people: People, shelf: Shelf, ann: Headers) -> None:
    photos = [people.photo(visibility=PRIVATE) for _ in range(3)]
    eve, mallory = people.in_photos(*photos[:2]), people.met(photos[2])
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, *photos)
    shelf.community.work()
    link, _ = shelf.community.link_to(album_id, LinkPermission.VIEW)
    only, _ = shelf.community.link_to(album_id, LinkPermission.VIEW, persons=(eve.person_id,))
    assert persons_of(shelf, album_id, shelf.community.guest_of(link)) == {eve.person_id: 2, mallory.person_id: 1}
    meant = shelf.community.guest_of(only)
    assert persons_of(shelf, album_id, meant) == {eve.person_id: None}
    assert sorted(shelf.ids(album_id, meant)) == sorted(ids(*photos[:2]))
    assert "photoCount" not in shelf.read(album_id, meant)


def found_by(shelf: Shelf, album_id: str, *found: str, **more: Any) -> Headers:
    """A guest with a link to find, whom a selfie has shown to be these."""
    secret, (link, _) = new_secret(), shelf.community.link_to(album_id, LinkPermission.FIND, **more)
    who: dict[str, Any] = {"link_id": link.link_id, "guest_id": secret.id, "secret_hash": secret.hash}
    shelf.community.keep(Guest(**who, created_at=NOON, persons=found))
    return as_bearer(guest_token(link.link_id, secret))


def test_a_link_to_find_two_shows_the_photos_of_both(people: People, shelf: Shelf, ann: Headers) -> None:
    both, eves, mallorys = (people.photo(visibility=PRIVATE) for _ in range(3))
    eve, mallory = people.in_photos(both, eves), people.met(both, 1)
    also_in(people.table, mallory, mallorys)
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, both, eves, mallorys)
    shelf.community.work()
    guest = found_by(shelf, album_id, eve.person_id, persons=(eve.person_id, mallory.person_id))
    assert shelf.ids(album_id, guest) == ids(both)
    assert persons_of(shelf, album_id, guest) == {eve.person_id: None}


def test_a_guest_who_sees_some_photos_is_told_of_no_other_by_persons(
    people: People, shelf: Shelf, ann: Headers
) -> None:
    alone, both = people.photo(visibility=PRIVATE), people.photo(visibility=PRIVATE)
    eve, mallory = people.in_photos(alone, both), people.met(both, 1)
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, alone, both)
    shelf.community.work()
    you_two = {"persons": (eve.person_id, mallory.person_id)}
    link, _ = shelf.community.link_to(album_id, LinkPermission.VIEW, **you_two)
    guest = shelf.community.guest_of(link)
    told = {each: shelf.browser.get(f"/api/persons/{each}", headers=guest).json() for each in you_two["persons"]}
    assert both.image_id in told[mallory.person_id]["thumbUrl"]
    assert {"photoCount", "thumbUrl", "repFaceId", "s3Key"}.isdisjoint(told[eve.person_id])
    assert "photoCount" not in told[mallory.person_id]


def test_the_face_that_shows_somebody_in_an_album_is_in_the_album(
    people: People, shelf: Shelf, ann: Headers, bob: Headers
) -> None:
    inside, other = people.photo(visibility=PRIVATE), people.photo(visibility=PRIVATE)
    people.in_photos(other, inside)
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "viewer")
    shelf.add(album_id, ann, inside, other)
    shelf.community.work()
    shelf.remove(album_id, ann, other)
    shelf.community.work()
    told = shelf.browser.get(f"/api/albums/{album_id}/persons?few=true", headers=bob).json()["persons"]
    assert inside.image_id in told[0]["thumbUrl"]


def test_a_page_of_a_person_in_an_album_is_one_query_of_a_list(people: People, shelf: Shelf, ann: Headers) -> None:
    photos = [people.photo() for _ in range(30)]
    eve = people.in_photos(*photos)
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, *photos)
    shelf.community.work()
    asked: list[object] = []
    query = people.table.query

    def counted(within: Any, *args: Any, **more: Any) -> Any:
        asked.append(within)
        return query(within, *args, **more)

    people.table.query = counted  # type: ignore[method-assign]
    found = photos_of(shelf, album_id, eve.person_id, ann, "?limit=10")
    assert found == ids(*photos[:-11:-1])
    lists = [each for each in asked if isinstance(each, EntityType) and not each.value.startswith("FAVORITE#")]
    assert lists == [entity_types.album_person(album_id, eve.person_id)]
