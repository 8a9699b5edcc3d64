"""Uploads that come straight into an album."""

from hashlib import sha256

import pytest

from sparks.library import entity_types, keys
from sparks.library.consent import faces_allowed, subject_of_album
from sparks.library.following import follow_photo
from sparks.library.photos import find_photo, finish_processing
from sparks.model.photo import Photo
from sparks.table.port import every
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.api.shelf import Shelf
from tests.api.test_uploads import complete, put, reserve, upload
from tests.factories import ANN, BOB, NOON
from tests.library.photos.making import MADE
from tests.upload.files import a_jpeg


@pytest.fixture
def shelf(community: Community, browser: Client) -> Shelf:
    return Shelf(community, browser)


def finished(shelf: Shelf, image_id: str) -> Photo:
    photo = find_photo(image_id, table=shelf.community.table)
    assert photo is not None
    return finish_processing(photo, MADE, at=NOON, table=shelf.community.table)


def test_an_upload_is_in_its_album_once_it_is_finished(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "contributor")
    data = a_jpeg()
    image_id = upload(shelf.browser, bob, data, albumId=album_id, visibility="private").json()["imageId"]
    assert shelf.ids(album_id, ann) == []
    assert shelf.read(album_id, ann)["photoCount"] == 0
    finished(shelf, image_id)
    shelf.add(album_id, ann, shelf.hang())
    stores = shelf.community.stores
    follow_photo(image_id, BOB, table=stores.table, blobs=stores.blobs, keyring=stores.keyring)
    assert image_id in shelf.ids(album_id, ann)
    assert shelf.read(album_id, ann)["photoCount"] == 2


def test_a_posted_photo_comes_into_its_album(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    posted = shelf.browser.post(f"/api/photos?filename=sea.jpg&albumId={album_id}", content=a_jpeg(), headers=ann)
    assert posted.status_code == 201, posted.text
    photo = find_photo(posted.json()["imageId"], table=shelf.community.table)
    assert photo is not None
    assert photo.albums == (album_id,)


@pytest.mark.parametrize(("role", "status"), [("contributor", 201), ("viewer", 403), (None, 404)])
def test_who_may_not_add_does_not_upload_there(
    shelf: Shelf, ann: Headers, bob: Headers, role: str | None, status: int
) -> None:
    album_id = shelf.make(ann)
    if role is not None:
        shelf.join(album_id, ann, BOB, role)
    wish = {"filename": "sea.jpg", "size": 1000, "albumId": album_id}
    assert shelf.browser.post("/api/uploads", json=wish, headers=bob).status_code == status
    posted = shelf.browser.post(f"/api/photos?filename=x.jpg&albumId={album_id}", content=a_jpeg(), headers=bob)
    assert posted.status_code == status


def test_bytes_that_are_there_already_come_into_the_album(shelf: Shelf, ann: Headers) -> None:
    album_id, data = shelf.make(ann), a_jpeg()
    first = upload(shelf.browser, ann, data).json()["imageId"]
    hint = sha256(data).hexdigest()
    wish = {"filename": "sea.jpg", "size": len(data), "sha256": hint, "albumId": album_id}
    same = shelf.browser.post("/api/uploads", json=wish, headers=ann)
    assert same.json() == {"imageId": first, "duplicate": True}
    photo = find_photo(first, table=shelf.community.table)
    assert photo is not None
    assert photo.albums == (album_id,)


def test_bytes_that_turn_out_to_be_there_take_the_album_over(shelf: Shelf, ann: Headers) -> None:
    album_id, data = shelf.make(ann), a_jpeg()
    ticket = reserve(shelf.browser, ann, data, albumId=album_id)
    put(shelf.browser, ticket, data)
    first = upload(shelf.browser, ann, data).json()["imageId"]
    assert complete(shelf.browser, ann, ticket["imageId"]).json() == {"imageId": first, "duplicate": True}
    photo = find_photo(first, table=shelf.community.table)
    assert photo is not None
    assert photo.albums == (album_id,)
    listed = [row["PK"] for row in every(shelf.community.table, entity_types.album_photo(album_id))]
    assert listed == [first]


def test_an_upload_that_is_given_up_leaves_the_album(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    ticket = reserve(shelf.browser, ann, a_jpeg(), albumId=album_id)
    assert shelf.browser.delete(f"/api/uploads/{ticket['imageId']}", headers=ann).status_code == 204
    assert list(every(shelf.community.table, entity_types.album_photo(album_id))) == []


def test_an_upload_that_is_on_its_way_when_its_album_goes_is_a_photo_all_the_same(shelf: Shelf, ann: Headers) -> None:
    album_id, data = shelf.make(ann), a_jpeg()
    ticket = reserve(shelf.browser, ann, data, albumId=album_id)
    put(shelf.browser, ticket, data)
    shelf.browser.delete(f"/api/albums/{album_id}", headers=ann)
    shelf.community.work()
    assert complete(shelf.browser, ann, ticket["imageId"]).status_code == 201
    photo = find_photo(ticket["imageId"], table=shelf.community.table)
    assert photo is not None
    assert photo.albums == ()


# -- Faces


def test_faces_are_not_looked_for_in_what_comes_into_an_album_without(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann, findsFaces=False)
    assert not shelf.read(album_id, ann)["findsFaces"]
    image_id = upload(shelf.browser, ann, a_jpeg(), albumId=album_id).json()["imageId"]
    photo = finished(shelf, image_id)
    assert not faces_allowed(photo, table=shelf.community.table)
    assert shelf.browser.patch(f"/api/albums/{album_id}", json={"findsFaces": True}, headers=ann).status_code == 200
    assert faces_allowed(photo, table=shelf.community.table)
    said = list(every(shelf.community.table, keys.consents(subject_of_album(album_id))))
    assert [(each["who"], each["allowed"]) for each in said] == [(ANN, False), (ANN, True)]


def test_nobody_speaks_for_anothers_photo_by_adding_it(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann, findsFaces=False)
    mine, bobs = shelf.hang(), shelf.hang(owner=BOB)
    shelf.add(album_id, ann, mine, bobs)
    table = shelf.community.table
    assert [faces_allowed(shelf.now(photo), table=table) for photo in (mine, bobs)] == [False, True]


def test_only_the_owner_switches_faces(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "editor")
    wish = {"title": "Mine now", "findsFaces": False}
    assert shelf.browser.patch(f"/api/albums/{album_id}", json=wish, headers=bob).status_code == 403
    assert shelf.read(album_id, ann)["title"] == "Summer"
