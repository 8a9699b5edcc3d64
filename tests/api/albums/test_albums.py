"""Albums: created, changed, shared and deleted."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from sparks.albums.departures import resume_album_deletions
from sparks.library import entity_types, keys
from sparks.model.events import UpkeepDue
from sparks.model.photo import Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import every
from tests.api.album_makers import AlbumClient
from tests.api.client import Client, refusal
from tests.api.community import CAROL, Community, Headers
from tests.factories import ANN, BOB


@pytest.fixture
def albums(community: Community, browser: Client) -> AlbumClient:
    return AlbumClient(community, browser)


def test_the_creator_of_an_album_owns_it(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann, " The  sea ", description="Two weeks\nof it")
    body = albums.read(album_id, ann)
    assert (body["title"], body["description"]) == ("The sea", "Two weeks\nof it")
    assert (body["owner"], body["ownerName"], body["role"]) == (ANN, "ann", "owner")
    assert (body["photoCount"], body["order"], body["findsFaces"]) == (0, "taken", True)
    assert albums.browser.get(f"/api/albums/{album_id}", headers=bob).status_code == 404


@pytest.mark.parametrize("title", ["", "   ", "a" * 256, "\u202eback"])
def test_an_album_needs_a_visible_title(albums: AlbumClient, ann: Headers, title: str) -> None:
    assert albums.browser.post("/api/albums", json={"title": title}, headers=ann).status_code == 400


def test_albums_are_listed_to_their_members_newest_first(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    first, second, third = (albums.make(ann, title) for title in ("One", "Two", "Three"))
    albums.join(second, ann, BOB, "viewer")
    page = albums.browser.get("/api/albums?limit=2", headers=ann).json()
    assert [each["albumId"] for each in page["albums"]] == [third, second]
    rest = albums.browser.get(f"/api/albums?limit=2&cursor={page['lastEvaluatedKey']}", headers=ann).json()
    assert [each["albumId"] for each in rest["albums"]] == [first]
    listed = albums.browser.get("/api/albums", headers=bob).json()["albums"]
    assert [(each["albumId"], each["role"]) for each in listed] == [(second, "viewer")]


def test_a_change_of_an_album_keeps_fields_that_are_left_out(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann, "Sea", description="Far")
    changed = albums.browser.patch(f"/api/albums/{album_id}", json={"title": "Lake"}, headers=ann).json()
    assert (changed["title"], changed["description"]) == ("Lake", "Far")
    cleared = albums.browser.patch(f"/api/albums/{album_id}", json={"description": None}, headers=ann).json()
    assert cleared["title"] == "Lake"
    assert "description" not in cleared


@pytest.mark.parametrize(
    ("role", "edits", "adds", "manages"),
    [("editor", 200, 200, 403), ("contributor", 403, 200, 403), ("viewer", 403, 403, 403)],
)
def test_each_role_allows_its_actions(
    albums: AlbumClient, ann: Headers, bob: Headers, role: str, edits: int, adds: int, manages: int
) -> None:
    album_id = albums.make(ann)
    assert albums.join(album_id, ann, BOB, role).json()["role"] == role
    album, ids = f"/api/albums/{album_id}", {"ids": [albums.add_photo(owner=BOB).image_id]}
    assert albums.browser.patch(album, json={"title": "Bob was here"}, headers=bob).status_code == edits
    assert albums.browser.put(f"{album}/photos", json=ids, headers=bob).status_code == adds
    assert albums.join(album_id, bob, CAROL, "viewer").status_code == manages
    assert albums.browser.delete(album, headers=bob).status_code == manages


def test_members_are_listed_with_their_names(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, CAROL, "editor")
    albums.join(album_id, ann, BOB, "viewer")
    members = albums.browser.get(f"/api/albums/{album_id}/members", headers=bob).json()["members"]
    assert [(each["username"], each["role"]) for each in members] == [
        ("ann", "owner"),
        ("bob", "viewer"),
        ("carol", "editor"),
    ]


def test_the_owner_of_an_album_stays_its_only_owner(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    assert albums.join(album_id, ann, ANN, "viewer").status_code == 409
    assert albums.join(album_id, ann, BOB, "owner").status_code == 422
    left = albums.browser.delete(f"/api/albums/{album_id}/members/{ANN}", headers=ann)
    assert refusal(left)[:2] == (409, "CONFLICT")


def test_only_users_with_an_account_become_members(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    assert albums.join(album_id, ann, "nobody@example.com", "viewer").status_code == 404
    assert albums.join(album_id, ann, "nobody", "viewer").status_code == 404


def test_the_photos_of_a_member_who_leaves_are_removed_from_the_album(
    albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "contributor")
    private, mine = albums.add_photo(owner=BOB, visibility=Visibility.PRIVATE), albums.add_photo()
    assert albums.add(album_id, bob, private) == ["added"]
    assert albums.add(album_id, ann, mine) == ["added"]
    assert albums.browser.delete(f"/api/albums/{album_id}/members/{BOB}", headers=bob).status_code == 204
    assert albums.browser.get(f"/api/albums/{album_id}", headers=bob).status_code == 404
    albums.community.work()
    assert albums.ids(album_id, ann) == [mine.image_id]
    assert albums.now(private).albums == ()


def test_a_member_who_was_removed_and_added_again_keeps_the_remaining_photos(
    albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "contributor")
    photo = albums.add_photo(owner=BOB)
    albums.add(album_id, bob, photo)
    albums.browser.delete(f"/api/albums/{album_id}/members/{BOB}", headers=ann)
    albums.join(album_id, ann, BOB, "contributor")
    albums.community.work()
    assert albums.ids(album_id, ann) == [photo.image_id]


def test_a_deleted_album_is_gone_at_once_and_its_photos_stay(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "viewer")
    photo = albums.add_photo(visibility=Visibility.PRIVATE)
    albums.add(album_id, ann, photo)
    assert albums.browser.get(f"/api/photos/{photo.image_id}", headers=bob).status_code == 200
    assert albums.browser.delete(f"/api/albums/{album_id}", headers=ann).status_code == 204
    assert albums.browser.get(f"/api/albums/{album_id}", headers=ann).status_code == 404
    assert albums.browser.get(f"/api/photos/{photo.image_id}", headers=bob).status_code == 404
    assert albums.browser.get("/api/albums", headers=ann).json() == {"albums": [], "hasMore": False}
    albums.community.work()
    assert albums.now(photo) == replace(photo, albums_version=2)
    left = [row for row in albums.community.table.scan().items if album_id in row["PK"] + row["SK"]]
    assert left == []


def test_an_interrupted_album_deletion_is_finished_by_the_next_upkeep(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    photo = albums.add_photo()
    albums.add(album_id, ann, photo)
    albums.browser.delete(f"/api/albums/{album_id}", headers=ann)
    assert list(every(albums.community.table, entity_types.ALBUMS_DELETING))
    stores = albums.community.stores
    due = partial(resume_album_deletions, table=stores.table, blobs=stores.blobs, keyring=stores.keyring)
    due(UpkeepDue(albums.community.at))
    assert stores.table.get(keys.album(album_id)) is not None
    due(UpkeepDue(albums.community.at + timedelta(hours=2)))
    assert stores.table.get(keys.album(album_id)) is None
    assert albums.now(photo).albums == ()


def test_the_links_of_a_deleted_album_end_at_once(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    albums.add(album_id, ann, albums.add_photo())
    link, _ = albums.community.link_to(album_id, LinkPermission.VIEW)
    guest = albums.community.guest_of(link)
    assert len(albums.ids(album_id, guest)) == 1
    albums.browser.delete(f"/api/albums/{album_id}", headers=ann)
    assert albums.browser.get(f"/api/albums/{album_id}", headers=guest).status_code == 401
    albums.community.work()
    assert list(every(albums.community.table, keys.link_rows(link.link_id))) == []
