"""The queue of an album, and its wall: others see what the host has approved, and nothing before."""

from typing import Any

import pytest

from sparks.library.albums import Place, add_photo
from sparks.model.ids import new_event_id
from sparks.model.photo import Photo, Visibility
from sparks.model.share import GuestPhoto, who_is_guest
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.api.doors import Doors
from tests.api.shelf import Shelf
from tests.factories import ANN, BOB, a_photo


@pytest.fixture
def doors(community: Community, browser: Client, ann: Headers) -> Doors:
    shelf = Shelf(community, browser)
    return Doors(shelf, ann, shelf.make(ann, "Wedding"))


def bring(doors: Doors, who: Headers, *, approved: bool = False) -> Photo:
    """A photo that a guest has uploaded, finished."""
    guest_id = doors.browser.get("/api/guest", headers=who).json()["guestId"]
    community = doors.shelf.community
    photo = community.keep(a_photo(owner=ANN, visibility=Visibility.PRIVATE, guest_id=guest_id))
    community.keep(GuestPhoto(image_id=photo.image_id, owner=ANN, guest_id=guest_id, link_id="a link"))
    place = Place(album_id=doors.album_id, by=who_is_guest(guest_id), at=community.at, approved=approved)
    add_photo(photo, place, table=community.table)
    return photo


def waiting(doors: Doors) -> list[str]:
    answer = doors.browser.get(f"/api/albums/{doors.album_id}/queue", headers=doors.host)
    assert answer.status_code == 200, answer.text
    return [image["imageId"] for image in answer.json()["images"]]


def decide(doors: Doors, **wish: Any) -> list[str]:
    answer = doors.browser.post(f"/api/albums/{doors.album_id}/queue", json=wish, headers=doors.host)
    assert answer.status_code == 200, answer.text
    return [each.get("status") or each["error"] for each in answer.json()["results"]]


def wall(doors: Doors, who: Headers) -> list[str]:
    answer = doors.browser.get(f"/api/albums/{doors.album_id}/wall", headers=who)
    assert answer.status_code == 200, answer.text
    return [image["imageId"] for image in answer.json()["images"]]


def sees(doors: Doors, who: Headers, photo: Photo) -> bool:
    return doors.browser.get(f"/api/photos/{photo.image_id}", headers=who).status_code == 200


def test_what_waits_is_seen_by_the_host_and_whoever_brought_it(doors: Doors, bob: Headers) -> None:
    doors.shelf.join(doors.album_id, doors.host, BOB, "editor")
    link = doors.make("view", "upload", moderated=True)
    eve, mallory = doors.guest(link), doors.guest(link)
    photo = bring(doors, eve)
    assert [sees(doors, who, photo) for who in (doors.host, eve, mallory, bob)] == [True, True, False, False]
    assert waiting(doors) == [photo.image_id]
    assert wall(doors, mallory) == wall(doors, doors.host) == doors.shelf.ids(doors.album_id, mallory) == []


def test_whoever_brought_it_is_told_that_it_waits_and_others_are_told_nothing_of_albums(doors: Doors) -> None:
    eve = doors.come("view", "upload", moderated=True)
    mine, other = bring(doors, eve), doors.show()

    def told(who: Headers, photo: Photo) -> dict[str, Any]:
        image: dict[str, Any] = doors.browser.get(f"/api/photos/{photo.image_id}", headers=who).json()
        assert "albums" not in image
        return image

    assert told(eve, mine)["waits"] is True
    assert "waits" not in told(eve, other)
    assert "waits" not in told(doors.host, mine)
    assert decide(doors, approve=[mine.image_id]) == ["approved"]
    assert "waits" not in told(eve, mine)


def told_to_wait(doors: Doors, who: Headers) -> dict[str, bool]:
    images = doors.browser.get("/api/guest/photos", headers=who).json()["images"]
    return {image["imageId"]: image.get("waits", False) for image in images}


def test_what_waits_does_so_until_it_is_decided_whatever_becomes_of_the_link(doors: Doors) -> None:
    link = doors.make("view", "upload", moderated=True)
    eve = doors.guest(link)
    photo = bring(doors, eve)
    assert doors.change(link, moderated=False).status_code == 200
    assert told_to_wait(doors, eve) == {photo.image_id: True}
    assert waiting(doors) == [photo.image_id]


