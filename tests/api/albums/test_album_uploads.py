"""Uploads that are added to an album."""

from hashlib import sha256

import pytest

from sparks.library import entity_types, keys
from sparks.library.consent import faces_allowed, subject_of_album
from sparks.library.photo_followups import update_followups
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.processing_state import finish_processing
from sparks.model.photo import Photo
from sparks.table.port import every
from tests.api.album_makers import AlbumClient
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.api.uploads.test_uploads import complete, put, reserve, upload
from tests.factories import ANN, BOB, NOON
from tests.library.photos.photo_makers import MADE
from tests.uploads.files import a_jpeg


@pytest.fixture
def albums(community: Community, browser: Client) -> AlbumClient:
    return AlbumClient(community, browser)


def process(albums: AlbumClient, image_id: str) -> Photo:
    photo = find_photo(image_id, table=albums.community.table)
    assert photo is not None
    return finish_processing(photo, MADE, at=NOON, table=albums.community.table)


def test_an_upload_appears_in_its_album_once_it_is_processed(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "contributor")
    data = a_jpeg()
    image_id = upload(albums.browser, bob, data, albumId=album_id, visibility="private").json()["imageId"]
    assert albums.ids(album_id, ann) == []
    assert albums.read(album_id, ann)["photoCount"] == 0
    process(albums, image_id)
    albums.add(album_id, ann, albums.add_photo())
    stores = albums.community.stores
    update_followups(image_id, BOB, table=stores.table, blobs=stores.blobs, keyring=stores.keyring)
    assert image_id in albums.ids(album_id, ann)
    assert albums.read(album_id, ann)["photoCount"] == 2


def test_a_direct_upload_is_added_to_its_album(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    posted = albums.browser.post(f"/api/photos?filename=sea.jpg&albumId={album_id}", content=a_jpeg(), headers=ann)
    assert posted.status_code == 201, posted.text
    photo = find_photo(posted.json()["imageId"], table=albums.community.table)
    assert photo is not None
    assert photo.albums == (album_id,)


@pytest.mark.parametrize(("role", "status"), [("contributor", 201), ("viewer", 403), (None, 404)])
def test_members_who_may_not_add_photos_cannot_upload_to_the_album(
    albums: AlbumClient, ann: Headers, bob: Headers, role: str | None, status: int
) -> None:
    album_id = albums.make(ann)
    if role is not None:
        albums.join(album_id, ann, BOB, role)
    fields = {"filename": "sea.jpg", "size": 1000, "albumId": album_id}
    assert albums.browser.post("/api/uploads", json=fields, headers=bob).status_code == status
    posted = albums.browser.post(f"/api/photos?filename=x.jpg&albumId={album_id}", content=a_jpeg(), headers=bob)
    assert posted.status_code == status


def test_a_duplicate_that_is_announced_by_its_hash_is_added_to_the_album(albums: AlbumClient, ann: Headers) -> None:
    album_id, data = albums.make(ann), a_jpeg()
    first = upload(albums.browser, ann, data).json()["imageId"]
    hint = sha256(data).hexdigest()
    fields = {"filename": "sea.jpg", "size": len(data), "sha256": hint, "albumId": album_id}
    same = albums.browser.post("/api/uploads", json=fields, headers=ann)
    assert same.json() == {"imageId": first, "duplicate": True}
    photo = find_photo(first, table=albums.community.table)
    assert photo is not None
    assert photo.albums == (album_id,)


def test_a_duplicate_that_is_found_on_completion_is_added_to_the_album(albums: AlbumClient, ann: Headers) -> None:
    album_id, data = albums.make(ann), a_jpeg()
    ticket = reserve(albums.browser, ann, data, albumId=album_id)
    put(albums.browser, ticket, data)
    first = upload(albums.browser, ann, data).json()["imageId"]
    assert complete(albums.browser, ann, ticket["imageId"]).json() == {"imageId": first, "duplicate": True}
    photo = find_photo(first, table=albums.community.table)
    assert photo is not None
    assert photo.albums == (album_id,)
    listed = [row["PK"] for row in every(albums.community.table, entity_types.album_photo(album_id))]
    assert listed == [first]


def test_a_canceled_upload_leaves_the_album(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    ticket = reserve(albums.browser, ann, a_jpeg(), albumId=album_id)
    assert albums.browser.delete(f"/api/uploads/{ticket['imageId']}", headers=ann).status_code == 204
    assert list(every(albums.community.table, entity_types.album_photo(album_id))) == []


def test_an_upload_whose_album_is_deleted_meanwhile_still_becomes_a_photo(albums: AlbumClient, ann: Headers) -> None:
    album_id, data = albums.make(ann), a_jpeg()
    ticket = reserve(albums.browser, ann, data, albumId=album_id)
    put(albums.browser, ticket, data)
    albums.browser.delete(f"/api/albums/{album_id}", headers=ann)
    albums.community.work()
    assert complete(albums.browser, ann, ticket["imageId"]).status_code == 201
    photo = find_photo(ticket["imageId"], table=albums.community.table)
    assert photo is not None
    assert photo.albums == ()


# -- Faces


def test_no_faces_are_detected_in_uploads_to_an_album_without_faces(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann, findsFaces=False)
    assert not albums.read(album_id, ann)["findsFaces"]
    image_id = upload(albums.browser, ann, a_jpeg(), albumId=album_id).json()["imageId"]
    photo = process(albums, image_id)
    assert not faces_allowed(photo, table=albums.community.table)
    assert albums.browser.patch(f"/api/albums/{album_id}", json={"findsFaces": True}, headers=ann).status_code == 200
    assert faces_allowed(photo, table=albums.community.table)
    consents = list(every(albums.community.table, keys.consents(subject_of_album(album_id))))
    assert [(each["who"], each["allowed"]) for each in consents] == [(ANN, False), (ANN, True)]


def test_adding_a_photo_of_another_user_does_not_change_whether_its_faces_are_detected(
    albums: AlbumClient, ann: Headers
) -> None:
    album_id = albums.make(ann, findsFaces=False)
    mine, bobs = albums.add_photo(), albums.add_photo(owner=BOB)
    albums.add(album_id, ann, mine, bobs)
    table = albums.community.table
    assert [faces_allowed(albums.now(photo), table=table) for photo in (mine, bobs)] == [False, True]


def test_only_the_owner_changes_the_face_setting_of_an_album(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "editor")
    fields = {"title": "Mine now", "findsFaces": False}
    assert albums.browser.patch(f"/api/albums/{album_id}", json=fields, headers=bob).status_code == 403
    assert albums.read(album_id, ann)["title"] == "Summer"
