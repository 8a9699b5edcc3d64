"""Many photos at once: each has a result of its own."""

from typing import Any

from sparks.library import keys
from sparks.library.limits import read_limit
from sparks.library.photos import find_photo
from sparks.model.ids import new_image_id
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import scope_of_owner
from sparks.table.port import every
from tests.accounts import blob_keys, hang
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, a_photo
from tests.library.photos.making import settled
from tests.traces import traces_of

TRASHED = {"state": PhotoState.TRASHED, "processing_status": ProcessingStatus.COMPLETED}


def ask(browser: Client, headers: Headers, what: str, *ids: str) -> list[dict[str, Any]]:
    answer = browser.post(f"/api/photos/{what}", json={"ids": ids}, headers=headers)
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def state_of(community: Community, photo: Photo) -> PhotoState | None:
    found = find_photo(photo.image_id, table=community.table)
    return None if found is None else found.state


def months(community: Community) -> dict[str, int]:
    return {each["SK"]: each["count"] for each in every(community.table, keys.months(scope_of_owner(ANN)))}


# -- The trash


def test_photos_are_thrown_away_and_taken_back(community: Community, browser: Client, ann: Headers) -> None:
    photos = [settled(community.table) for _ in range(3)]
    ids = [photo.image_id for photo in photos]
    done = ask(browser, ann, "trash", *ids)
    told = {"status": "trashed", "version": 2, "processingStatus": "completed"}
    assert done == [{"imageId": image_id, **told} for image_id in ids]
    community.work()
    assert months(community) == {}
    assert [image["imageId"] for image in browser.get("/api/me/trash", headers=ann).json()["images"]] == ids[::-1]
    done = ask(browser, ann, "restore", *ids)
    assert [(each["status"], each["version"]) for each in done] == [("restored", 3)] * 3
    community.work()
    assert months(community) == {"2025-08": 3}
    assert browser.get("/api/me/trash", headers=ann).json()["images"] == []


def test_a_repeat_changes_nothing_more(community: Community, browser: Client, ann: Headers) -> None:
    photo = settled(community.table)
    for what, version in (("trash", 2), ("trash", 2), ("restore", 3), ("restore", 3)):
        [done] = ask(browser, ann, what, photo.image_id)
        assert done["version"] == version


def test_what_is_in_the_trash_still_counts(community: Community, browser: Client, ann: Headers) -> None:
    photo, left = settled(community.table), read_limit(ANN, table=community.table)
    ask(browser, ann, "trash", photo.image_id)
    assert read_limit(ANN, table=community.table) == left


def test_a_photo_whose_bytes_are_on_their_way_cannot_be_thrown_away(
    community: Community, browser: Client, ann: Headers
) -> None:
    photo = community.keep(a_photo(state=PhotoState.RESERVED))
    [done] = ask(browser, ann, "trash", photo.image_id)
    assert (done["error"], done["message"]) == (
        "CONFLICT",
        "the bytes of this photo are still on their way: give up its upload instead",
    )


# -- Deleting


def test_photos_in_all_states_are_deleted_without_a_trace(community: Community, browser: Client, ann: Headers) -> None:
    left = read_limit(ANN, table=community.table).photos_left
    states = sorted(set(PhotoState) - {PhotoState.DELETING})
    photos = [hang(community.table, community.blobs, state=state) for state in states for _ in range(4)]
    ids = [photo.image_id for photo in photos]
    assert ask(browser, ann, "delete", *ids) == [{"imageId": image_id, "status": "deleted"} for image_id in ids]
    assert read_limit(ANN, table=community.table).photos_left == left + len(photos)
    community.work()
    assert blob_keys(community.blobs) == []
    for photo in photos:
        stores = community.stores
        assert traces_of(photo.image_id, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, owner=ANN) == []


def test_each_has_a_result_of_its_own(community: Community, browser: Client, ann: Headers) -> None:
    mine, shown = community.keep(a_photo()), community.keep(a_photo(owner=BOB))
    private = community.keep(a_photo(owner=BOB, visibility=Visibility.PRIVATE))
    ids = [shown.image_id, mine.image_id, private.image_id, new_image_id(), "no id at all", ""]
    results = ask(browser, ann, "delete", *ids)
    assert [result["imageId"] for result in results] == ids
    told = [result.get("error", result.get("status")) for result in results]
    assert told == ["NOT_ALLOWED", "deleted", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]
    assert len({result["message"] for result in results if result.get("error") == "NOT_FOUND"}) == 1
    assert state_of(community, shown) is state_of(community, private) is PhotoState.READY


def test_an_id_that_comes_twice_counts_once(community: Community, browser: Client, ann: Headers) -> None:
    photo = community.keep(a_photo())
    assert ask(browser, ann, "delete", photo.image_id, photo.image_id) == [
        {"imageId": photo.image_id, "status": "deleted"}
    ]
    [again] = ask(browser, ann, "delete", photo.image_id)
    assert again["error"] == "NOT_FOUND"


def test_five_hundred_are_deleted_at_once_and_no_more(community: Community, browser: Client, ann: Headers) -> None:
    photos = [community.keep(a_photo()) for _ in range(500)]
    ids = [photo.image_id for photo in photos]
    assert browser.post("/api/photos/delete", json={"ids": [*ids, "x"]}, headers=ann).status_code == 422
    assert browser.post("/api/photos/delete", json={"ids": []}, headers=ann).status_code == 422
    left = read_limit(ANN, table=community.table).photos_left
    assert {result["status"] for result in ask(browser, ann, "delete", *ids)} == {"deleted"}
    assert read_limit(ANN, table=community.table).photos_left == left + 500
    assert community.stores.jobs.counts().waiting == 500


def test_what_follows_remembers_the_request(community: Community, browser: Client, ann: Headers) -> None:
    ids = [community.keep(a_photo()).image_id for _ in range(3)]
    browser.post("/api/photos/delete", json={"ids": ids}, headers={**ann, "X-Request-Id": "r17"})
    assert {job.job.body["requestId"] for job in community.stores.jobs.receive(wait=0)} == {"r17"}


def test_what_can_be_done_with_many_takes_a_post_alone(browser: Client, ann: Headers) -> None:
    """They are no ids of photos."""
    for what in ("change", "trash", "restore", "delete"):
        answer = browser.put(f"/api/photos/{what}", headers=ann)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


# -- Emptying the trash


def test_the_trash_is_emptied_and_nothing_else(community: Community, browser: Client, ann: Headers) -> None:
    trashed = [hang(community.table, community.blobs, **TRASHED) for _ in range(5)]
    stays, theirs = settled(community.table), community.keep(a_photo(owner=BOB, **TRASHED))
    left = read_limit(ANN, table=community.table).photos_left
    answer = browser.delete("/api/me/trash", headers=ann)
    assert (answer.status_code, answer.json()) == (200, {"deleted": 5})
    assert read_limit(ANN, table=community.table).photos_left == left + 5
    community.work()
    assert [state_of(community, photo) for photo in trashed] == [None] * 5
    assert state_of(community, stays) is PhotoState.READY
    assert state_of(community, theirs) is PhotoState.TRASHED
    assert browser.delete("/api/me/trash", headers=ann).json() == {"deleted": 0}
