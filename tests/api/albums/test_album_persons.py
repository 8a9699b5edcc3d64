"""Persons of an album, and the photos of a person in it."""

from typing import Any

import pytest

from sparks.auth.link_sessions import guest_token
from sparks.library import entity_types
from sparks.library.people.apply_decision import apply_decision, reconcile_person
from sparks.library.people.person_decisions import merge_persons, reject_faces
from sparks.model.photo import Photo, Visibility
from sparks.model.secret import new_secret
from sparks.model.share import Guest, LinkPermission
from sparks.table.port import EntityType
from tests.api.album_makers import AlbumClient
from tests.api.community import Headers, as_bearer
from tests.api.person_makers import People
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import FEW, also_in, seen, settle

PRIVATE = Visibility.PRIVATE


@pytest.fixture
def albums(people: People) -> AlbumClient:
    return AlbumClient(people.community, people._browser)


def persons_of(albums: AlbumClient, album_id: str, who: Headers, query: str = "?few=true") -> dict[str, int | None]:
    """The photo count of each person, where it is shown."""
    body = albums.browser.get(f"/api/albums/{album_id}/persons{query}", headers=who).json()
    return {each["personId"]: each.get("photoCount") for each in body["persons"]}


def photos_of(albums: AlbumClient, album_id: str, person_id: str, who: Headers, query: str = "") -> list[str]:
    response = albums.browser.get(f"/api/albums/{album_id}/persons/{person_id}/photos{query}", headers=who)
    assert response.status_code == 200, response.text
    return [image["imageId"] for image in response.json()["images"]]


def ids(*photos: Photo) -> list[str]:
    return [photo.image_id for photo in photos]


def test_members_see_the_persons_of_an_album_and_their_photos(
    people: People, albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    photos = [people.photo(visibility=PRIVATE) for _ in range(3)]
    eve, mallory = people.in_photos(*photos), people.met(photos[0], 1)
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "viewer")
    albums.add(album_id, ann, *photos[:2])
    albums.community.work()
    assert persons_of(albums, album_id, bob) == {eve.person_id: 2, mallory.person_id: 1}
    assert photos_of(albums, album_id, eve.person_id, bob) == ids(photos[1], photos[0])
    assert photos_of(albums, album_id, eve.person_id, bob, f"?with={mallory.person_id}") == ids(photos[0])
    person = albums.browser.get(f"/api/persons/{eve.person_id}", headers=bob).json()
    assert person["photoCount"] == 2