def test_what_is_taken_out_again_does_not_wait(doors: Doors) -> None:
    eve = doors.come("view", "upload", moderated=True)
    out, there, waits = (bring(doors, eve) for _ in range(3))
    assert decide(doors, approve=[out.image_id, there.image_id]) == ["approved", "approved"]
    doors.shelf.remove(doors.album_id, doors.host, out)
    assert told_to_wait(doors, eve) == {out.image_id: False, there.image_id: False, waits.image_id: True}


def test_what_is_approved_is_seen_by_all(doors: Doors, bob: Headers) -> None:
    doors.shelf.join(doors.album_id, doors.host, BOB, "viewer")
    link = doors.make("view", "upload", moderated=True)
    eve, mallory = doors.guest(link), doors.guest(link)
    photos = [bring(doors, eve) for _ in range(3)]
    ids = [photo.image_id for photo in photos]
    assert decide(doors, approve=ids[:2]) == ["approved", "approved"]
    assert waiting(doors) == ids[2:]
    assert wall(doors, mallory) == wall(doors, bob) == ids[1::-1]
    assert sorted(doors.shelf.ids(doors.album_id, mallory)) == sorted(ids[:2])
    assert decide(doors, approve=ids[:1]) == ["approved"]


def test_what_is_rejected_is_in_the_hosts_trash(doors: Doors) -> None:
    eve = doors.come("view", "upload", moderated=True)
    photo = bring(doors, eve)
    assert decide(doors, reject=[photo.image_id]) == ["rejected"]
    assert waiting(doors) == []
    assert not sees(doors, eve, photo)
    trash = doors.browser.get("/api/me/trash", headers=doors.host).json()["images"]
    assert [image["imageId"] for image in trash] == [photo.image_id]
    assert decide(doors, reject=[photo.image_id]) == ["NOT_FOUND"]
    doors.browser.post("/api/photos/restore", json={"ids": [photo.image_id]}, headers=doors.host)
    assert doors.shelf.ids(doors.album_id, doors.host) == []


def test_each_photo_has_a_result_of_its_own(doors: Doors) -> None:
    eve = doors.come("upload", moderated=True)
    one, other = bring(doors, eve), bring(doors, eve)
    told = decide(doors, approve=[one.image_id, "nothing"], reject=[other.image_id, new_event_id()])
    assert told == ["approved", "NOT_FOUND", "rejected", "NOT_FOUND"]


def test_nothing_and_both_are_refused(doors: Doors) -> None:
    queue = f"/api/albums/{doors.album_id}/queue"
    for wish in ({}, {"approve": ["x"], "reject": ["x"]}):
        assert doors.browser.post(queue, json=wish, headers=doors.host).status_code == 400


def test_only_the_host_decides(doors: Doors, bob: Headers) -> None:
    doors.shelf.join(doors.album_id, doors.host, BOB, "editor")
    guest = doors.come("view", "upload")
    queue = f"/api/albums/{doors.album_id}/queue"
    for who in (bob, guest):
        assert doors.browser.get(queue, headers=who).status_code == 403
        assert doors.browser.post(queue, json={"approve": ["x"]}, headers=who).status_code == 403


def test_the_wall_shows_nothing_before_it_is_revealed(doors: Doors) -> None:
    guest = doors.come("view", revealAt="2025-08-02T00:00:00Z")
    album = doors.browser.get(f"/api/albums/{doors.album_id}", headers=guest).json()
    assert {"updatedAt", "photoCount", "cover"}.isdisjoint(album)
    photo = doors.show()
    assert wall(doors, guest) == []
    doors.shelf.community.pass_time(days=1)
    assert wall(doors, guest) == [photo.image_id]


def test_the_wall_says_where_its_events_go_on(doors: Doors) -> None:
    guest = doors.come("view")
    told = doors.browser.get(f"/api/albums/{doors.album_id}/wall?limit=1", headers=guest).json()
    assert (told["title"], told["images"]) == ("Wedding", [])
    assert len(told["lastEventId"]) == 36
