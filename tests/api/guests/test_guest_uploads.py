"""Uploads of guests: owner, caps, accepted types, duplicates and deletion."""

from hashlib import sha256
from typing import Any

import httpx
import pytest

from sparks.auth.rate_limits import RateLimit
from sparks.library import keys
from tests.api.album_makers import AlbumClient
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.share_link_makers import LinkClient
from tests.factories import ANN, BOB, a_photo
from tests.uploads.files import a_jpeg


@pytest.fixture
def links(community: Community, browser: Client, ann: Headers) -> LinkClient:
    albums = AlbumClient(community, browser)
    return LinkClient(albums, ann, albums.make(ann, "Wedding"))


def post(links: LinkClient, who: Headers, content: bytes, name: str = "sea.jpg", query: str = "") -> httpx.Response:
    return links.browser.post(f"/api/photos?filename={name}{query}", content=content, headers=who)


def ids_of(response: httpx.Response) -> list[str]:
    return [image["imageId"] for image in response.json()["images"]]


def test_a_guests_upload_belongs_to_the_host_is_private_and_in_the_album(links: LinkClient, bob: Headers) -> None:
    guest = links.guest(links.make("view", "upload"), name="Eve")
    made = post(links, guest, a_jpeg())
    assert made.status_code == 201, made.text
    body = made.json()
    assert (body["uploaderTag"], body["visibility"], body["mine"]) == ("Eve", "private", True)
    assert not {"uploadedBy", "originalFilename", "exif", "location"} & body.keys()
    row = links.albums.community.table.get(keys.photo(body["imageId"], ANN))
    assert row is not None
    assert row["albums"] == [links.album_id]
    assert links.browser.get(f"/api/photos/{body['imageId']}", headers=links.host).json()["uploadedBy"] == ANN
    assert links.browser.get(f"/api/photos/{body['imageId']}", headers=bob).status_code == 404


def test_a_guest_lists_and_deletes_only_their_own_uploads(links: LinkClient) -> None:
    link = links.make("view", "upload")
    eve, mallory = links.guest(link), links.guest(link)
    photo = links.add_photo()
    mine = post(links, eve, a_jpeg()).json()["imageId"]
    assert ids_of(links.browser.get("/api/guest/photos", headers=eve)) == [mine]
    assert ids_of(links.browser.get("/api/guest/photos", headers=mallory)) == []
    assert links.browser.delete(f"/api/photos/{mine}", headers=mallory).status_code == 404
    assert links.browser.delete(f"/api/photos/{photo.image_id}", headers=eve).status_code == 403
    assert links.browser.delete(f"/api/photos/{mine}", headers=eve).status_code == 204
    assert ids_of(links.browser.get("/api/guest/photos", headers=eve)) == []


def test_a_guest_resumes_a_multipart_upload(links: LinkClient) -> None:
    guest, content = links.new_guest("upload"), a_jpeg()
    ticket = links.browser.post("/api/uploads", json={"filename": "a.jpg", "size": len(content)}, headers=guest).json()
    state = links.browser.get(f"/api/uploads/{ticket['imageId']}", headers=guest).json()
    assert (state["completed"], state["arrived"]) == (False, False)
    sent = links.browser.request("PUT", ticket["url"], content=content, headers=ticket["headers"])
    assert sent.status_code in (200, 201, 204), sent.text
    done = links.browser.post(f"/api/uploads/{ticket['imageId']}/complete", headers=guest)
    assert done.status_code == 201, done.text
    other = links.new_guest("upload")
    assert links.browser.get(f"/api/uploads/{ticket['imageId']}", headers=other).status_code == 404


def test_an_upload_awaits_approval_if_its_link_became_moderated_after_it_was_begun(links: LinkClient) -> None:
    link, content = links.make("view", "upload"), a_jpeg()
    guest = links.guest(link)
    ticket = links.browser.post("/api/uploads", json={"filename": "a.jpg", "size": len(content)}, headers=guest).json()
    links.browser.request("PUT", ticket["url"], content=content, headers=ticket["headers"])
    assert links.change(link, moderated=True).status_code == 200
    done = links.browser.post(f"/api/uploads/{ticket['imageId']}/complete", headers=guest)
    assert (done.status_code, done.json()["waits"]) == (201, True)
    row = links.albums.community.table.get(keys.photo(ticket["imageId"], ANN))
    assert row is not None
    assert not row.get("albums")


def test_the_caps_of_a_link_hold_and_deleted_uploads_free_them_again(links: LinkClient) -> None:
    link = links.make("upload", caps={"photos": 3, "guestPhotos": 2})
    eve, mallory = links.guest(link), links.guest(link)
    first = post(links, eve, a_jpeg()).json()["imageId"]
    assert post(links, eve, a_jpeg()).status_code == 201
    assert refusal(post(links, eve, a_jpeg()))[:2] == (403, "LINK_FULL")
    assert post(links, mallory, a_jpeg()).status_code == 201
    assert refusal(post(links, mallory, a_jpeg()))[:2] == (403, "LINK_FULL")
    links.browser.delete(f"/api/photos/{first}", headers=eve)
    assert post(links, mallory, a_jpeg()).status_code == 201
    assert [each["photos"] for each in links.listed()] == [3]
    assert links.change(link, caps={"photos": 4}).status_code == 200
    assert post(links, eve, a_jpeg()).status_code == 201
    assert refusal(post(links, eve, a_jpeg()))[1] == "LINK_FULL"


