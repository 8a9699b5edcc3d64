"""API during a migration: what the other service still owns cannot be changed, all else works."""

from typing import Any, Final

import pytest

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.model.errors import Migrating
from sparks.model.migration import OUTBOX_SHARDS, MigrationPhase, MigrationState, WriteSide
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Put, every
from tests.api.album_makers import AlbumClient
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, a_photo, a_user, an_album
from tests.library.photos.photo_makers import settled
from tests.uploads.files import a_jpeg

MIGRATING: Final = (409, "MIGRATING", str(Migrating()))
FIELDS: Final = {"filename": "sea.jpg"}


@pytest.fixture(params=[WriteSide.SOURCE, WriteSide.NEITHER])
def writes(request: pytest.FixtureRequest) -> WriteSide:
    side: WriteSide = request.param
    return side


@pytest.fixture
def albums(community: Community, browser: Client) -> AlbumClient:
    return AlbumClient(community, browser)


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def migrate(community: Community, writes: WriteSide, phase: MigrationPhase = MigrationPhase.BACKFILLED) -> None:
    community.keep(MigrationState(phase=phase, writes=writes))


def migrated(community: Community, **more: Any) -> Photo:
    return settled(community.table, source_id="old", file_size=1, **more)


def row(community: Community, photo: Photo) -> Photo:
    item = community.table.get(keys.photo(photo.image_id, photo.owner))
    assert item is not None
    return from_item(Photo, item)


def test_a_migrated_photo_is_neither_edited_nor_deleted(
    community: Community, browser: Client, ann: Headers, writes: WriteSide
) -> None:
    photo = migrated(community)
    migrate(community, writes)
    path = f"/api/photos/{photo.image_id}"
    assert refusal(browser.patch(path, json={"title": "Sea", "version": 1}, headers=ann)) == MIGRATING
    assert refusal(browser.delete(path, headers=ann)) == MIGRATING
    assert refusal(browser.delete(f"/api/me/photos/{photo.image_id}", headers=ann)) == MIGRATING
    assert row(community, photo) == photo


def test_an_empty_title_of_a_migrated_photo_is_no_way_around(
    community: Community, browser: Client, ann: Headers, writes: WriteSide
) -> None:
    photo = migrated(community, title="Sea")
    migrate(community, writes)
    edit = {"title": None, "version": 1}
    assert refusal(browser.patch(f"/api/photos/{photo.image_id}", json=edit, headers=ann)) == MIGRATING


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("change", {"addTags": ["sea"]}),
        ("change", {"visibility": "private"}),
        ("change", {"addTags": ["sea"], "favorite": True}),
        ("trash", {}),
        ("delete", {}),
    ],
)
def test_a_bulk_change_says_so_for_each_migrated_photo(
    community: Community, browser: Client, ann: Headers, writes: WriteSide, path: str, fields: dict[str, Any]
) -> None:
    photos = [migrated(community), settled(community.table, file_size=1), migrated(community)]
    migrate(community, writes)
    ids = [photo.image_id for photo in photos]
    response = browser.post(f"/api/photos/{path}", json={"ids": ids, **fields}, headers=ann)
    results = response.json()["results"]
    assert response.status_code == 200
    assert [each.get("error", "ok") for each in results] == ["MIGRATING", "ok", "MIGRATING"]
    assert results[0]["message"] == str(Migrating())
    assert [row(community, photo) for photo in (photos[0], photos[2])] == [photos[0], photos[2]]


def test_a_migrated_photo_is_not_restored_and_stays_when_the_trash_is_emptied(
    community: Community, browser: Client, ann: Headers, writes: WriteSide
) -> None:
    photo = community.keep(a_photo(source_id="old", file_size=1, state=PhotoState.TRASHED, trashed_at=community.at))
    migrate(community, writes)
    restored = browser.post("/api/photos/restore", json={"ids": [photo.image_id]}, headers=ann).json()["results"]
    assert [each["error"] for each in restored] == ["MIGRATING"]
    assert refusal(browser.delete("/api/me/trash", headers=ann)) == MIGRATING
    assert row(community, photo) == photo


def test_a_migrated_album_is_neither_edited_nor_deleted(
    community: Community, browser: Client, ann: Headers, albums: AlbumClient, writes: WriteSide
) -> None:
    album_id = albums.make(ann)
    community.keep(an_album(album_id=album_id, source_id="old"))
    migrate(community, writes)
    path = f"/api/albums/{album_id}"
    assert refusal(browser.patch(path, json={"title": "Sea"}, headers=ann)) == MIGRATING
    assert refusal(browser.patch(path, json={"description": "Sea"}, headers=ann)) == MIGRATING
    assert refusal(browser.delete(path, headers=ann)) == MIGRATING
    assert albums.read(album_id, ann)["title"] == "Summer"
    assert albums.join(album_id, ann, BOB, "viewer").status_code == 200


