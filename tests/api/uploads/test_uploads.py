"""Uploads in steps: reserved, sent to signed URLs and completed; resumed, repeated and canceled."""

import hashlib
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest

from sparks.blobs.port import BlobInfo
from sparks.library.photo_deletion import finish_deletion
from sparks.library.photos.photo_rows import find_photo
from sparks.library.upload_limits.account_limit import read_limit, set_left
from sparks.model.credential import KeyScope
from sparks.model.events import PhotoDeletionBegun
from sparks.uploads.reservations import cancel_upload
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN
from tests.stored_traces import traces_of
from tests.uploads.files import a_jpeg, keys_in

MIB: Final = 1024 * 1024
LARGE: Final = 17 * MIB


def reserve(browser: Client, who: Headers, data: bytes, **more: Any) -> dict[str, Any]:
    response = browser.post("/api/uploads", json={"filename": "sea.jpg", "size": len(data), **more}, headers=who)
    assert response.status_code == 201, response.text
    ticket: dict[str, Any] = response.json()
    return ticket


def put(browser: Client, signed_url: dict[str, Any], data: bytes) -> httpx.Response:
    url = urlsplit(signed_url["url"])
    return browser.request(signed_url["method"], f"{url.path}?{url.query}", headers=signed_url["headers"], content=data)


def put_parts(browser: Client, who: Headers, ticket: dict[str, Any], data: bytes, numbers: list[int]) -> None:
    parts = {"partNumbers": numbers}
    signed = browser.post(f"/api/uploads/{ticket['imageId']}/parts", json=parts, headers=who).json()
    for part in signed["parts"]:
        start = (part["partNumber"] - 1) * ticket["partSize"]
        assert put(browser, part, data[start : start + part["size"]]).status_code == 200


def complete(browser: Client, who: Headers, image_id: str, **headers: str) -> httpx.Response:
    return browser.post(f"/api/uploads/{image_id}/complete", headers={**who, **headers})


def upload(browser: Client, who: Headers, data: bytes, **more: Any) -> httpx.Response:
    ticket = reserve(browser, who, data, **more)
    assert put(browser, ticket, data).status_code == 200
    return complete(browser, who, ticket["imageId"])


def used(community: Community) -> tuple[int | None, int | None]:
    limit = read_limit(ANN, table=community.table)
    return limit.used, limit.bytes_used


# -- Complete uploads


def test_a_small_file_is_uploaded_to_one_url(community: Community, browser: Client, ann: Headers) -> None:
    data = a_jpeg(5000)
    ticket = reserve(browser, ann, data, mimeType="image/jpeg", title="Sea", tags=["sun"], visibility="private")
    assert ticket.keys() == {"imageId", "size", "url", "method", "headers", "expiresAt"}
    assert put(browser, ticket, data).status_code == 200
    response = complete(browser, ann, ticket["imageId"])
    image = response.json()
    assert response.status_code == 201
    assert (image["imageId"], image["title"], image["tags"]) == (ticket["imageId"], "Sea", ["sun"])
    assert (image["visibility"], image["processingStatus"]) == ("private", "pending")
    assert (image["s3Key"], image["fileSize"]) == (f"originals/{image['imageId']}.jpg", 5000)
    original = browser.get(image["urls"]["original"], headers=ann)
    assert hashlib.sha256(original.content).digest() == hashlib.sha256(data).digest()
    assert keys_in(community.blobs) == [image["s3Key"]]


def test_a_large_file_is_uploaded_in_parts_and_resumed(community: Community, browser: Client, ann: Headers) -> None:
    data = a_jpeg(LARGE)
    ticket = reserve(browser, ann, data)
    assert (ticket["partSize"], ticket["partCount"], "url" in ticket) == (8 * MIB, 3, False)
    put_parts(browser, ann, ticket, data, [1, 3])
    one = f"/api/uploads/{ticket['imageId']}"
    state = browser.get(one, headers=ann).json()
    assert (state["completed"], state["arrived"], state["arrivedParts"]) == (False, False, [1, 3])
    assert complete(browser, ann, ticket["imageId"]).status_code == 409
    put_parts(browser, ann, ticket, data, [2])
    assert browser.get(one, headers=ann).json()["arrived"] is True
    image = complete(browser, ann, ticket["imageId"]).json()
    assert browser.get(one, headers=ann).json() == {"imageId": ticket["imageId"], "completed": True}
    assert b"".join(community.blobs.open(image["s3Key"])) == data


