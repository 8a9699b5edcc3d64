"""What guests upload: counted to the byte, seen as the link allows, and theirs to delete."""

from hashlib import sha256
from typing import Any

import httpx
import pytest

from sparks.auth.rates import Rate
from sparks.library import keys
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.doors import Doors
from tests.api.shelf import Shelf
from tests.factories import ANN, BOB, a_photo
from tests.upload.files import a_jpeg


@pytest.fixture
def doors(community: Community, browser: Client, ann: Headers) -> Doors:
    shelf = Shelf(community, browser)
    return Doors(shelf, ann, shelf.make(ann, "Wedding"))


def post(doors: Doors, who: Headers, content: bytes, name: str = "sea.jpg", query: str = "") -> httpx.Response:
    return doors.browser.post(f"/api/photos?filename={name}{query}", content=content, headers=who)


def ids_of(answer: httpx.Response) -> list[str]:
    return [image["imageId"] for image in answer.json()["images"]]


def test_what_a_guest_brings_is_the_hosts_private_and_in_the_album(doors: Doors, bob: Headers) -> None:
    guest = doors.guest(doors.make("view", "upload"), name="Eve")
    made = post(doors, guest, a_jpeg())
    assert made.status_code == 201, made.text
    told = made.json()
    assert (told["uploaderTag"], told["visibility"], told["mine"]) == ("Eve", "private", True)
    assert not {"uploadedBy", "originalFilename", "exif", "location"} & told.keys()
    row = doors.shelf.community.table.get(keys.photo(told["imageId"], ANN))
    assert row is not None
    assert row["albums"] == [doors.album_id]
    assert doors.browser.get(f"/api/photos/{told['imageId']}", headers=doors.host).json()["uploadedBy"] == ANN
    assert doors.browser.get(f"/api/photos/{told['imageId']}", headers=bob).status_code == 404


def test_a_guest_lists_and_deletes_what_they_brought_and_nothing_else(doors: Doors) -> None:
    link = doors.make("view", "upload")
    eve, mallory = doors.guest(link), doors.guest(link)
    photo = doors.show()
    mine = post(doors, eve, a_jpeg()).json()["imageId"]
    assert ids_of(doors.browser.get("/api/guest/photos", headers=eve)) == [mine]
    assert ids_of(doors.browser.get("/api/guest/photos", headers=mallory)) == []
    assert doors.browser.delete(f"/api/photos/{mine}", headers=mallory).status_code == 404
    assert doors.browser.delete(f"/api/photos/{photo.image_id}", headers=eve).status_code == 403
    assert doors.browser.delete(f"/api/photos/{mine}", headers=eve).status_code == 204
    assert ids_of(doors.browser.get("/api/guest/photos", headers=eve)) == []


def test_a_guest_uploads_in_steps_and_resumes(doors: Doors) -> None:
    guest, content = doors.come("upload"), a_jpeg()
    ticket = doors.browser.post("/api/uploads", json={"filename": "a.jpg", "size": len(content)}, headers=guest).json()
    state = doors.browser.get(f"/api/uploads/{ticket['imageId']}", headers=guest).json()
    assert (state["completed"], state["arrived"]) == (False, False)
    sent = doors.browser.request("PUT", ticket["url"], content=content, headers=ticket["headers"])
    assert sent.status_code in (200, 201, 204), sent.text
    done = doors.browser.post(f"/api/uploads/{ticket['imageId']}/complete", headers=guest)
    assert done.status_code == 201, done.text
    other = doors.come("upload")
    assert doors.browser.get(f"/api/uploads/{ticket['imageId']}", headers=other).status_code == 404


def test_an_upload_waits_where_the_link_was_moderated_after_it_was_begun(doors: Doors) -> None:
    link, content = doors.make("view", "upload"), a_jpeg()
    guest = doors.guest(link)
    ticket = doors.browser.post("/api/uploads", json={"filename": "a.jpg", "size": len(content)}, headers=guest).json()
    doors.browser.request("PUT", ticket["url"], content=content, headers=ticket["headers"])
    assert doors.change(link, moderated=True).status_code == 200
    done = doors.browser.post(f"/api/uploads/{ticket['imageId']}/complete", headers=guest)
    assert (done.status_code, done.json()["waits"]) == (201, True)
    row = doors.shelf.community.table.get(keys.photo(ticket["imageId"], ANN))
    assert row is not None
    assert not row.get("albums")


def test_no_cap_is_passed_and_what_is_deleted_may_come_again(doors: Doors) -> None:
    link = doors.make("upload", caps={"photos": 3, "guestPhotos": 2})
    eve, mallory = doors.guest(link), doors.guest(link)
    first = post(doors, eve, a_jpeg()).json()["imageId"]
    assert post(doors, eve, a_jpeg()).status_code == 201
    assert refusal(post(doors, eve, a_jpeg()))[:2] == (403, "LINK_FULL")
    assert post(doors, mallory, a_jpeg()).status_code == 201
    assert refusal(post(doors, mallory, a_jpeg()))[:2] == (403, "LINK_FULL")
    doors.browser.delete(f"/api/photos/{first}", headers=eve)
    assert post(doors, mallory, a_jpeg()).status_code == 201
    assert [each["photos"] for each in doors.listed()] == [3]
    assert doors.change(link, caps={"photos": 4}).status_code == 200
    assert post(doors, eve, a_jpeg()).status_code == 201
    assert refusal(post(doors, eve, a_jpeg()))[1] == "LINK_FULL"