def test_caps_count_the_bytes_of_reservations(links: LinkClient) -> None:
    guest = links.new_guest("upload", caps={"bytes": 1000, "guestBytes": 900})
    fields: dict[str, Any] = {"filename": "a.jpg", "size": 600}
    ticket = links.browser.post("/api/uploads", json=fields, headers=guest).json()
    assert refusal(links.browser.post("/api/uploads", json=fields, headers=guest))[1] == "LINK_FULL"
    assert links.browser.get("/api/guest", headers=guest).json()["room"] == {"bytes": 300}
    assert links.browser.delete(f"/api/uploads/{ticket['imageId']}", headers=guest).status_code == 204
    assert links.browser.post("/api/uploads", json=fields, headers=guest).status_code == 201


def test_guests_do_not_see_the_upload_limit_of_the_host(links: LinkClient, community: Community) -> None:
    carol = community.session_of(community.carol)
    links.browser.patch(f"/api/users/{ANN}", json={"limit": 0}, headers=carol)
    refused = post(links, links.new_guest("upload"), a_jpeg())
    assert refusal(refused)[:2] == (403, "LINK_FULL")


def test_types_that_the_link_does_not_accept_are_refused_whatever_is_declared(links: LinkClient) -> None:
    guest = links.new_guest("upload", caps={"types": ["image/png", "video"]})
    assert post(links, guest, a_jpeg(), "a.png").status_code == 415
    declared = {"filename": "a.jpg", "size": 5, "mimeType": "image/jpeg"}
    assert links.browser.post("/api/uploads", json=declared, headers=guest).status_code == 415
    assert post(links, guest, b"\x89PNG\r\n\x1a\n" + bytes(100), "a.png").status_code == 201
    assert [each["photos"] for each in links.listed()] == [1]


@pytest.mark.parametrize("query", ["&visibility=community", "&tags=x", "&expiresAt=2030-01-01T00:00:00Z"])
def test_guests_cannot_set_visibility_expiry_or_tags(links: LinkClient, query: str) -> None:
    assert post(links, links.new_guest("upload"), a_jpeg(), query=query).status_code == 400


def test_a_guest_cannot_upload_to_another_album(links: LinkClient, ann: Headers) -> None:
    other = links.albums.make(ann, "Other")
    guest = links.new_guest("upload")
    assert post(links, guest, a_jpeg(), query=f"&albumId={other}").status_code == 404
    assert post(links, guest, a_jpeg(), query=f"&albumId={links.album_id}").status_code == 201


def test_a_guest_does_not_learn_that_others_have_the_same_bytes(links: LinkClient, bob: Headers) -> None:
    content = a_jpeg()
    for member in (links.host, bob):
        assert post(links, member, content).status_code == 201
    link = links.make("view", "upload")
    eve, mallory = links.guest(link), links.guest(link)
    hint = {"filename": "a.jpg", "size": len(content), "sha256": sha256(content).hexdigest()}
    assert links.browser.post("/api/uploads", json=hint, headers=eve).status_code == 201
    own = post(links, eve, content)
    assert own.status_code == 201
    assert post(links, mallory, content).status_code == 201
    again = post(links, eve, content)
    assert (again.status_code, again.json()) == (200, {"imageId": own.json()["imageId"], "duplicate": True})
    announced = links.browser.post("/api/uploads", json=hint, headers=eve)
    assert (announced.status_code, announced.json()) == (200, {"imageId": own.json()["imageId"], "duplicate": True})
    assert len(links.browser.get("/api/me/photos", headers=links.host).json()["images"]) == 3
    assert BOB not in str(announced.json())


def test_a_duplicate_counts_once(links: LinkClient) -> None:
    guest, content = links.new_guest("upload", caps={"photos": 5}), a_jpeg()
    for _ in range(3):
        post(links, guest, content)
    assert [(each["photos"], each["bytes"]) for each in links.listed()] == [(1, len(content))]


def test_uploading_a_rejected_photo_again_does_not_restore_it(links: LinkClient) -> None:
    guest, content = links.new_guest("upload", moderated=True), a_jpeg()
    mine = post(links, guest, content).json()["imageId"]
    queue = f"/api/albums/{links.album_id}/queue"
    links.browser.post(queue, json={"reject": [mine]}, headers=links.host)
    assert post(links, guest, content).json() == {"imageId": mine, "duplicate": True}
    trash = links.browser.get("/api/me/trash", headers=links.host)
    assert ids_of(trash) == [mine]


@pytest.mark.parametrize("announced", [True, False])
def test_uploading_a_photo_again_that_the_host_removed_does_not_add_it_to_the_album(
    links: LinkClient, announced: bool
) -> None:
    guest, content = links.new_guest("view", "upload"), a_jpeg()
    mine = post(links, guest, content).json()["imageId"]
    assert links.albums.remove(links.album_id, links.host, a_photo(image_id=mine)) == ["removed"]
    hint = {"filename": "a.jpg", "size": len(content), "sha256": sha256(content).hexdigest()}
    again = links.browser.post("/api/uploads", json=hint, headers=guest) if announced else post(links, guest, content)
    assert again.json() == {"imageId": mine, "duplicate": True}
    row = links.albums.community.table.get(keys.photo(mine, ANN))
    assert row is not None
    assert not row.get("albums")


def test_the_rate_limit_of_one_guest_does_not_stop_others_from_uploading(links: LinkClient) -> None:
    link = links.make("upload", caps={"photos": 1})
    eve, mallory = links.guest(link), links.guest(link)
    fields = {"filename": "a.jpg", "size": 5, "mimeType": "image/jpeg"}
    for _ in range(RateLimit.GUEST_UPLOADS.item.amount):
        links.browser.post("/api/uploads", json=fields, headers=eve)
    assert links.browser.post("/api/uploads", json=fields, headers=eve).status_code == 429
    assert links.change(link, caps=None).status_code == 200
    assert links.browser.post("/api/uploads", json=fields, headers=mallory).status_code == 201
