"""Photos of a person, of two persons, and of oneself."""

from dataclasses import replace
from typing import Any

from sparks.library.people.person_decisions import merge_persons
from sparks.library.records import from_item, key_of, to_item
from sparks.model.account import User
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.person import Person
from sparks.table.port import Put
from tests.api.callers import ALBUM
from tests.api.client import refusal
from tests.api.person_makers import PRIVATE, People
from tests.factories import ANN, NOON


def ids_in(result: dict[str, Any]) -> list[str]:
    return [image["imageId"] for image in result["images"]]


def test_photos_of_a_person_have_the_form_of_any_list_of_photos(people: People) -> None:
    photos = [people.photo() for _ in range(3)]
    person = people.in_photos(*photos[:2])
    result = people.read(f"/api/persons/{person.person_id}/photos")
    assert ids_in(result) == [photos[1].image_id, photos[0].image_id]
    feed = {image["imageId"]: image for image in people.read("/api/photos")["images"]}
    for image in result["images"]:
        known = feed[image["imageId"]]
        assert image.keys() == known.keys()
        assert {**image, "urls": None} == {**known, "urls": None}


def test_with_another_person_only_photos_of_both_are_listed(people: People) -> None:
    photos = [people.photo() for _ in range(3)]
    one, other = people.in_photos(*photos[:2]), people.met(photos[1], 1)
    path = f"/api/persons/{one.person_id}/photos"
    assert ids_in(people.read(path, params={"with": other.person_id})) == [photos[1].image_id]
    assert people.get(path, params={"with": "person4711"}).status_code == 404
    private = people.met(people.photo(visibility=PRIVATE))
    assert people.get(path, params={"with": private.person_id}).status_code == 404


def test_members_of_an_album_see_its_private_photos_of_a_person(people: People) -> None:
    shared = people.photo(visibility=PRIVATE, albums=(ALBUM,))
    person = people.met(shared)
    path = f"/api/persons/{person.person_id}/photos"
    assert people.get(path).status_code == 404
    people.community.keep(AlbumMember(album_id=ALBUM, email=people.community.bob.email, role=AlbumRole.VIEWER))
    assert ids_in(people.read(path)) == [shared.image_id]


def test_an_unchanged_list_of_photos_is_not_sent_again(people: People) -> None:
    person = people.met(people.photo())
    headers = people.community.session_of(people.community.bob)
    path = f"/api/persons/{person.person_id}/photos"
    with people.community.browser() as browser:
        etag = browser.get(path, headers=headers).headers["etag"]
        assert browser.get(path, headers=headers | {"If-None-Match": etag}).status_code == 304


# -- Photos with me


def become(people: People, person: Person | None) -> None:
    user = people.community.bob
    item = people.table.get(key_of(user))
    assert item is not None
    person_id = None if person is None else person.person_id
    people.table.write(Put(to_item(replace(from_item(User, item), person_id=person_id))))


def test_photos_with_me_are_those_of_the_linked_person(people: People) -> None:
    photos = [people.photo(), people.photo(visibility=PRIVATE), people.photo()]
    become(people, people.in_photos(*photos))
    people.met(people.photo())
    assert ids_in(people.read("/api/me/photos-with-me")) == [photos[2].image_id, photos[0].image_id]


def test_photos_with_me_follow_a_merge(people: People) -> None:
    photos = [people.photo() for _ in range(2)]
    kept, gone = people.met(photos[0]), people.met(photos[1])
    become(people, gone)
    merge_persons(kept.person_id, gone.person_id, who=ANN, at=NOON, table=people.table)
    assert len(ids_in(people.read("/api/me/photos-with-me"))) == 2


def test_a_user_without_a_person_learns_how_to_link_one(people: People) -> None:
    status, code, message = refusal(people.get("/api/me/photos-with-me"))
    assert (status, code) == (404, "NOT_FOUND")
    assert "PUT /api/me/person" in message


def test_a_user_whose_person_they_do_not_see_gets_no_photos(people: People) -> None:
    become(people, people.met(people.photo(visibility=PRIVATE)))
    assert people.read("/api/me/photos-with-me") == {"images": [], "hasMore": False}
