"""Links to albums: made, listed, changed and revoked by the host, and by nobody else."""

from base64 import b64decode

import pytest

from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.doors import Doors
from tests.api.shelf import Shelf
from tests.factories import BOB


@pytest.fixture
def doors(community: Community, browser: Client, ann: Headers) -> Doors:
    shelf = Shelf(community, browser)
    return Doors(shelf, ann, shelf.make(ann, "Wedding"))


def test_a_link_shows_its_secret_once_as_an_address_and_a_code(doors: Doors) -> None:
    made = doors.make("view", "upload")
    assert made["url"] == f"http://127.0.0.1:8000/g#{made['secret']}"
    assert made["qr"]["svg"].startswith("<svg ")
    assert b64decode(made["qr"]["png"]).startswith(b"\x89PNG")
    (listed,) = doors.listed()
    assert listed == {name: value for name, value in made.items() if name not in {"secret", "url", "qr"}}
    assert made["secret"].partition(".")[2] not in str(doors.browser.get(doors.links, headers=doors.host).json())


def test_a_link_is_as_it_was_asked_for(doors: Doors) -> None:
    wish = {
        "password": "sunflower",
        "expiresAt": "2030-01-01T00:00:00.000Z",
        "revealAt": "2029-01-01T00:00:00.000Z",
        "moderated": True,
        "showMetadata": True,
        "askName": True,
        "caps": {"photos": 100, "bytes": 10**9, "guestPhotos": 5, "guestBytes": 10**8, "types": ["image"]},
    }
    made = doors.make("view", "find", **wish)
    assert {name: made[name] for name in wish if name != "password"} == {
        name: value for name, value in wish.items() if name != "password"
    }
    assert made["hasPassword"] is True
    assert made["allow"] == ["find", "view"]
    assert (made["guests"], made["photos"], made["bytes"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"allow": ["download"]}, "what is to be downloaded must be seen"),
        ({"allow": ["view"], "expiresAt": "2001-01-01T00:00:00Z"}, "a link must expire in the future"),
        ({"allow": ["view"], "password": "abc"}, "a link's password has 4 to 256 characters"),
        ({"allow": ["upload"], "caps": {"types": ["cats"]}}, "`cats` is no type of file"),
    ],
)
def test_what_makes_no_sense_is_refused(doors: Doors, wish: dict[str, object], words: str) -> None:
    status, _, message = refusal(doors.browser.post(doors.links, json=wish, headers=doors.host))
    assert status == 400
    assert words in message
    assert doors.listed() == []


def test_only_the_host_makes_and_sees_links(doors: Doors, bob: Headers) -> None:
    for role in ("viewer", "contributor", "editor"):
        doors.shelf.join(doors.album_id, doors.host, BOB, role)
        made = doors.browser.post(doors.links, json={"allow": ["view"]}, headers=bob)
        assert (made.status_code, doors.browser.get(doors.links, headers=bob).status_code) == (403, 403)


def test_a_link_of_another_album_is_not_there(doors: Doors, ann: Headers) -> None:
    link = doors.make("view")
    other = Doors(doors.shelf, ann, doors.shelf.make(ann, "Other"))
    assert other.revoke(link).status_code == other.change(link, moderated=True).status_code == 404
    assert doors.open(link).status_code == 200


def test_what_is_changed_holds_for_those_who_are_in(doors: Doors) -> None:
    link = doors.make("view", "upload")
    guest = doors.guest(link)
    upload = {"filename": "sea.jpg", "size": 1000}
    assert doors.browser.post("/api/uploads", json=upload, headers=guest).status_code == 201
    assert doors.change(link, allow=["view"]).json()["allow"] == ["view"]
    assert doors.browser.post("/api/uploads", json=upload, headers=guest).status_code == 403


def test_what_is_not_named_stays_and_null_clears(doors: Doors) -> None:
    link = doors.make("view", password="sunflower", expiresAt="2030-01-01T00:00:00Z", caps={"photos": 3})
    assert doors.change(link, moderated=True).json()["hasPassword"] is True
    cleared = doors.change(link, password=None, expiresAt=None, caps=None).json()
    assert cleared["hasPassword"] is False
    assert not {"expiresAt", "caps"} & cleared.keys()
    assert cleared["moderated"] is True


def test_a_revoked_link_shuts_every_door(doors: Doors) -> None:
    link = doors.make("view", "upload")
    photo = doors.show()
    guest = doors.guest(link)
    url = doors.shelf.images(doors.album_id, guest)[0]["urls"]["thumb"]
    assert doors.browser.get(url).status_code == 200
    assert doors.revoke(link).status_code == 204
    paths = ("/api/guest", f"/api/albums/{doors.album_id}", f"/api/photos/{photo.image_id}", "/api/guest/photos", url)
    assert {doors.browser.get(path, headers=guest).status_code for path in paths} == {401}
    assert doors.open(link).status_code == doors.look(link).status_code == doors.revoke(link).status_code == 404
    assert doors.listed() == []


def test_an_expired_link_shuts_every_door_and_is_listed_as_such(doors: Doors) -> None:
    link = doors.make("view", expiresAt="2025-08-02T00:00:00Z")
    guest = doors.guest(link)
    doors.shelf.community.pass_time(days=1)
    assert doors.browser.get("/api/guest", headers=guest).status_code == 401
    assert doors.open(link).status_code == 404
    assert [each["expired"] for each in doors.listed()] == [True]


def test_deleting_the_album_ends_its_links(doors: Doors) -> None:
    link = doors.make("view")
    guest = doors.guest(link)
    doors.browser.delete(f"/api/albums/{doors.album_id}", headers=doors.host)
    assert doors.open(link).status_code == 404
    assert doors.browser.get(f"/api/albums/{doors.album_id}", headers=guest).status_code == 401
    doors.shelf.community.work()
    assert doors.browser.get(f"/api/albums/{doors.album_id}", headers=guest).status_code == 401


def test_who_opens_a_link_is_counted_once(doors: Doors) -> None:
    link = doors.make("view")
    guest = doors.guest(link)
    doors.guest(link)
    assert doors.open(link, headers=guest).status_code == 200
    assert [each["guests"] for each in doors.listed()] == [2]


def test_what_the_host_does_with_links_is_written_down(doors: Doors, community: Community) -> None:
    link = doors.make("view")
    doors.change(link, moderated=True)
    doors.revoke(link)
    carol = community.session_of(community.carol)
    entries = doors.browser.get("/api/admin/audit?month=2025-08", headers=carol).json()["entries"]
    assert [entry["action"] for entry in entries][:3] == ["link-revoked", "link-changed", "link-made"]
    assert link["secret"] not in str(entries)
