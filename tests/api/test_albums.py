"""Albums by the API: made, changed, shared and deleted."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from sparks.feed.leaving import resume_album_deletions
from sparks.library import entity_types, keys
from sparks.model.events import UpkeepDue
from sparks.model.photo import Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import every
from tests.api.client import Client, refusal
from tests.api.community import CAROL, Community, Headers
from tests.api.shelf import Shelf
from tests.factories import ANN, BOB


@pytest.fixture
def shelf(community: Community, browser: Client) -> Shelf:
    return Shelf(community, browser)


def test_an_album_is_its_makers(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann, " The  sea ", description="Two weeks\nof it")
    told = shelf.read(album_id, ann)
    assert (told["title"], told["description"]) == ("The sea", "Two weeks\nof it")
    assert (told["owner"], told["ownerName"], told["role"]) == (ANN, "ann", "owner")
    assert (told["photoCount"], told["order"], told["findsFaces"]) == (0, "taken", True)
    assert shelf.browser.get(f"/api/albums/{album_id}", headers=bob).status_code == 404


@pytest.mark.parametrize("title", ["", "   ", "a" * 256, "\u202eback"])
def test_a_title_can_be_read(shelf: Shelf, ann: Headers, title: str) -> None:
    assert shelf.browser.post("/api/albums", json={"title": title}, headers=ann).status_code == 400


def test_albums_are_listed_to_their_members_the_last_made_first(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    first, second, third = (shelf.make(ann, title) for title in ("One", "Two", "Three"))
    shelf.join(second, ann, BOB, "viewer")
    page = shelf.browser.get("/api/albums?limit=2", headers=ann).json()
    assert [each["albumId"] for each in page["albums"]] == [third, second]
    rest = shelf.browser.get(f"/api/albums?limit=2&cursor={page['lastEvaluatedKey']}", headers=ann).json()
    assert [each["albumId"] for each in rest["albums"]] == [first]
    listed = shelf.browser.get("/api/albums", headers=bob).json()["albums"]
    assert [(each["albumId"], each["role"]) for each in listed] == [(second, "viewer")]


def test_what_is_not_named_stays_as_it_is(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann, "Sea", description="Far")
    changed = shelf.browser.patch(f"/api/albums/{album_id}", json={"title": "Lake"}, headers=ann).json()
    assert (changed["title"], changed["description"]) == ("Lake", "Far")
    cleared = shelf.browser.patch(f"/api/albums/{album_id}", json={"description": None}, headers=ann).json()
    assert cleared["title"] == "Lake"
    assert "description" not in cleared


@pytest.mark.parametrize(
    ("role", "edits", "adds", "manages"),
    [("editor", 200, 200, 403), ("contributor", 403, 200, 403), ("viewer", 403, 403, 403)],
)
def test_members_do_what_their_role_says(
    shelf: Shelf, ann: Headers, bob: Headers, role: str, edits: int, adds: int, manages: int
) -> None:
    album_id = shelf.make(ann)
    assert shelf.join(album_id, ann, BOB, role).json()["role"] == role
    album, ids = f"/api/albums/{album_id}", {"ids": [shelf.hang(owner=BOB).image_id]}
    assert shelf.browser.patch(album, json={"title": "Bob was here"}, headers=bob).status_code == edits
    assert shelf.browser.put(f"{album}/photos", json=ids, headers=bob).status_code == adds
    assert shelf.join(album_id, bob, CAROL, "viewer").status_code == manages
    assert shelf.browser.delete(album, headers=bob).status_code == manages


def test_members_are_named(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, CAROL, "editor")
    shelf.join(album_id, ann, BOB, "viewer")
    members = shelf.browser.get(f"/api/albums/{album_id}/members", headers=bob).json()["members"]
    assert [(each["username"], each["role"]) for each in members] == [
        ("ann", "owner"),
        ("bob", "viewer"),
        ("carol", "editor"),
    ]


def test_an_album_keeps_its_owner(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    assert shelf.join(album_id, ann, ANN, "viewer").status_code == 409
    assert shelf.join(album_id, ann, BOB, "owner").status_code == 422
    left = shelf.browser.delete(f"/api/albums/{album_id}/members/{ANN}", headers=ann)
    assert refusal(left)[:2] == (409, "CONFLICT")


def test_nobody_joins_who_has_no_account(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    assert shelf.join(album_id, ann, "nobody@example.com", "viewer").status_code == 404
    assert shelf.join(album_id, ann, "nobody", "viewer").status_code == 404


def test_who_leaves_takes_their_photos_along(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "contributor")
    private, mine = shelf.hang(owner=BOB, visibility=Visibility.PRIVATE), shelf.hang()
    assert shelf.add(album_id, bob, private) == ["added"]
    assert shelf.add(album_id, ann, mine) == ["added"]
    assert shelf.browser.delete(f"/api/albums/{album_id}/members/{BOB}", headers=bob).status_code == 204
    assert shelf.browser.get(f"/api/albums/{album_id}", headers=bob).status_code == 404
    shelf.community.work()
    assert shelf.ids(album_id, ann) == [mine.image_id]
    assert shelf.now(private).albums == ()


def test_who_was_removed_and_came_back_keeps_what_is_left(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "contributor")
    photo = shelf.hang(owner=BOB)
    shelf.add(album_id, bob, photo)
    shelf.browser.delete(f"/api/albums/{album_id}/members/{BOB}", headers=ann)
    shelf.join(album_id, ann, BOB, "contributor")
    shelf.community.work()
    assert shelf.ids(album_id, ann) == [photo.image_id]


def test_a_deleted_album_is_gone_at_once_and_its_photos_stay(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "viewer")
    photo = shelf.hang(visibility=Visibility.PRIVATE)
    shelf.add(album_id, ann, photo)
    assert shelf.browser.get(f"/api/photos/{photo.image_id}", headers=bob).status_code == 200
    assert shelf.browser.delete(f"/api/albums/{album_id}", headers=ann).status_code == 204
    assert shelf.browser.get(f"/api/albums/{album_id}", headers=ann).status_code == 404
    assert shelf.browser.get(f"/api/photos/{photo.image_id}", headers=bob).status_code == 404
    assert shelf.browser.get("/api/albums", headers=ann).json() == {"albums": []}
    shelf.community.work()
    assert shelf.now(photo) == replace(photo, albums_version=2)
    left = [row for row in shelf.community.table.scan().items if album_id in row["PK"] + row["SK"]]
    assert left == []


def test_an_album_whose_deletion_was_interrupted_goes_with_the_next_upkeep(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    photo = shelf.hang()
    shelf.add(album_id, ann, photo)
    shelf.browser.delete(f"/api/albums/{album_id}", headers=ann)
    assert list(every(shelf.community.table, entity_types.ALBUMS_DELETING))
    stores = shelf.community.stores
    due = partial(resume_album_deletions, table=stores.table, blobs=stores.blobs, keyring=stores.keyring)
    due(UpkeepDue(shelf.community.at))
    assert stores.table.get(keys.album(album_id)) is not None
    due(UpkeepDue(shelf.community.at + timedelta(hours=2)))
    assert stores.table.get(keys.album(album_id)) is None
    assert shelf.now(photo).albums == ()


def test_the_links_of_a_deleted_album_are_closed_at_once(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.add(album_id, ann, shelf.hang())
    link, _ = shelf.community.link_to(album_id, LinkPermission.VIEW)
    guest = shelf.community.guest_of(link)
    assert len(shelf.ids(album_id, guest)) == 1
    shelf.browser.delete(f"/api/albums/{album_id}", headers=ann)
    assert shelf.browser.get(f"/api/albums/{album_id}", headers=guest).status_code == 401
    shelf.community.work()
    assert list(every(shelf.community.table, keys.link_rows(link.link_id))) == []