def test_a_completed_upload_is_sent_to_be_processed(community: Community, browser: Client, ann: Headers) -> None:
    image_id = upload(browser, ann, a_jpeg()).json()["imageId"]
    (job,) = community.stores.jobs.receive(wait=0)
    assert job.job.kind == "make_renditions"
    assert (job.job.body["image_id"], job.job.body["owner"]) == (image_id, ANN)
    assert job.job.body["requestId"]


def test_an_upload_has_the_default_visibility_unless_it_names_another(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    community = Community(tmp_path_factory.mktemp("data"), default_visibility="private")
    with community.browser() as browser:
        ann = community.session_of(community.ann)
        assert upload(browser, ann, a_jpeg()).json()["visibility"] == "private"
        assert upload(browser, ann, a_jpeg(), visibility="community").json()["visibility"] == "community"


def test_the_offset_of_a_taken_time_is_stored(browser: Client, ann: Headers) -> None:
    image = upload(browser, ann, a_jpeg(), takenAt="2025-08-01T09:24:22+02:00").json()
    assert (image["takenAt"], image["takenOffset"]) == ("2025-08-01T07:24:22.000Z", "+02:00")


# -- Duplicates


def test_bytes_that_the_uploader_has_need_not_be_sent_again(
    community: Community, browser: Client, ann: Headers
) -> None:
    data = a_jpeg()
    image_id = upload(browser, ann, data).json()["imageId"]
    fields = {"filename": "again.jpg", "size": len(data), "sha256": hashlib.sha256(data).hexdigest().upper()}
    response = browser.post("/api/uploads", json=fields, headers=ann)
    assert (response.status_code, response.json()) == (200, {"imageId": image_id, "duplicate": True})
    assert used(community) == (1, len(data))


def test_uploading_the_bytes_of_a_trashed_photo_restores_it(
    community: Community, browser: Client, ann: Headers
) -> None:
    data = a_jpeg()
    image_id = upload(browser, ann, data).json()["imageId"]
    browser.post("/api/photos/trash", json={"ids": [image_id]}, headers=ann)
    assert upload(browser, ann, data).json() == {"imageId": image_id, "duplicate": True}
    assert "trashedAt" not in browser.get(f"/api/photos/{image_id}", headers=ann).json()
    kinds = {delivery.job.kind for delivery in community.stores.jobs.receive(wait=0)}
    assert "make_renditions" in kinds


def test_the_same_bytes_of_another_user_are_not_revealed(community: Community, browser: Client, ann: Headers) -> None:
    data = a_jpeg()
    upload(browser, ann, data)
    bob = community.session_of(community.bob)
    reserve(browser, bob, data, sha256=hashlib.sha256(data).hexdigest())


# -- Repeats


def test_completing_an_upload_again_gets_the_same_photo(browser: Client, ann: Headers) -> None:
    image_id = upload(browser, ann, a_jpeg()).json()["imageId"]
    again = complete(browser, ann, image_id)
    assert (again.status_code, again.json()["imageId"]) == (201, image_id)


def test_completing_a_duplicate_again_gets_the_same_response(browser: Client, ann: Headers) -> None:
    data = a_jpeg()
    image_id = upload(browser, ann, data).json()["imageId"]
    ticket = reserve(browser, ann, data)
    put(browser, ticket, data)
    key = {"Idempotency-Key": "the second one"}
    for _ in range(2):
        response = complete(browser, ann, ticket["imageId"], **key)
        assert (response.status_code, response.json()) == (200, {"imageId": image_id, "duplicate": True})


def test_completing_a_duplicate_twice_at_once_gets_the_same_response(
    community: Community, browser: Client, ann: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, key = a_jpeg(), {"Idempotency-Key": "the second one"}
    image_id = upload(browser, ann, data).json()["imageId"]
    ticket = reserve(browser, ann, data)
    put(browser, ticket, data)
    copy, responses = community.blobs.copy, []

    def copied_late(source: str, target: str) -> BlobInfo:
        monkeypatch.undo()
        with community.browser() as other:
            responses.append(complete(other, ann, ticket["imageId"], **key))
        return copy(source, target)

    monkeypatch.setattr(community.blobs, "copy", copied_late)
    responses.append(complete(browser, ann, ticket["imageId"], **key))
    assert [response.json() for response in responses] == [{"imageId": image_id, "duplicate": True}] * 2
    assert len(keys_in(community.blobs)) == 1


def test_an_idempotency_key_is_for_one_request(browser: Client, ann: Headers) -> None:
    first, second = (reserve(browser, ann, a_jpeg()) for _ in range(2))
    for ticket in (first, second):
        put(browser, ticket, a_jpeg())
    key = {"Idempotency-Key": first["imageId"]}
    assert complete(browser, ann, first["imageId"], **key).status_code == 201
    assert complete(browser, ann, first["imageId"], **key).status_code == 201
    status, code, message = refusal(complete(browser, ann, second["imageId"], **key))
    assert (status, code) == (409, "CONFLICT")
    assert "use a new one" in message
    assert complete(browser, ann, second["imageId"]).status_code == 201


@pytest.mark.parametrize("size", [5000, LARGE])
def test_a_repeated_reservation_with_the_same_key_gets_the_first_one(
    community: Community, browser: Client, ann: Headers, size: int
) -> None:
    data, again = a_jpeg(size), {**ann, "Idempotency-Key": "the first sea"}
    first, second = (reserve(browser, again, data) for _ in range(2))
    assert first["imageId"] == second["imageId"]
    assert used(community) == (1, size)
    other = reserve(browser, {**ann, "Idempotency-Key": "another sea"}, data)
    assert other["imageId"] != first["imageId"]
    if size == LARGE:
        put_parts(browser, ann, second, data, [1, 2, 3])
    else:
        put(browser, second, data)
    assert complete(browser, ann, first["imageId"]).status_code == 201
    fields = {"filename": "sea.jpg", "size": size}
    response = browser.post("/api/uploads", json=fields, headers=again)
    assert (response.status_code, response.json()) == (200, {"imageId": first["imageId"], "duplicate": True})


def test_a_repeat_of_a_refused_or_canceled_reservation_makes_a_new_one(
    community: Community, browser: Client, ann: Headers
) -> None:
    data, again = a_jpeg(100), {**ann, "Idempotency-Key": "the first sea"}
    set_left(ANN, photos=0, bytes=1000, table=community.table)
    assert browser.post("/api/uploads", json={"filename": "sea.jpg", "size": 100}, headers=again).status_code == 403
    set_left(ANN, photos=1, bytes=1000, table=community.table)
    ticket = reserve(browser, again, data)
    browser.delete(f"/api/uploads/{ticket['imageId']}", headers=ann)
    again_reserved = reserve(browser, again, data)
    assert put(browser, again_reserved, data).status_code == 200
    assert complete(browser, ann, again_reserved["imageId"]).status_code == 201


def test_a_file_that_has_arrived_cannot_be_replaced(browser: Client, ann: Headers) -> None:
    data = a_jpeg()
    ticket = reserve(browser, ann, data)
    assert put(browser, ticket, data).status_code == 200
    assert put(browser, ticket, a_jpeg()).status_code == 412
    assert browser.get(f"/api/uploads/{ticket['imageId']}", headers=ann).json()["arrived"] is True


# -- Refusals


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"size": 0}, 415, "UNSUPPORTED_TYPE"),
        ({"size": 10**10 + 1}, 413, "TOO_LARGE"),
        ({"size": 100, "mimeType": "application/pdf"}, 415, "UNSUPPORTED_TYPE"),
        ({"size": 100, "mimeType": "a picture"}, 400, "BAD_INPUT"),
        ({"size": 100, "title": "a" * 256}, 400, "BAD_INPUT"),
        ({"size": 100, "expiresAt": "2025-01-01T00:00:00Z"}, 400, "BAD_INPUT"),
        ({"size": -1}, 422, "INVALID_REQUEST"),
        ({"size": 100, "sha256": "abc"}, 422, "INVALID_REQUEST"),
        ({"size": 100, "albumTitle": "x"}, 422, "INVALID_REQUEST"),
    ],
)
def test_an_invalid_upload_is_refused_before_anything_is_reserved(
    community: Community, browser: Client, ann: Headers, fields: dict[str, Any], status: int, code: str
) -> None:
    response = browser.post("/api/uploads", json={"filename": "sea.jpg", **fields}, headers=ann)
    assert refusal(response)[:2] == (status, code)
    assert used(community) == (0, 0)


