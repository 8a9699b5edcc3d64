"""Photos of an album: added, seen, ordered and counted."""

from datetime import timedelta
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.album import Album
from sparks.model.photo import PhotoState, Visibility
from sparks.model.share import LinkPermission
from tests.api.album_makers import AlbumClient
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, NOON


@pytest.fixture
def albums(community: Community, browser: Client) -> AlbumClient:
    return AlbumClient(community, browser)


def at(hours: float) -> dict[str, Any]:
    return {"taken_at": NOON + timedelta(hours=hours)}


def change(albums: AlbumClient, album_id: str, who: Headers, **fields: Any) -> int:
    return albums.browser.patch(f"/api/albums/{album_id}", json=fields, headers=who).status_code


def test_photos_are_listed_by_the_time_they_were_taken(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    photos = [albums.add_photo(**at(hours)) for hours in (0, 900, 30, 1, 5000)]
    assert albums.add(album_id, ann, *photos) == ["added"] * 5
    ordered = [photos[index].image_id for index in (4, 1, 2, 3, 0)]
    assert albums.ids(album_id, ann) == ordered
    assert albums.ids(album_id, ann, limit=2) == ordered
    assert albums.read(album_id, ann)["photoCount"] == 5
    assert albums.read(album_id, ann)["firstMonth"] == "2025-08"
    assert albums.read(album_id, ann)["lastMonth"] == "2026-02"


def test_each_added_photo_has_its_own_result(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    mine, private = albums.add_photo(), albums.add_photo(owner=BOB, visibility=Visibility.PRIVATE)
    trashed, theirs = albums.add_photo(state=PhotoState.TRASHED), albums.add_photo(owner=BOB)
    assert albums.add(album_id, ann, mine) == ["added"]
    results = albums.add(album_id, ann, mine, private, trashed, theirs)
    assert results == ["there", "NOT_FOUND", "CONFLICT", "added"]
    assert albums.now(theirs).albums == (album_id,)


def test_a_contributor_adds_and_removes_only_their_own_photos(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "contributor")
    anns, bobs = albums.add_photo(), albums.add_photo(owner=BOB, visibility=Visibility.PRIVATE)
    assert albums.add(album_id, bob, anns, bobs) == ["NOT_ALLOWED", "added"]
    albums.add(album_id, ann, anns)
    assert albums.remove(album_id, bob, anns, bobs) == ["NOT_ALLOWED", "removed"]
    assert albums.ids(album_id, bob) == [anns.image_id]


def test_a_member_who_became_a_viewer_still_removes_their_own_photos(
    albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "contributor")
    photo = albums.add_photo(owner=BOB)
    albums.add(album_id, bob, photo)
    albums.join(album_id, ann, BOB, "viewer")
    assert albums.remove(album_id, bob, photo) == ["removed"]


def test_an_editor_cannot_add_a_private_photo_that_they_see_in_another_album(
    albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    shown, own = albums.make(ann), albums.make(bob)
    albums.join(shown, ann, BOB, "editor")
    private = albums.add_photo(visibility=Visibility.PRIVATE)
    albums.add(shown, ann, private)
    assert albums.ids(shown, bob) == [private.image_id]
    assert albums.add(own, bob, private) == ["NOT_ALLOWED"]


def test_a_private_photo_of_an_album_is_seen_by_its_members_only(
    albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    album_id = albums.make(ann)
    photo = albums.add_photo(visibility=Visibility.PRIVATE)
    albums.add(album_id, ann, photo)
    path = f"/api/photos/{photo.image_id}"
    assert albums.browser.get(path, headers=bob).status_code == 404
    albums.join(album_id, ann, BOB, "viewer")
    assert albums.browser.get(path, headers=bob).status_code == 200
    assert albums.browser.get(path, headers=albums.community.session_of(albums.community.carol)).status_code == 404
    albums.remove(album_id, ann, photo)
    assert albums.browser.get(path, headers=bob).status_code == 404
    assert albums.ids(album_id, bob) == []
    assert albums.read(album_id, bob)["photoCount"] == 0


def test_a_photo_that_another_user_added_is_shown_while_the_community_sees_it(
    albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    album_id = albums.make(ann)
    photo = albums.add_photo(owner=BOB)
    link, _ = albums.community.link_to(album_id, LinkPermission.VIEW)
    guest = albums.community.guest_of(link)
    assert albums.add(album_id, ann, photo) == ["added"]
    assert albums.ids(album_id, guest) == [photo.image_id]

    def set_visibility(visibility: str) -> None:
        fields = {"ids": [photo.image_id], "visibility": visibility}
        albums.browser.post("/api/photos/change", json=fields, headers=bob)

    set_visibility("private")
    assert albums.browser.get(f"/api/photos/{photo.image_id}", headers=guest).status_code == 404
    assert albums.ids(album_id, ann) == albums.ids(album_id, guest) == []
    assert albums.read(album_id, ann)["photoCount"] == 0
    set_visibility("community")
    albums.community.work()
    assert albums.ids(album_id, guest) == [photo.image_id]
    assert albums.read(album_id, ann)["photoCount"] == 1


def test_a_photo_that_its_owner_adds_too_stays_in_the_album_when_it_is_private(
    albums: AlbumClient, ann: Headers, bob: Headers
) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "contributor")
    photo = albums.add_photo(owner=BOB)
    assert [albums.add(album_id, who, photo) for who in (ann, bob)] == [["added"], ["added"]]
    fields = {"ids": [photo.image_id], "visibility": "private"}
    albums.browser.post("/api/photos/change", json=fields, headers=bob)
    assert albums.ids(album_id, ann) == [photo.image_id]


@pytest.mark.parametrize("visibility", Visibility)
def test_a_trashed_photo_leaves_the_album_until_it_is_restored(
    albums: AlbumClient, ann: Headers, visibility: Visibility
) -> None:
    album_id = albums.make(ann)
    photos = [albums.add_photo(visibility=visibility, **at(hours)) for hours in range(3)]
    albums.add(album_id, ann, *photos)
    ids = {"ids": [photos[1].image_id]}
    albums.browser.post("/api/photos/trash", json=ids, headers=ann)
    assert albums.ids(album_id, ann) == [photos[2].image_id, photos[0].image_id]
    assert albums.read(album_id, ann)["photoCount"] == 2
    albums.browser.post("/api/photos/restore", json=ids, headers=ann)
    albums.community.work()
    assert albums.ids(album_id, ann) == [photo.image_id for photo in reversed(photos)]
    albums.browser.post("/api/photos/delete", json=ids, headers=ann)
    albums.community.work()
    assert albums.read(album_id, ann)["photoCount"] == 2


def test_the_order_of_an_album_can_be_changed(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    photos = [albums.add_photo(**at(hours)) for hours in (3, 1, 2)]
    for photo in photos:
        albums.community.pass_time(seconds=1)
        albums.add(album_id, ann, photo)
    first, second, third = (photo.image_id for photo in photos)
    assert albums.ids(album_id, ann) == [first, third, second]
    assert change(albums, album_id, ann, order="added") == 200
    assert albums.ids(album_id, ann, limit=1) == [third, second, first]
    assert change(albums, album_id, ann, order="hand") == 200
    assert albums.ids(album_id, ann, limit=1) == [first, second, third]


def test_photos_are_put_in_order_by_hand(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann, order="hand")
    photos = [albums.add_photo() for _ in range(5)]
    a, b, c, d, e = (photo.image_id for photo in photos)
    albums.add(album_id, ann, *photos)
    path = f"/api/albums/{album_id}/photos/move"

    def move(*ids: str, before: str | None = None) -> list[str]:
        response = albums.browser.post(path, json={"ids": list(ids), "before": before}, headers=ann)
        assert response.status_code == 204, response.text
        return albums.ids(album_id, ann)

    assert albums.ids(album_id, ann) == [a, b, c, d, e]
    assert move(e, before=a) == [e, a, b, c, d]
    assert move(a, d, before=c) == [e, b, a, d, c]
    assert move(e) == [b, a, d, c, e]
    for _ in range(15):  # until positions run out and are spread again
        assert move(e, before=a)[1:4] in ([e, a, d], [c, e, a])
        assert move(c, before=a) == [b, e, c, a, d]
    assert albums.browser.post(path, json={"ids": [a], "before": a}, headers=ann).status_code == 400
    outside = albums.add_photo().image_id
    assert albums.browser.post(path, json={"ids": [outside]}, headers=ann).status_code == 404
    change(albums, album_id, ann, order="taken")
    assert albums.browser.post(path, json={"ids": [a]}, headers=ann).status_code == 409


def test_an_album_of_many_photos_can_only_be_ordered_by_time(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    row = albums.community.table.get(keys.album(album_id))
    assert row is not None
    albums.community.keep(from_item(Album, {**row, "photoCount": 5001}))
    assert change(albums, album_id, ann, order="hand") == 409
    albums.community.keep(from_item(Album, {**row, "photoCount": 5000, "order": "hand"}))
    assert albums.add(album_id, ann, albums.add_photo()) == ["CONFLICT"]


def test_the_cover_is_a_photo_of_the_album(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    albums.join(album_id, ann, BOB, "viewer")
    first, second, other = (albums.add_photo(visibility=Visibility.PRIVATE, thumbhash=b"abc") for _ in range(3))
    assert "cover" not in albums.read(album_id, ann)
    albums.add(album_id, ann, first)
    cover = albums.read(album_id, bob)["cover"]
    assert (cover["imageId"], cover["thumbhash"], cover["chosen"]) == (first.image_id, "YWJj", False)
    albums.add(album_id, ann, second)
    assert change(albums, album_id, ann, coverImageId=second.image_id) == 200
    assert albums.read(album_id, ann)["cover"]["imageId"] == second.image_id
    assert change(albums, album_id, ann, coverImageId=other.image_id) == 409
    assert change(albums, album_id, ann, coverImageId="nothing") == 404
    albums.remove(album_id, ann, second)
    assert albums.read(album_id, ann)["cover"]["imageId"] == first.image_id
    albums.browser.post("/api/photos/trash", json={"ids": [first.image_id]}, headers=ann)
    assert "cover" not in albums.read(album_id, ann)


def test_a_photo_is_in_at_most_a_hundred_albums(albums: AlbumClient, ann: Headers) -> None:
    photo = albums.add_photo()
    album_ids = [albums.make(ann) for _ in range(101)]
    results = [albums.add(album_id, ann, photo) for album_id in album_ids]
    assert results == [["added"]] * 100 + [["CONFLICT"]]
    assert albums.now(photo).albums == tuple(sorted(album_ids[:100]))
    albums.remove(album_ids[0], ann, photo)
    assert albums.add(album_ids[100], ann, photo) == ["added"]


def test_500_photos_are_added_in_one_request(albums: AlbumClient, ann: Headers) -> None:
    album_id = albums.make(ann)
    photos = [albums.add_photo(**at(index)) for index in range(500)]
    assert set(albums.add(album_id, ann, *photos)) == {"added"}
    assert albums.read(album_id, ann)["photoCount"] == 500
    assert albums.ids(album_id, ann, limit=500) == [photo.image_id for photo in reversed(photos)]
    assert set(albums.remove(album_id, ann, *photos)) == {"removed"}
    assert albums.read(album_id, ann)["photoCount"] == 0
    too_many = {"ids": [photo.image_id for photo in photos] + ["one more"]}
    assert albums.browser.put(f"/api/albums/{album_id}/photos", json=too_many, headers=ann).status_code == 422


def test_an_album_has_a_timeline_for_its_members(albums: AlbumClient, ann: Headers, bob: Headers) -> None:
    album_id = albums.make(ann)
    photos = [albums.add_photo(visibility=Visibility.PRIVATE, **at(hours)) for hours in (0, 1, 900)]
    albums.add(album_id, ann, *photos)
    path = f"/api/timeline?scope={album_id}"
    assert albums.browser.get(path, headers=bob).status_code == 404
    albums.join(album_id, ann, BOB, "viewer")
    months = albums.browser.get(path, headers=bob).json()["months"]
    assert [(each["month"], each["count"]) for each in months] == [("2025-09", 1), ("2025-08", 2)]
    month = albums.browser.get(f"/api/timeline/2025-08?scope={album_id}&signed=true", headers=bob).json()
    assert month["ids"] == [photos[1].image_id, photos[0].image_id]
    strip = albums.browser.get(f"/api/timeline/ratios?scope={album_id}", headers=bob).content
    assert len(strip) == 2 * 20 + 3
    assert ANN not in albums.browser.get(path, headers=bob).text
