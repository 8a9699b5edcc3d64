"""Moderation queue and wall of an album: others see an upload once the host approves it."""

from typing import Any

import pytest

from sparks.library.albums.album_photos import AlbumPlacement, add_photo
from sparks.model.ids import new_event_id
from sparks.model.photo import Photo, Visibility
from sparks.model.share import GuestPhoto, who_is_guest
from tests.api.album_makers import AlbumClient
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.api.share_link_makers import LinkClient
from tests.factories import ANN, BOB, a_photo


@pytest.fixture
def links(community: Community, browser: Client, ann: Headers) -> LinkClient:
    albums = AlbumClient(community, browser)
    return LinkClient(albums, ann, albums.make(ann, "Wedding"))


def guest_upload(links: LinkClient, who: Headers, *, approved: bool = False) -> Photo:
    """A processed upload of a guest."""
    guest_id = links.browser.get("/api/guest", headers=who).json()["guestId"]
    community = links.albums.community
    photo = community.keep(a_photo(owner=ANN, visibility=Visibility.PRIVATE, guest_id=guest_id))
    community.keep(GuestPhoto(image_id=photo.image_id, owner=ANN, guest_id=guest_id, link_id="a link"))
    place = AlbumPlacement(album_id=links.album_id, by=who_is_guest(guest_id), at=community.at, approved=approved)
    add_photo(photo, place, table=community.table)
    return photo


def queue(links: LinkClient) -> list[str]:
    response = links.browser.get(f"/api/albums/{links.album_id}/queue", headers=links.host)
    assert response.status_code == 200, response.text
    return [image["imageId"] for image in response.json()["images"]]


def decide(links: LinkClient, **fields: Any) -> list[str]:
    response = links.browser.post(f"/api/albums/{links.album_id}/queue", json=fields, headers=links.host)
    assert response.status_code == 200, response.text
    return [each.get("status") or each["error"] for each in response.json()["results"]]


def wall(links: LinkClient, who: Headers) -> list[str]:
    response = links.browser.get(f"/api/albums/{links.album_id}/wall", headers=who)
    assert response.status_code == 200, response.text
    return [image["imageId"] for image in response.json()["images"]]


def sees(links: LinkClient, who: Headers, photo: Photo) -> bool:
    return links.browser.get(f"/api/photos/{photo.image_id}", headers=who).status_code == 200


def test_an_upload_that_awaits_approval_is_seen_by_the_host_and_its_uploader(links: LinkClient, bob: Headers) -> None:
    links.albums.join(links.album_id, links.host, BOB, "editor")
    link = links.make("view", "upload", moderated=True)
    eve, mallory = links.guest(link), links.guest(link)
    photo = guest_upload(links, eve)
    assert [sees(links, who, photo) for who in (links.host, eve, mallory, bob)] == [
        True,
        True,
        False,
        False,
    ]
    assert queue(links) == [photo.image_id]
    assert wall(links, mallory) == wall(links, links.host) == links.albums.ids(links.album_id, mallory) == []


def test_only_the_uploader_sees_that_an_upload_awaits_approval(links: LinkClient) -> None:
    eve = links.new_guest("view", "upload", moderated=True)
    mine, other = guest_upload(links, eve), links.add_photo()

    def read_photo(who: Headers, photo: Photo) -> dict[str, Any]:
        image: dict[str, Any] = links.browser.get(f"/api/photos/{photo.image_id}", headers=who).json()
        assert "albums" not in image
        return image

    assert read_photo(eve, mine)["waits"] is True
    assert "waits" not in read_photo(eve, other)
    assert "waits" not in read_photo(links.host, mine)
    assert decide(links, approve=[mine.image_id]) == ["approved"]
    assert "waits" not in read_photo(eve, mine)


def waiting_flags(links: LinkClient, who: Headers) -> dict[str, bool]:
    images = links.browser.get("/api/guest/photos", headers=who).json()["images"]
    return {image["imageId"]: image.get("waits", False) for image in images}


def test_an_upload_awaits_approval_even_after_its_link_is_changed_or_revoked(links: LinkClient) -> None:
    link = links.make("view", "upload", moderated=True)
    eve = links.guest(link)
    photo = guest_upload(links, eve)
    assert links.change(link, moderated=False).status_code == 200
    assert waiting_flags(links, eve) == {photo.image_id: True}
    assert queue(links) == [photo.image_id]


