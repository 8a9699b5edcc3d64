"""Trashing, restoring and deleting many photos in one request, each with its own result."""

from typing import Any

from sparks.library import keys
from sparks.library.photos.photo_rows import find_photo
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.ids import new_image_id
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import scope_of_owner
from sparks.table.port import every
from tests.account_makers import hang, stored_keys
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, a_photo
from tests.library.photos.photo_makers import settled
from tests.stored_traces import traces_of

TRASHED = {"state": PhotoState.TRASHED, "processing_status": ProcessingStatus.COMPLETED}


def post(browser: Client, headers: Headers, action: str, *ids: str) -> list[dict[str, Any]]:
    response = browser.post(f"/api/photos/{action}", json={"ids": ids}, headers=headers)
    assert response.status_code == 200, response.text
    results: list[dict[str, Any]] = response.json()["results"]
    return results


def state_of(community: Community, photo: Photo) -> PhotoState | None:
    found = find_photo(photo.image_id, table=community.table)
    return None if found is None else found.state


def months(community: Community) -> dict[str, int]:
    return {each["SK"]: each["count"] for each in every(community.table, keys.months(scope_of_owner(ANN)))}


# -- The trash


def test_photos_are_trashed_and_restored(community: Community, browser: Client, ann: Headers) -> None:
    photos = [settled(community.table) for _ in range(3)]
    ids = [photo.image_id for photo in photos]
    done = post(browser, ann, "trash", *ids)
    trashed = {"status": "trashed", "version": 2, "processingStatus": "completed"}
    assert done == [{"imageId": image_id, **trashed} for image_id in ids]
    community.work()
    assert months(community) == {}
    assert [image["imageId"] for image in browser.get("/api/me/trash", headers=ann).json()["images"]] == ids[::-1]
    done = post(browser, ann, "restore", *ids)
    assert [(each["status"], each["version"]) for each in done] == [("restored", 3)] * 3
    community.work()
    assert months(community) == {"2025-08": 3}
    assert browser.get("/api/me/trash", headers=ann).json()["images"] == []


def test_trashing_or_restoring_again_changes_nothing(community: Community, browser: Client, ann: Headers) -> None:
    photo = settled(community.table)
    for action, version in (("trash", 2), ("trash", 2), ("restore", 3), ("restore", 3)):
        [done] = post(browser, ann, action, photo.image_id)
        assert done["version"] == version


def test_a_trashed_photo_still_counts_against_the_upload_limit(
    community: Community, browser: Client, ann: Headers
) -> None:
    photo, left = settled(community.table), read_limit(ANN, table=community.table)
    post(browser, ann, "trash", photo.image_id)
    assert read_limit(ANN, table=community.table) == left


def test_a_photo_that_is_being_uploaded_cannot_be_trashed(community: Community, browser: Client, ann: Headers) -> None:
    photo = community.keep(a_photo(state=PhotoState.RESERVED))
    [done] = post(browser, ann, "trash", photo.image_id)
    assert (done["error"], done["message"]) == (
        "CONFLICT",
        "this photo is still being uploaded: cancel the upload instead",
    )


# -- Deleting


def test_photos_in_all_states_are_deleted_without_a_trace(community: Community, browser: Client, ann: Headers) -> None:
    left = read_limit(ANN, table=community.table).photos_left
    states = sorted(set(PhotoState) - {PhotoState.DELETING})
    photos = [hang(community.table, community.blobs, state=state) for state in states for _ in range(4)]
    ids = [photo.image_id for photo in photos]
    assert post(browser, ann, "delete", *ids) == [{"imageId": image_id, "status": "deleted"} for image_id in ids]
    assert read_limit(ANN, table=community.table).photos_left == left + len(photos)
    community.work()
    assert stored_keys(community.blobs) == []
    for photo in photos:
        stores = community.stores
        assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, owner=ANN) == []


def test_each_deleted_photo_has_its_own_result(community: Community, browser: Client, ann: Headers) -> None:
    mine, shown = community.keep(a_photo()), community.keep(a_photo(owner=BOB))
    private = community.keep(a_photo(owner=BOB, visibility=Visibility.PRIVATE))
    ids = [shown.image_id, mine.image_id, private.image_id, new_image_id(), "no id at all", ""]
    results = post(browser, ann, "delete", *ids)
    assert [result["imageId"] for result in results] == ids
    outcomes = [result.get("error", result.get("status")) for result in results]
    assert outcomes == ["NOT_ALLOWED", "deleted", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]
    assert len({result["message"] for result in results if result.get("error") == "NOT_FOUND"}) == 1
    assert state_of(community, shown) is state_of(community, private) is PhotoState.READY


def test_a_repeated_id_counts_once(community: Community, browser: Client, ann: Headers) -> None:
    photo = community.keep(a_photo())
    assert post(browser, ann, "delete", photo.image_id, photo.image_id) == [
        {"imageId": photo.image_id, "status": "deleted"}
    ]
    [again] = post(browser, ann, "delete", photo.image_id)
    assert again["error"] == "NOT_FOUND"


def test_at_most_500_photos_are_deleted_in_one_request(community: Community, browser: Client, ann: Headers) -> None:
    photos = [community.keep(a_photo()) for _ in range(500)]
    ids = [photo.image_id for photo in photos]
    assert browser.post("/api/photos/delete", json={"ids": [*ids, "x"]}, headers=ann).status_code == 422
    assert browser.post("/api/photos/delete", json={"ids": []}, headers=ann).status_code == 422
    left = read_limit(ANN, table=community.table).photos_left
    assert {result["status"] for result in post(browser, ann, "delete", *ids)} == {"deleted"}
    assert read_limit(ANN, table=community.table).photos_left == left + 500
    assert community.stores.jobs.counts().waiting == 500


def test_jobs_of_a_deletion_carry_the_request_id(community: Community, browser: Client, ann: Headers) -> None:
    ids = [community.keep(a_photo()).image_id for _ in range(3)]
    browser.post("/api/photos/delete", json={"ids": ids}, headers={**ann, "X-Request-Id": "r17"})
    assert {job.job.body["requestId"] for job in community.stores.jobs.receive(wait=0)} == {"r17"}


def test_bulk_routes_accept_only_post(browser: Client, ann: Headers) -> None:
    """These paths are not taken for ids of photos."""
    for action in ("change", "trash", "restore", "delete"):
        response = browser.put(f"/api/photos/{action}", headers=ann)
        assert (response.status_code, response.headers["Allow"]) == (405, "POST")


# -- Emptying the trash


def test_emptying_the_trash_deletes_nothing_else(community: Community, browser: Client, ann: Headers) -> None:
    trashed = [hang(community.table, community.blobs, **TRASHED) for _ in range(5)]
    stays, theirs = settled(community.table), community.keep(a_photo(owner=BOB, **TRASHED))
    left = read_limit(ANN, table=community.table).photos_left
    response = browser.delete("/api/me/trash", headers=ann)
    assert (response.status_code, response.json()) == (200, {"deleted": 5})
    assert read_limit(ANN, table=community.table).photos_left == left + 5
    community.work()
    assert [state_of(community, photo) for photo in trashed] == [None] * 5
    assert state_of(community, stays) is PhotoState.READY
    assert state_of(community, theirs) is PhotoState.TRASHED
    assert browser.delete("/api/me/trash", headers=ann).json() == {"deleted": 0}