def test_bytes_are_counted_from_the_reservation_on(doors: Doors) -> None:
    guest = doors.come("upload", caps={"bytes": 1000, "guestBytes": 900})
    wish: dict[str, Any] = {"filename": "a.jpg", "size": 600}
    ticket = doors.browser.post("/api/uploads", json=wish, headers=guest).json()
    assert refusal(doors.browser.post("/api/uploads", json=wish, headers=guest))[1] == "LINK_FULL"
    assert doors.browser.get("/api/guest", headers=guest).json()["room"] == {"bytes": 300}
    assert doors.browser.delete(f"/api/uploads/{ticket['imageId']}", headers=guest).status_code == 204
    assert doors.browser.post("/api/uploads", json=wish, headers=guest).status_code == 201


def test_what_the_host_has_left_is_not_told(doors: Doors, community: Community) -> None:
    carol = community.session_of(community.carol)
    doors.browser.patch(f"/api/users/{ANN}", json={"limit": 0}, headers=carol)
    refused = post(doors, doors.come("upload"), a_jpeg())
    assert refusal(refused)[:2] == (403, "LINK_FULL")


def test_other_types_are_refused_whatever_they_are_said_to_be(doors: Doors) -> None:
    guest = doors.come("upload", caps={"types": ["image/png", "video"]})
    assert post(doors, guest, a_jpeg(), "a.png").status_code == 415
    said = {"filename": "a.jpg", "size": 5, "mimeType": "image/jpeg"}
    assert doors.browser.post("/api/uploads", json=said, headers=guest).status_code == 415
    assert post(doors, guest, b"\x89PNG\r\n\x1a\n" + bytes(100), "a.png").status_code == 201
    assert [each["photos"] for each in doors.listed()] == [1]


@pytest.mark.parametrize("query", ["&visibility=community", "&tags=x", "&expiresAt=2030-01-01T00:00:00Z"])
def test_what_is_for_the_host_to_say_is_refused(doors: Doors, query: str) -> None:
    assert post(doors, doors.come("upload"), a_jpeg(), query=query).status_code == 400


def test_a_guest_uploads_into_no_other_album(doors: Doors, ann: Headers) -> None:
    other = doors.shelf.make(ann, "Other")
    guest = doors.come("upload")
    assert post(doors, guest, a_jpeg(), query=f"&albumId={other}").status_code == 404
    assert post(doors, guest, a_jpeg(), query=f"&albumId={doors.album_id}").status_code == 201


def test_nobody_learns_that_somebody_else_has_the_same_bytes(doors: Doors, bob: Headers) -> None:
    content = a_jpeg()
    for member in (doors.host, bob):
        assert post(doors, member, content).status_code == 201
    link = doors.make("view", "upload")
    eve, mallory = doors.guest(link), doors.guest(link)
    hint = {"filename": "a.jpg", "size": len(content), "sha256": sha256(content).hexdigest()}
    assert doors.browser.post("/api/uploads", json=hint, headers=eve).status_code == 201
    own = post(doors, eve, content)
    assert own.status_code == 201
    assert post(doors, mallory, content).status_code == 201
    again = post(doors, eve, content)
    assert (again.status_code, again.json()) == (200, {"imageId": own.json()["imageId"], "duplicate": True})
    told = doors.browser.post("/api/uploads", json=hint, headers=eve)
    assert (told.status_code, told.json()) == (200, {"imageId": own.json()["imageId"], "duplicate": True})
    assert len(doors.browser.get("/api/me/photos", headers=doors.host).json()["images"]) == 3
    assert BOB not in str(told.json())


def test_a_duplicate_counts_once(doors: Doors) -> None:
    guest, content = doors.come("upload", caps={"photos": 5}), a_jpeg()
    for _ in range(3):
        post(doors, guest, content)
    assert [(each["photos"], each["bytes"]) for each in doors.listed()] == [(1, len(content))]


def test_what_was_rejected_is_not_restored_by_uploading_it_again(doors: Doors) -> None:
    guest, content = doors.come("upload", moderated=True), a_jpeg()
    mine = post(doors, guest, content).json()["imageId"]
    queue = f"/api/albums/{doors.album_id}/queue"
    doors.browser.post(queue, json={"reject": [mine]}, headers=doors.host)
    assert post(doors, guest, content).json() == {"imageId": mine, "duplicate": True}
    trash = doors.browser.get("/api/me/trash", headers=doors.host)
    assert ids_of(trash) == [mine]


@pytest.mark.parametrize("announced", [True, False])
def test_what_the_host_took_out_of_the_album_is_not_put_back_by_uploading_it_again(
    doors: Doors, announced: bool
) -> None:
    guest, content = doors.come("view", "upload"), a_jpeg()
    mine = post(doors, guest, content).json()["imageId"]
    assert doors.shelf.remove(doors.album_id, doors.host, a_photo(image_id=mine)) == ["removed"]
    hint = {"filename": "a.jpg", "size": len(content), "sha256": sha256(content).hexdigest()}
    again = doors.browser.post("/api/uploads", json=hint, headers=guest) if announced else post(doors, guest, content)
    assert again.json() == {"imageId": mine, "duplicate": True}
    row = doors.shelf.community.table.get(keys.photo(mine, ANN))
    assert row is not None
    assert not row.get("albums")


def test_a_flood_is_stopped_for_the_guest_and_not_for_others(doors: Doors) -> None:
    link = doors.make("upload", caps={"photos": 1})
    eve, mallory = doors.guest(link), doors.guest(link)
    wish = {"filename": "a.jpg", "size": 5, "mimeType": "image/jpeg"}
    for _ in range(Rate.GUEST_UPLOADS.item.amount):
        doors.browser.post("/api/uploads", json=wish, headers=eve)
    assert doors.browser.post("/api/uploads", json=wish, headers=eve).status_code == 429
    assert doors.change(link, caps=None).status_code == 200
    assert doors.browser.post("/api/uploads", json=wish, headers=mallory).status_code == 201
