"""The photos of an album by the API: who adds what, who sees it, in which order, and how many there are."""

from datetime import timedelta
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.album import Album
from sparks.model.photo import PhotoState, Visibility
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.api.shelf import Shelf
from tests.factories import ANN, BOB, NOON


@pytest.fixture
def shelf(community: Community, browser: Client) -> Shelf:
    return Shelf(community, browser)


def at(hours: float) -> dict[str, Any]:
    return {"taken_at": NOON + timedelta(hours=hours)}


def change(shelf: Shelf, album_id: str, who: Headers, **wish: Any) -> int:
    return shelf.browser.patch(f"/api/albums/{album_id}", json=wish, headers=who).status_code


def test_photos_are_listed_by_the_time_they_were_taken(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    photos = [shelf.hang(**at(hours)) for hours in (0, 900, 30, 1, 5000)]
    assert shelf.add(album_id, ann, *photos) == ["added"] * 5
    ordered = [photos[index].image_id for index in (4, 1, 2, 3, 0)]
    assert shelf.ids(album_id, ann) == ordered
    assert shelf.ids(album_id, ann, limit=2) == ordered
    assert shelf.read(album_id, ann)["photoCount"] == 5
    assert shelf.read(album_id, ann)["firstMonth"] == "2025-08"
    assert shelf.read(album_id, ann)["lastMonth"] == "2026-02"


def test_adding_is_told_for_each(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    mine, private = shelf.hang(), shelf.hang(owner=BOB, visibility=Visibility.PRIVATE)
    trashed, theirs = shelf.hang(state=PhotoState.TRASHED), shelf.hang(owner=BOB)
    assert shelf.add(album_id, ann, mine) == ["added"]
    results = shelf.add(album_id, ann, mine, private, trashed, theirs)
    assert results == ["there", "NOT_FOUND", "CONFLICT", "added"]
    assert shelf.now(theirs).albums == (album_id,)


def test_a_contributor_adds_and_removes_their_own(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "contributor")
    anns, bobs = shelf.hang(), shelf.hang(owner=BOB, visibility=Visibility.PRIVATE)
    assert shelf.add(album_id, bob, anns, bobs) == ["NOT_ALLOWED", "added"]
    shelf.add(album_id, ann, anns)
    assert shelf.remove(album_id, bob, anns, bobs) == ["NOT_ALLOWED", "removed"]
    assert shelf.ids(album_id, bob) == [anns.image_id]


def test_who_was_made_a_viewer_still_takes_out_their_own(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "contributor")
    photo = shelf.hang(owner=BOB)
    shelf.add(album_id, bob, photo)
    shelf.join(album_id, ann, BOB, "viewer")
    assert shelf.remove(album_id, bob, photo) == ["removed"]


def test_an_editor_cannot_pass_on_what_they_see_in_another_album(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    shown, own = shelf.make(ann), shelf.make(bob)
    shelf.join(shown, ann, BOB, "editor")
    private = shelf.hang(visibility=Visibility.PRIVATE)
    shelf.add(shown, ann, private)
    assert shelf.ids(shown, bob) == [private.image_id]
    assert shelf.add(own, bob, private) == ["NOT_ALLOWED"]


def test_a_private_photo_is_seen_by_members_and_nobody_else(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    photo = shelf.hang(visibility=Visibility.PRIVATE)
    shelf.add(album_id, ann, photo)
    path = f"/api/photos/{photo.image_id}"
    assert shelf.browser.get(path, headers=bob).status_code == 404
    shelf.join(album_id, ann, BOB, "viewer")
    assert shelf.browser.get(path, headers=bob).status_code == 200
    assert shelf.browser.get(path, headers=shelf.community.session_of(shelf.community.carol)).status_code == 404
    shelf.remove(album_id, ann, photo)
    assert shelf.browser.get(path, headers=bob).status_code == 404
    assert shelf.ids(album_id, bob) == []
    assert shelf.read(album_id, bob)["photoCount"] == 0


def test_somebody_elses_photo_is_there_while_the_community_sees_it(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    photo = shelf.hang(owner=BOB)
    link, _ = shelf.community.link_to(album_id, LinkPermission.VIEW)
    guest = shelf.community.guest_of(link)
    assert shelf.add(album_id, ann, photo) == ["added"]
    assert shelf.ids(album_id, guest) == [photo.image_id]

    def show(visibility: str) -> None:
        wish = {"ids": [photo.image_id], "visibility": visibility}
        shelf.browser.post("/api/photos/change", json=wish, headers=bob)

    show("private")
    assert shelf.browser.get(f"/api/photos/{photo.image_id}", headers=guest).status_code == 404
    assert shelf.ids(album_id, ann) == shelf.ids(album_id, guest) == []
    assert shelf.read(album_id, ann)["photoCount"] == 0
    show("community")
    shelf.community.work()
    assert shelf.ids(album_id, guest) == [photo.image_id]
    assert shelf.read(album_id, ann)["photoCount"] == 1


def test_what_its_owner_adds_too_stays_when_it_is_private(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "contributor")
    photo = shelf.hang(owner=BOB)
    assert [shelf.add(album_id, who, photo) for who in (ann, bob)] == [["added"], ["added"]]
    wish = {"ids": [photo.image_id], "visibility": "private"}
    shelf.browser.post("/api/photos/change", json=wish, headers=bob)
    assert shelf.ids(album_id, ann) == [photo.image_id]


@pytest.mark.parametrize("visibility", Visibility)
def test_what_is_thrown_away_leaves_and_comes_back(shelf: Shelf, ann: Headers, visibility: Visibility) -> None:
    album_id = shelf.make(ann)
    photos = [shelf.hang(visibility=visibility, **at(hours)) for hours in range(3)]
    shelf.add(album_id, ann, *photos)
    ids = {"ids": [photos[1].image_id]}
    shelf.browser.post("/api/photos/trash", json=ids, headers=ann)
    assert shelf.ids(album_id, ann) == [photos[2].image_id, photos[0].image_id]
    assert shelf.read(album_id, ann)["photoCount"] == 2
    shelf.browser.post("/api/photos/restore", json=ids, headers=ann)
    shelf.community.work()
    assert shelf.ids(album_id, ann) == [photo.image_id for photo in reversed(photos)]
    shelf.browser.post("/api/photos/delete", json=ids, headers=ann)
    shelf.community.work()
    assert shelf.read(album_id, ann)["photoCount"] == 2


def test_the_order_is_what_people_say(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    photos = [shelf.hang(**at(hours)) for hours in (3, 1, 2)]
    for photo in photos:
        shelf.community.pass_time(seconds=1)
        shelf.add(album_id, ann, photo)
    first, second, third = (photo.image_id for photo in photos)
    assert shelf.ids(album_id, ann) == [first, third, second]
    assert change(shelf, album_id, ann, order="added") == 200
    assert shelf.ids(album_id, ann, limit=1) == [third, second, first]
    assert change(shelf, album_id, ann, order="hand") == 200
    assert shelf.ids(album_id, ann, limit=1) == [first, second, third]


def test_photos_are_put_in_order_by_hand(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann, order="hand")
    photos = [shelf.hang() for _ in range(5)]
    a, b, c, d, e = (photo.image_id for photo in photos)
    shelf.add(album_id, ann, *photos)
    path = f"/api/albums/{album_id}/photos/move"

    def move(*ids: str, before: str | None = None) -> list[str]:
        answer = shelf.browser.post(path, json={"ids": list(ids), "before": before}, headers=ann)
        assert answer.status_code == 204, answer.text
        return shelf.ids(album_id, ann)

    assert shelf.ids(album_id, ann) == [a, b, c, d, e]
    assert move(e, before=a) == [e, a, b, c, d]
    assert move(a, d, before=c) == [e, b, a, d, c]
    assert move(e) == [b, a, d, c, e]
    for _ in range(15):  # there is room for a while, and then room is made
        assert move(e, before=a)[1:4] in ([e, a, d], [c, e, a])
        assert move(c, before=a) == [b, e, c, a, d]
    assert shelf.browser.post(path, json={"ids": [a], "before": a}, headers=ann).status_code == 400
    stranger = shelf.hang().image_id
    assert shelf.browser.post(path, json={"ids": [stranger]}, headers=ann).status_code == 404
    change(shelf, album_id, ann, order="taken")
    assert shelf.browser.post(path, json={"ids": [a]}, headers=ann).status_code == 409


def test_an_album_of_many_photos_is_in_the_order_of_time(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    row = shelf.community.table.get(keys.album(album_id))
    assert row is not None
    shelf.community.keep(from_item(Album, {**row, "photoCount": 5001}))
    assert change(shelf, album_id, ann, order="hand") == 409
    shelf.community.keep(from_item(Album, {**row, "photoCount": 5000, "order": "hand"}))
    assert shelf.add(album_id, ann, shelf.hang()) == ["CONFLICT"]


def test_the_cover_is_a_photo_of_the_album(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    shelf.join(album_id, ann, BOB, "viewer")
    first, second, other = (shelf.hang(visibility=Visibility.PRIVATE, thumbhash=b"abc") for _ in range(3))
    assert "cover" not in shelf.read(album_id, ann)
    shelf.add(album_id, ann, first)
    cover = shelf.read(album_id, bob)["cover"]
    assert (cover["imageId"], cover["thumbhash"], cover["chosen"]) == (first.image_id, "YWJj", False)
    shelf.add(album_id, ann, second)
    assert change(shelf, album_id, ann, coverImageId=second.image_id) == 200
    assert shelf.read(album_id, ann)["cover"]["imageId"] == second.image_id
    assert change(shelf, album_id, ann, coverImageId=other.image_id) == 409
    assert change(shelf, album_id, ann, coverImageId="nothing") == 404
    shelf.remove(album_id, ann, second)
    assert shelf.read(album_id, ann)["cover"]["imageId"] == first.image_id
    shelf.browser.post("/api/photos/trash", json={"ids": [first.image_id]}, headers=ann)
    assert "cover" not in shelf.read(album_id, ann)


def test_a_photo_is_in_at_most_a_hundred_albums(shelf: Shelf, ann: Headers) -> None:
    photo = shelf.hang()
    albums = [shelf.make(ann) for _ in range(101)]
    results = [shelf.add(album_id, ann, photo) for album_id in albums]
    assert results == [["added"]] * 100 + [["CONFLICT"]]
    assert shelf.now(photo).albums == tuple(sorted(albums[:100]))
    shelf.remove(albums[0], ann, photo)
    assert shelf.add(albums[100], ann, photo) == ["added"]


def test_five_hundred_are_added_at_once(shelf: Shelf, ann: Headers) -> None:
    album_id = shelf.make(ann)
    photos = [shelf.hang(**at(index)) for index in range(500)]
    assert set(shelf.add(album_id, ann, *photos)) == {"added"}
    assert shelf.read(album_id, ann)["photoCount"] == 500
    assert shelf.ids(album_id, ann, limit=500) == [photo.image_id for photo in reversed(photos)]
    assert set(shelf.remove(album_id, ann, *photos)) == {"removed"}
    assert shelf.read(album_id, ann)["photoCount"] == 0
    too_many = {"ids": [photo.image_id for photo in photos] + ["one more"]}
    assert shelf.browser.put(f"/api/albums/{album_id}/photos", json=too_many, headers=ann).status_code == 422


def test_a_timeline_of_the_album(shelf: Shelf, ann: Headers, bob: Headers) -> None:
    album_id = shelf.make(ann)
    photos = [shelf.hang(visibility=Visibility.PRIVATE, **at(hours)) for hours in (0, 1, 900)]
    shelf.add(album_id, ann, *photos)
    path = f"/api/timeline?scope={album_id}"
    assert shelf.browser.get(path, headers=bob).status_code == 404
    shelf.join(album_id, ann, BOB, "viewer")
    months = shelf.browser.get(path, headers=bob).json()["months"]
    assert [(each["month"], each["count"]) for each in months] == [("2025-09", 1), ("2025-08", 2)]
    month = shelf.browser.get(f"/api/timeline/2025-08?scope={album_id}&signed=true", headers=bob).json()
    assert month["ids"] == [photos[1].image_id, photos[0].image_id]
    strip = shelf.browser.get(f"/api/timeline/ratios?scope={album_id}", headers=bob).content
    assert len(strip) == 2 * 20 + 3
    assert ANN not in shelf.browser.get(path, headers=bob).text
