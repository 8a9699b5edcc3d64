"""Share links: created, listed, changed and revoked by the host only."""

from base64 import b64decode

import pytest

from tests.api.album_makers import AlbumClient
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.share_link_makers import LinkClient
from tests.factories import BOB


@pytest.fixture
def links(community: Community, browser: Client, ann: Headers) -> LinkClient:
    albums = AlbumClient(community, browser)
    return LinkClient(albums, ann, albums.make(ann, "Wedding"))


def test_the_secret_of_a_link_is_returned_once_as_url_and_qr_code(links: LinkClient) -> None:
    made = links.make("view", "upload")
    assert made["url"] == f"http://127.0.0.1:8000/g#{made['secret']}"
    assert made["qr"]["svg"].startswith("<svg ")
    assert b64decode(made["qr"]["png"]).startswith(b"\x89PNG")
    (listed,) = links.listed()
    assert listed == {name: value for name, value in made.items() if name not in {"secret", "url", "qr"}}
    assert made["secret"].partition(".")[2] not in str(links.browser.get(links.path, headers=links.host).json())


def test_a_link_has_the_requested_settings(links: LinkClient) -> None:
    fields = {
        "password": "sunflower",
        "expiresAt": "2030-01-01T00:00:00.000Z",
        "revealAt": "2029-01-01T00:00:00.000Z",
        "moderated": True,
        "showMetadata": True,
        "askName": True,
        "caps": {"photos": 100, "bytes": 10**9, "guestPhotos": 5, "guestBytes": 10**8, "types": ["image"]},
    }
    made = links.make("view", "find", **fields)
    assert {name: made[name] for name in fields if name != "password"} == {
        name: value for name, value in fields.items() if name != "password"
    }
    assert made["hasPassword"] is True
    assert made["allow"] == ["find", "view"]
    assert (made["guests"], made["photos"], made["bytes"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"allow": ["download"]}, "guests can download only what they see"),
        ({"allow": ["view"], "expiresAt": "2001-01-01T00:00:00Z"}, "a link must expire in the future"),
        ({"allow": ["view"], "password": "abc"}, "a link's password has 4 to 256 characters"),
        ({"allow": ["upload"], "caps": {"types": ["cats"]}}, "`cats` is no type of file"),
    ],
)
def test_invalid_link_settings_are_refused(links: LinkClient, fields: dict[str, object], expected: str) -> None:
    status, _, message = refusal(links.browser.post(links.path, json=fields, headers=links.host))
    assert status == 400
    assert expected in message
    assert links.listed() == []


def test_only_the_host_creates_and_lists_links(links: LinkClient, bob: Headers) -> None:
    for role in ("viewer", "contributor", "editor"):
        links.albums.join(links.album_id, links.host, BOB, role)
        made = links.browser.post(links.path, json={"allow": ["view"]}, headers=bob)
        assert (made.status_code, links.browser.get(links.path, headers=bob).status_code) == (403, 403)


def test_a_link_of_another_album_is_404(links: LinkClient, ann: Headers) -> None:
    link = links.make("view")
    other = LinkClient(links.albums, ann, links.albums.make(ann, "Other"))
    assert other.revoke(link).status_code == other.change(link, moderated=True).status_code == 404
    assert links.open(link).status_code == 200


def test_a_changed_link_holds_for_guests_who_opened_it_before(links: LinkClient) -> None:
    link = links.make("view", "upload")
    guest = links.guest(link)
    upload = {"filename": "sea.jpg", "size": 1000}
    assert links.browser.post("/api/uploads", json=upload, headers=guest).status_code == 201
    assert links.change(link, allow=["view"]).json()["allow"] == ["view"]
    assert links.browser.post("/api/uploads", json=upload, headers=guest).status_code == 403


def test_a_change_of_a_link_keeps_fields_that_are_left_out_and_null_clears(links: LinkClient) -> None:
    link = links.make("view", password="sunflower", expiresAt="2030-01-01T00:00:00Z", caps={"photos": 3})
    assert links.change(link, moderated=True).json()["hasPassword"] is True
    cleared = links.change(link, password=None, expiresAt=None, caps=None).json()
    assert cleared["hasPassword"] is False
    assert not {"expiresAt", "caps"} & cleared.keys()
    assert cleared["moderated"] is True


def test_a_revoked_link_ends_all_access_of_its_guests(links: LinkClient) -> None:
    link = links.make("view", "upload")
    photo = links.add_photo()
    guest = links.guest(link)
    url = links.albums.images(links.album_id, guest)[0]["urls"]["thumb"]
    assert links.browser.get(url).status_code == 200
    assert links.revoke(link).status_code == 204
    paths = (
        "/api/guest",
        f"/api/albums/{links.album_id}",
        f"/api/photos/{photo.image_id}",
        "/api/guest/photos",
        url,
    )
    assert {links.browser.get(path, headers=guest).status_code for path in paths} == {401}
    assert links.open(link).status_code == links.preview(link).status_code == links.revoke(link).status_code == 404
    assert links.listed() == []


def test_an_expired_link_ends_all_access_and_is_listed_as_expired(links: LinkClient) -> None:
    link = links.make("view", expiresAt="2025-08-02T00:00:00Z")
    guest = links.guest(link)
    links.albums.community.pass_time(days=1)
    assert links.browser.get("/api/guest", headers=guest).status_code == 401
    assert links.open(link).status_code == 404
    assert [each["expired"] for each in links.listed()] == [True]


def test_deleting_the_album_ends_its_links(links: LinkClient) -> None:
    link = links.make("view")
    guest = links.guest(link)
    links.browser.delete(f"/api/albums/{links.album_id}", headers=links.host)
    assert links.open(link).status_code == 404
    assert links.browser.get(f"/api/albums/{links.album_id}", headers=guest).status_code == 401
    links.albums.community.work()
    assert links.browser.get(f"/api/albums/{links.album_id}", headers=guest).status_code == 401


def test_each_guest_of_a_link_is_counted_once(links: LinkClient) -> None:
    link = links.make("view")
    guest = links.guest(link)
    links.guest(link)
    assert links.open(link, headers=guest).status_code == 200
    assert [each["guests"] for each in links.listed()] == [2]


def test_creating_changing_and_revoking_links_is_audited(links: LinkClient, community: Community) -> None:
    link = links.make("view")
    links.change(link, moderated=True)
    links.revoke(link)
    carol = community.session_of(community.carol)
    entries = links.browser.get("/api/admin/audit?month=2025-08", headers=carol).json()["entries"]
    assert [entry["action"] for entry in entries][:3] == ["link-revoked", "link-changed", "link-made"]
    assert link["secret"] not in str(entries)