def test_persons_who_are_only_in_other_photos_are_not_listed(
    people: People, albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    inside, outside = people.photo(), people.photo()
    eve, mallory = people.met(inside), people.met(outside)
    album_id = albums.make(ann)
    albums.add(album_id, ann, inside)
    albums.community.work()
    path = f"/api/albums/{album_id}/persons/{mallory.person_id}/photos"
    assert persons_of(albums, album_id, ann) == {eve.person_id: 1}
    assert albums.browser.get(path, headers=ann).status_code == 404
    assert albums.browser.get(f"/api/albums/{album_id}/persons", headers=bob).status_code == 404


def test_the_persons_of_an_album_change_with_its_photos(people: People, albums: AlbumClient, ann: Headers) -> None:
    photos = [people.photo(visibility=PRIVATE) for _ in range(3)]
    eve = people.in_photos(*photos)
    album_id = albums.make(ann)
    albums.add(album_id, ann, *photos)
    albums.community.work()
    albums.remove(album_id, ann, photos[0])
    albums.browser.post("/api/photos/trash", json={"ids": ids(photos[1])}, headers=ann)
    albums.community.work()
    assert persons_of(albums, album_id, ann) == {eve.person_id: 1}
    albums.browser.post("/api/photos/restore", json={"ids": ids(photos[1])}, headers=ann)
    albums.browser.post("/api/photos/delete", json={"ids": ids(photos[2])}, headers=ann)
    albums.community.work()
    assert photos_of(albums, album_id, eve.person_id, ann) == ids(photos[1])
    albums.browser.delete(f"/api/albums/{album_id}", headers=ann)
    albums.community.work()
    rows = albums.community.table.scan().items
    assert [row for row in rows if album_id in str(row) and not row["PK"].startswith("EVENT#")] == []


def test_the_persons_of_an_album_change_with_decisions(people: People, albums: AlbumClient, ann: Headers) -> None:
    table, photos = people.table, [people.photo() for _ in range(2)]
    eve, mallory = people.met(photos[0]), people.met(photos[1])
    album_id = albums.make(ann)
    albums.add(album_id, ann, *photos)
    albums.community.work()
    decision = merge_persons(eve.person_id, mallory.person_id, who=ANN, at=NOON, table=table)
    assert decision is not None
    apply_decision(decision, min_photos=FEW, table=table)
    reconcile_person(eve.person_id, min_photos=FEW, table=table)
    assert persons_of(albums, album_id, ann) == {eve.person_id: 2}
    assert photos_of(albums, album_id, mallory.person_id, ann) == ids(photos[1], photos[0])
    face = seen(table, photos[0])
    reject = reject_faces(eve.person_id, [face], who=ANN, at=NOON, table=table)
    apply_decision(reject, min_photos=FEW, table=table)
    settle(table, *photos)
    assert photos_of(albums, album_id, eve.person_id, ann) == ids(photos[1])


def test_a_guest_sees_the_persons_whom_the_link_shows(people: People, albums: AlbumClient, ann: Headers) -> None:
    photos = [people.photo(visibility=PRIVATE) for _ in range(3)]
    eve, mallory = people.in_photos(*photos[:2]), people.met(photos[2])
    album_id = albums.make(ann)
    albums.add(album_id, ann, *photos)
    albums.community.work()
    link, _ = albums.community.link_to(album_id, LinkPermission.VIEW)
    only, _ = albums.community.link_to(album_id, LinkPermission.VIEW, persons=(eve.person_id,))
    assert persons_of(albums, album_id, albums.community.guest_of(link)) == {
        eve.person_id: 2,
        mallory.person_id: 1,
    }
    guest = albums.community.guest_of(only)
    assert persons_of(albums, album_id, guest) == {eve.person_id: None}
    assert sorted(albums.ids(album_id, guest)) == sorted(ids(*photos[:2]))
    assert "photoCount" not in albums.read(album_id, guest)


def guest_with_selfie(albums: AlbumClient, album_id: str, *found: str, **more: Any) -> Headers:
    """A guest of a link to find, whose selfie matched these persons."""
    secret, (link, _) = new_secret(), albums.community.link_to(album_id, LinkPermission.FIND, **more)
    who: dict[str, Any] = {"link_id": link.link_id, "guest_id": secret.id, "secret_hash": secret.hash}
    albums.community.keep(Guest(**who, created_at=NOON, persons=found))
    return as_bearer(guest_token(link.link_id, secret))


def test_a_link_to_two_persons_shows_only_photos_of_both(people: People, albums: AlbumClient, ann: Headers) -> None:
    both, eves, mallorys = (people.photo(visibility=PRIVATE) for _ in range(3))
    eve, mallory = people.in_photos(both, eves), people.met(both, 1)
    also_in(people.table, mallory, mallorys)
    album_id = albums.make(ann)
    albums.add(album_id, ann, both, eves, mallorys)
    albums.community.work()
    guest = guest_with_selfie(albums, album_id, eve.person_id, persons=(eve.person_id, mallory.person_id))
    assert albums.ids(album_id, guest) == ids(both)
    assert persons_of(albums, album_id, guest) == {eve.person_id: None}


def test_a_guest_who_sees_some_photos_learns_of_no_other_from_persons(
    people: People, albums: AlbumClient, ann: Headers
) -> None:
    alone, both = people.photo(visibility=PRIVATE), people.photo(visibility=PRIVATE)
    eve, mallory = people.met(alone), people.met(both, 1)
    also_in(people.table, eve, both, quality=0.1)  # so that the cover face is in the photo that the guest does not see
    album_id = albums.make(ann)
    albums.add(album_id, ann, alone, both)
    albums.community.work()
    both_persons = {"persons": (eve.person_id, mallory.person_id)}
    link, _ = albums.community.link_to(album_id, LinkPermission.VIEW, **both_persons)
    guest = albums.community.guest_of(link)
    seen_as = {
        each: albums.browser.get(f"/api/persons/{each}", headers=guest).json() for each in both_persons["persons"]
    }
    assert both.image_id in seen_as[mallory.person_id]["thumbUrl"]
    assert {"photoCount", "thumbUrl", "repFaceId", "s3Key"}.isdisjoint(seen_as[eve.person_id])
    assert "photoCount" not in seen_as[mallory.person_id]


def test_the_cover_face_of_a_person_in_an_album_is_from_a_photo_of_the_album(
    people: People, albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    inside, other = people.photo(visibility=PRIVATE), people.photo(visibility=PRIVATE)
    people.in_photos(other, inside)
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "viewer")
    albums.add(album_id, ann, inside, other)
    albums.community.work()
    albums.remove(album_id, ann, other)
    albums.community.work()
    persons = albums.browser.get(f"/api/albums/{album_id}/persons?few=true", headers=bob).json()["persons"]
    assert inside.image_id in persons[0]["thumbUrl"]


def test_a_page_of_a_persons_photos_in_an_album_takes_one_query(
    people: People, albums: AlbumClient, ann: Headers
) -> None:
    photos = [people.photo() for _ in range(30)]
    eve = people.in_photos(*photos)
    album_id = albums.make(ann)
    albums.add(album_id, ann, *photos)
    albums.community.work()
    queried: list[object] = []
    query = people.table.query

    def counted(within: Any, *args: Any, **more: Any) -> Any:
        queried.append(within)
        return query(within, *args, **more)

    people.table.query = counted  # type: ignore[method-assign]
    found = photos_of(albums, album_id, eve.person_id, ann, "?limit=10")
    assert found == ids(*photos[:-11:-1])
    lists = [each for each in queried if isinstance(each, EntityType) and not each.value.startswith("FAVORITE#")]
    assert lists == [entity_types.album_person(album_id, eve.person_id)]