def test_a_migrated_photo_stays_in_the_albums_it_is_in(
    community: Community, ann: Headers, albums: AlbumClient, writes: WriteSide
) -> None:
    here, there = albums.make(ann), albums.make(ann)
    photo, fresh = migrated(community), albums.add_photo()
    albums.add(here, ann, photo)
    migrate(community, writes)
    assert albums.add(there, ann, photo, fresh) == ["MIGRATING", "added"]
    assert albums.remove(here, ann, photo) == ["MIGRATING"]
    assert albums.ids(here, ann) == [photo.image_id]


def test_a_migrated_photo_stays_in_an_album_whose_member_leaves(
    community: Community, ann: Headers, bob: Headers, browser: Client, albums: AlbumClient, writes: WriteSide
) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "contributor")
    photo, fresh = migrated(community, owner=BOB), settled(community.table, owner=BOB)
    albums.add(album_id, bob, photo, fresh)
    migrate(community, writes)
    assert browser.delete(f"/api/albums/{album_id}/members/{BOB}", headers=ann).status_code == 204
    assert [report.done for report in community.work() if report.kind == "withdraw_who_left"] == [True]
    assert albums.ids(album_id, ann) == [photo.image_id]


def test_a_migrated_account_is_neither_renamed_nor_removed(
    community: Community, browser: Client, ann: Headers, carol: Headers, writes: WriteSide
) -> None:
    community.keep(a_user(source_id="old"))
    migrate(community, writes)
    assert refusal(browser.patch("/api/me/profile", json={"username": "Anna"}, headers=ann)) == MIGRATING
    assert refusal(browser.delete(f"/api/users/{ANN}", headers=carol)) == MIGRATING
    assert browser.patch("/api/me/profile", json={"username": "Carla"}, headers=carol).status_code == 200
    assert browser.delete(f"/api/users/{BOB}", headers=carol).status_code == 202
    community.work()
    assert community.table.get(keys.user(BOB)) is None


def test_tags_of_migrated_photos_are_not_renamed(
    community: Community, browser: Client, ann: Headers, writes: WriteSide
) -> None:
    photo, fresh = migrated(community, tags=("sea",)), settled(community.table, tags=("sea",))
    migrate(community, writes)
    begun = browser.patch("/api/tags/sea", json={"name": "lake"}, headers=ann)
    community.work()
    done = browser.get(f"/api/me/tag-changes/{begun.json()['changeId']}", headers=ann).json()
    assert (done["done"], done["failed"]) == (1, 1)
    assert (row(community, photo).tags, row(community, fresh).tags) == (("sea",), ("lake",))


def test_reads_favorites_and_new_photos_work(
    community: Community, browser: Client, ann: Headers, albums: AlbumClient, writes: WriteSide
) -> None:
    photo = migrated(community)
    album_id = albums.make(ann)
    community.keep(an_album(album_id=album_id, source_id="old"))
    migrate(community, writes)
    assert browser.get(f"/api/photos/{photo.image_id}", headers=ann).status_code == 200
    assert browser.put(f"/api/photos/{photo.image_id}/favorite", headers=ann).status_code == 204
    assert [each["imageId"] for each in browser.get("/api/me/favorites", headers=ann).json()["images"]] == [
        photo.image_id
    ]
    upload = browser.post(f"/api/photos?filename=new.jpg&albumId={album_id}", content=a_jpeg(500), headers=ann)
    assert upload.status_code == 201, upload.text
    fresh = upload.json()["imageId"]
    edited = browser.patch(f"/api/photos/{fresh}", json={"title": "New", "version": 1}, headers=ann)
    assert edited.status_code == 200
    assert albums.read(album_id, ann)["albumId"] == album_id
    assert browser.delete(f"/api/photos/{fresh}", headers=ann).status_code == 204
    community.work()
    assert browser.get(f"/api/photos/{fresh}", headers=ann).status_code == 404


def test_after_the_cutover_all_can_be_changed_and_is_mirrored(
    community: Community, browser: Client, ann: Headers
) -> None:
    photo = migrated(community)
    migrate(community, WriteSide.TARGET, MigrationPhase.CUTOVER)
    path = f"/api/photos/{photo.image_id}"
    assert browser.patch(path, json={"title": "Sea", "version": 1}, headers=ann).status_code == 200
    assert browser.delete(path, headers=ann).status_code == 204
    community.work()
    rows = [each for shard in range(OUTBOX_SHARDS) for each in every(community.table, keys.mirror_outbox(shard))]
    assert {(each["kind"], each["id"], each["owner"], each["sourceId"]) for each in rows} == {
        ("photo", photo.image_id, ANN, "old")
    }
    assert len(rows) == 3


def test_a_refused_removal_of_an_account_leaves_it_open(
    community: Community, browser: Client, carol: Headers, ann: Headers
) -> None:
    community.table.write(Put(to_item(a_user(source_id="old"))))
    migrate(community, WriteSide.SOURCE)
    assert refusal(browser.delete(f"/api/users/{ANN}", headers=carol)) == MIGRATING
    assert browser.get("/api/me/profile", headers=ann).status_code == 200
