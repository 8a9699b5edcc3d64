"""Changes of many photos in one request: tags, visibility, favorites; and their undo."""

from typing import Any

import pytest

from sparks.library import keys
from sparks.library.photos.photo_rows import find_photo
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import COMMUNITY
from sparks.table.port import every
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, a_photo
from tests.library.photos.photo_makers import settled

PRIVATE = Visibility.PRIVATE


def change(browser: Client, headers: Headers, *ids: str, **fields: Any) -> list[dict[str, Any]]:
    response = browser.post("/api/photos/change", json={"ids": ids, **fields}, headers=headers)
    assert response.status_code == 200, response.text
    results: list[dict[str, Any]] = response.json()["results"]
    return results


def row_of(community: Community, photo: Photo) -> Photo:
    found = find_photo(photo.image_id, table=community.table)
    assert found is not None
    return found


def favorites(browser: Client, headers: Headers) -> set[str]:
    return {image["imageId"] for image in browser.get("/api/me/favorites", headers=headers).json()["images"]}


def test_one_request_changes_tags_visibility_and_favorite_of_many_photos(
    community: Community, browser: Client, ann: Headers
) -> None:
    plain, tagged = settled(community.table), settled(community.table, tags=("Sea", "old"))
    fields = {"addTags": ["sea", "wind"], "removeTags": ["OLD"], "visibility": "private", "favorite": True}
    done = change(browser, ann, plain.image_id, tagged.image_id, **fields)
    changed = {"status": "changed", "version": 2, "processingStatus": "completed"}
    undo = {"visibility": "community", "favorite": False}
    assert done == [
        {"imageId": plain.image_id, **changed, "undo": {**undo, "removeTags": ["sea", "wind"]}},
        {"imageId": tagged.image_id, **changed, "undo": {**undo, "addTags": ["old"], "removeTags": ["wind"]}},
    ]
    assert [row_of(community, photo).tags for photo in (plain, tagged)] == [("sea", "wind"), ("Sea", "wind")]
    assert {row_of(community, photo).visibility for photo in (plain, tagged)} == {PRIVATE}
    assert favorites(browser, ann) == {plain.image_id, tagged.image_id}


def test_photos_that_are_made_private_leave_the_months_of_the_community_at_once(
    community: Community, browser: Client, ann: Headers
) -> None:
    photos = [settled(community.table) for _ in range(3)]
    change(browser, ann, *(photo.image_id for photo in photos[:2]), visibility="private")
    assert [counter["count"] for counter in every(community.table, keys.months(COMMUNITY))] == [1]
    community.work()
    assert [image["imageId"] for image in browser.get("/api/photos", headers=ann).json()["images"]] == [
        photos[2].image_id
    ]


def test_the_undo_of_each_result_restores_the_photo(community: Community, browser: Client, ann: Headers) -> None:
    photos = [community.keep(a_photo(tags=tags)) for tags in ((), ("Sea",), ("sea", "wind"))]
    fields = {"addTags": ["SEA"], "removeTags": ["sea", "wind"], "visibility": "private", "favorite": True}
    for result in change(browser, ann, *(photo.image_id for photo in photos), **fields):
        change(browser, ann, result["imageId"], **result["undo"])
    for photo in photos:
        now = row_of(community, photo)
        assert (now.tags, now.visibility, now.version) == (photo.tags, photo.visibility, 3)
    assert favorites(browser, ann) == set()


def test_a_repeated_change_changes_nothing_and_has_no_undo(community: Community, browser: Client, ann: Headers) -> None:
    photo = community.keep(a_photo())
    fields = {"addTags": ["sea"], "removeTags": ["wind"], "visibility": "private", "favorite": True}
    change(browser, ann, photo.image_id, **fields)
    [again] = change(browser, ann, photo.image_id, **fields)
    assert (again["version"], "undo" in again) == (2, False)


def test_each_changed_photo_has_its_own_result(community: Community, browser: Client, ann: Headers) -> None:
    mine, shown = community.keep(a_photo()), community.keep(a_photo(owner=BOB))
    private, full = community.keep(a_photo(owner=BOB, visibility=PRIVATE)), a_photo(tags=[f"{n}" for n in range(20)])
    community.keep(full)
    ids = [mine.image_id, shown.image_id, private.image_id, full.image_id, "no id at all", mine.image_id]
    results = change(browser, ann, *ids, addTags=["sea"], favorite=True)
    outcomes = [result.get("error", result.get("status")) for result in results]
    assert outcomes == ["changed", "NOT_ALLOWED", "NOT_FOUND", "BAD_INPUT", "NOT_FOUND"]
    assert row_of(community, shown) == shown
    assert favorites(browser, ann) == {mine.image_id}


def test_every_member_who_sees_a_photo_may_mark_it_as_a_favorite(
    community: Community, browser: Client, ann: Headers
) -> None:
    shown = community.keep(a_photo(owner=BOB))
    private = community.keep(a_photo(owner=BOB, visibility=PRIVATE))
    marked, refused = change(browser, ann, shown.image_id, private.image_id, favorite=True)
    assert (marked["version"], marked["undo"], refused["error"]) == (1, {"favorite": False}, "NOT_FOUND")
    [unmarked] = change(browser, ann, shown.image_id, favorite=False)
    assert unmarked["undo"] == {"favorite": True}
    assert row_of(community, shown) == shown
    assert community.stores.jobs.counts().waiting == 0


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({}, 400, "name what to change: addTags, removeTags, visibility or favorite"),
        ({"addTags": [" "], "removeTags": [], "favorite": None}, 400, "name what to change: "),
        ({"addTags": ["x" * 51]}, 400, "a tag has at most 50 characters, not 51"),
        ({"addTags": [f"{n}" for n in range(21)]}, 400, "a photo has at most 20 tags, not 21"),
        ({"visibility": "secret"}, 422, "body.visibility: "),
        ({"version": 1}, 422, "body.version: "),
    ],
    ids=str,
)
def test_an_invalid_change_of_many_photos_changes_nothing(
    community: Community, browser: Client, ann: Headers, fields: dict[str, Any], status: int, message: str
) -> None:
    photo = community.keep(a_photo())
    response = browser.post("/api/photos/change", json={"ids": [photo.image_id], **fields}, headers=ann)
    assert refusal(response)[0] == status
    assert refusal(response)[2].startswith(message)
    assert row_of(community, photo) == photo


def test_at_most_500_photos_are_changed_in_one_request(community: Community, browser: Client, ann: Headers) -> None:
    ids = [community.keep(a_photo(owner=ANN)).image_id for _ in range(500)]
    assert {result["version"] for result in change(browser, ann, *ids, addTags=["sea"])} == {2}
    assert community.stores.jobs.counts().waiting == 500
    too_many = {"ids": [*ids, "x"], "addTags": ["sea"]}
    assert browser.post("/api/photos/change", json=too_many, headers=ann).status_code == 422