def test_an_approved_upload_that_is_removed_from_the_album_does_not_await_approval(links: LinkClient) -> None:
    eve = links.new_guest("view", "upload", moderated=True)
    removed, approved, waits = (guest_upload(links, eve) for _ in range(3))
    assert decide(links, approve=[removed.image_id, approved.image_id]) == ["approved", "approved"]
    links.albums.remove(links.album_id, links.host, removed)
    assert waiting_flags(links, eve) == {removed.image_id: False, approved.image_id: False, waits.image_id: True}


def test_an_approved_upload_is_seen_by_all_members_and_guests(links: LinkClient, bob: Headers) -> None:
    links.albums.join(links.album_id, links.host, BOB, "viewer")
    link = links.make("view", "upload", moderated=True)
    eve, mallory = links.guest(link), links.guest(link)
    photos = [guest_upload(links, eve) for _ in range(3)]
    ids = [photo.image_id for photo in photos]
    assert decide(links, approve=ids[:2]) == ["approved", "approved"]
    assert queue(links) == ids[2:]
    assert wall(links, mallory) == wall(links, bob) == ids[1::-1]
    assert sorted(links.albums.ids(links.album_id, mallory)) == sorted(ids[:2])
    assert decide(links, approve=ids[:1]) == ["approved"]


def test_a_rejected_upload_goes_to_the_hosts_trash(links: LinkClient) -> None:
    eve = links.new_guest("view", "upload", moderated=True)
    photo = guest_upload(links, eve)
    assert decide(links, reject=[photo.image_id]) == ["rejected"]
    assert queue(links) == []
    assert not sees(links, eve, photo)
    trash = links.browser.get("/api/me/trash", headers=links.host).json()["images"]
    assert [image["imageId"] for image in trash] == [photo.image_id]
    assert decide(links, reject=[photo.image_id]) == ["NOT_FOUND"]
    links.browser.post("/api/photos/restore", json={"ids": [photo.image_id]}, headers=links.host)
    assert links.albums.ids(links.album_id, links.host) == []


def test_each_moderated_photo_has_its_own_result(links: LinkClient) -> None:
    eve = links.new_guest("upload", moderated=True)
    one, other = guest_upload(links, eve), guest_upload(links, eve)
    results = decide(links, approve=[one.image_id, "nothing"], reject=[other.image_id, new_event_id()])
    assert results == ["approved", "NOT_FOUND", "rejected", "NOT_FOUND"]


def test_a_moderation_must_name_photos_and_not_approve_and_reject_the_same_one(links: LinkClient) -> None:
    queue = f"/api/albums/{links.album_id}/queue"
    for fields in ({}, {"approve": ["x"], "reject": ["x"]}):
        assert links.browser.post(queue, json=fields, headers=links.host).status_code == 400


def test_only_the_host_moderates(links: LinkClient, bob: Headers) -> None:
    links.albums.join(links.album_id, links.host, BOB, "editor")
    guest = links.new_guest("view", "upload")
    queue = f"/api/albums/{links.album_id}/queue"
    for who in (bob, guest):
        assert links.browser.get(queue, headers=who).status_code == 403
        assert links.browser.post(queue, json={"approve": ["x"]}, headers=who).status_code == 403


def test_the_wall_is_empty_before_the_album_is_revealed(links: LinkClient) -> None:
    guest = links.new_guest("view", revealAt="2025-08-02T00:00:00Z")
    album = links.browser.get(f"/api/albums/{links.album_id}", headers=guest).json()
    assert {"updatedAt", "photoCount", "cover"}.isdisjoint(album)
    photo = links.add_photo()
    assert wall(links, guest) == []
    links.albums.community.pass_time(days=1)
    assert wall(links, guest) == [photo.image_id]


def test_the_wall_names_the_event_from_which_to_follow(links: LinkClient) -> None:
    guest = links.new_guest("view")
    page = links.browser.get(f"/api/albums/{links.album_id}/wall?limit=1", headers=guest).json()
    assert (page["title"], page["images"]) == ("Wedding", [])
    assert len(page["lastEventId"]) == 36