def test_an_upload_over_the_limit_is_refused_with_what_is_left(
    community: Community, browser: Client, ann: Headers
) -> None:
    set_left(ANN, photos=0, bytes=5, table=community.table)
    response = browser.post("/api/uploads", json={"filename": "sea.jpg", "size": 100}, headers=ann)
    body = response.json()
    assert (response.status_code, body["error"]) == (403, "UPLOAD_LIMIT_REACHED")
    assert (body["photosLeft"], body["bytesLeft"]) == (0, 5)


def test_a_reservation_whose_bytes_are_no_photo_is_given_back(
    community: Community, browser: Client, ann: Headers
) -> None:
    status, code, message = refusal(upload(browser, ann, b"%PDF-1.7 and so on"))
    assert (status, code) == (415, "UNSUPPORTED_TYPE")
    assert "a PDF document" in message
    assert (used(community), keys_in(community.blobs)) == ((0, 0), [])


def test_only_parts_of_the_file_get_urls(browser: Client, ann: Headers) -> None:
    large, small = reserve(browser, ann, bytes(LARGE)), reserve(browser, ann, a_jpeg())
    for ticket, number in ((large, 4), (small, 1)):
        parts = {"partNumbers": [number]}
        response = browser.post(f"/api/uploads/{ticket['imageId']}/parts", json=parts, headers=ann)
        assert refusal(response)[:2] == (400, "BAD_INPUT")


def test_a_completed_upload_has_no_part_urls_and_cannot_be_canceled(browser: Client, ann: Headers) -> None:
    image_id = upload(browser, ann, a_jpeg()).json()["imageId"]
    parts = browser.post(f"/api/uploads/{image_id}/parts", json={"partNumbers": [1]}, headers=ann)
    for response in (parts, browser.delete(f"/api/uploads/{image_id}", headers=ann)):
        assert refusal(response)[0] == 409


# -- Canceling


def test_a_canceled_upload_leaves_no_trace(community: Community, browser: Client, ann: Headers) -> None:
    data = a_jpeg(LARGE)
    ticket = reserve(browser, ann, data)
    put_parts(browser, ann, ticket, data, [1])
    one = f"/api/uploads/{ticket['imageId']}"
    assert browser.delete(one, headers=ann).status_code == 204
    assert used(community) == (0, 0)
    stores = community.stores
    assert traces_of(ticket["imageId"], table=stores.table, blobs=stores.blobs, jobs=stores.jobs) == []
    for response in (browser.delete(one, headers=ann), browser.get(one, headers=ann)):
        assert response.status_code == 404
    assert complete(browser, ann, ticket["imageId"]).status_code == 404


@pytest.mark.parametrize("deleted", [False, True])
def test_an_upload_url_accepts_nothing_after_the_upload_is_canceled_or_deleted(
    community: Community, browser: Client, ann: Headers, deleted: bool
) -> None:
    """The bytes would count against no upload limit, and outlive the photo."""
    data = a_jpeg()
    ticket = reserve(browser, ann, data)
    image_id = ticket["imageId"]
    if deleted:
        put(browser, ticket, data)
        complete(browser, ann, image_id)
        assert put(browser, ticket, data).status_code == 412
        browser.delete(f"/api/photos/{image_id}", headers=ann)
        stores = community.stores
        finish_deletion(
            PhotoDeletionBegun(image_id, ANN),
            table=stores.table,
            blobs=stores.blobs,
            jobs=stores.jobs,
            keyring=stores.keyring,
        )
    else:
        browser.delete(f"/api/uploads/{image_id}", headers=ann)
    assert put(browser, ticket, data).status_code == 404
    assert keys_in(community.blobs) == []


def test_bytes_that_arrive_while_their_upload_is_canceled_are_deleted(
    community: Community, browser: Client, ann: Headers
) -> None:
    data = a_jpeg(3 * MIB)
    ticket = reserve(browser, ann, data)
    photo = find_photo(ticket["imageId"], table=community.table)
    assert photo is not None

    async def canceled_meanwhile() -> AsyncIterator[bytes]:
        yield data[:MIB]
        cancel_upload(photo, table=community.table, blobs=community.blobs)
        yield data[MIB:]

    headers = {**ticket["headers"], "Content-Length": str(len(data))}
    response = browser.put(ticket["url"], headers=headers, content=canceled_meanwhile())
    assert response.status_code == 404
    assert keys_in(community.blobs) == []


def test_a_reservation_expires_after_a_day(community: Community, browser: Client, ann: Headers) -> None:
    data = a_jpeg()
    ticket = reserve(browser, ann, data)
    put(browser, ticket, data)
    community.pass_time(hours=24)
    assert complete(browser, ann, ticket["imageId"]).status_code == 404


# -- Access


def test_an_upload_is_accessible_to_its_uploader_only(community: Community, browser: Client, ann: Headers) -> None:
    one = f"/api/uploads/{reserve(browser, ann, a_jpeg())['imageId']}"
    for user in (community.bob, community.carol):
        headers = community.session_of(user)
        for response in (browser.get(one, headers=headers), browser.delete(one, headers=headers)):
            assert response.status_code == 404


def test_an_api_key_needs_the_upload_scope(community: Community, browser: Client) -> None:
    fields = {"filename": "sea.jpg", "size": 100}
    for scope, status in ((KeyScope.UPLOAD, 201), (KeyScope.EDIT, 403)):
        assert (
            browser.post("/api/uploads", json=fields, headers=community.key_of(community.ann, scope)).status_code
            == status
        )
