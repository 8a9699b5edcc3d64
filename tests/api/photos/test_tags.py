"""Tags: counts, photos of a tag, and renaming."""

from typing import Any

import pytest

from sparks.actions import rename_tag
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.model.photo import Photo, Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, a_photo


def add_photo(community: Community, *tags: str, **more: Any) -> Photo:
    photo = community.keep(a_photo(tags=tags, **more))
    reconcile_links(photo.image_id, photo.owner, table=community.table)
    return photo


def test_tags_are_counted_in_the_callers_photos_and_in_the_community(
    community: Community, browser: Client, ann: Headers
) -> None:
    add_photo(community, "Sea", "sand")
    add_photo(community, "sea", visibility=Visibility.PRIVATE)
    add_photo(community, "sea", owner=BOB)
    body = browser.get("/api/tags?q=SE", headers=ann).json()
    assert body == {"tags": [{"tag": "sea", "count": 2}], "hasMore": False}
    first = browser.get("/api/tags?scope=community&limit=1", headers=ann).json()
    assert first["tags"] == [{"tag": "sand", "count": 1}]
    rest = browser.get(f"/api/tags?scope=community&limit=1&cursor={first['lastEvaluatedKey']}", headers=ann).json()
    assert rest == {"tags": [{"tag": "sea", "count": 2}], "hasMore": False}


def test_photos_with_a_tag_are_listed(community: Community, browser: Client, ann: Headers, bob: Headers) -> None:
    mine, private = add_photo(community, "A/b"), add_photo(community, "a/b", visibility=Visibility.PRIVATE)

    def listed(headers: Headers, query: str = "") -> list[str]:
        images = browser.get(f"/api/tags/photos?tag=a%2Fb{query}", headers=headers).json()["images"]
        return [image["imageId"] for image in images]

    assert listed(ann) == [private.image_id, mine.image_id]
    assert listed(bob, "&scope=community") == [mine.image_id]
    assert listed(bob) == []


def test_a_tag_may_be_named_like_the_end_of_a_path(community: Community, browser: Client, ann: Headers) -> None:
    photo, other = add_photo(community, "sea/photos"), add_photo(community, "photos")
    for tag, expected in (("sea/photos", photo), ("photos", other)):
        [image] = browser.get(f"/api/tags/photos?tag={tag}", headers=ann).json()["images"]
        assert image["imageId"] == expected.image_id
        assert browser.patch(f"/api/tags/{tag}", headers=ann, json={"name": "x"}).json()["done"] == 1


def test_a_tag_is_renamed_on_all_photos_of_its_owner_only(community: Community, browser: Client, ann: Headers) -> None:
    photo, bobs = add_photo(community, "sea/side", "sun"), add_photo(community, "sea/side", owner=BOB)
    response = browser.patch("/api/tags/sea/side", headers=ann, json={"name": "Ocean"})
    assert response.status_code == 200
    body = response.json()
    assert (body["photos"], body["done"], body["failed"], body["finished"]) == (1, 1, 0, True)
    assert browser.get(f"/api/me/tag-changes/{body['changeId']}", headers=ann).json() == body
    now = browser.get(f"/api/photos/{photo.image_id}", headers=ann).json()
    assert (now["tags"], now["version"]) == (["Ocean", "sun"], 2)
    late = browser.patch(f"/api/photos/{photo.image_id}", headers=ann, json={"version": 1, "title": "x"}).json()
    assert (late["error"], late["currentVersion"]) == ("VERSION_MISMATCH", 2)
    assert browser.get(f"/api/photos/{bobs.image_id}", headers=ann).json()["tags"] == ["sea/side"]


def test_a_tag_of_many_photos_is_renamed_by_a_job_that_reports_progress(
    community: Community, browser: Client, ann: Headers, bob: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rename_tag, "BATCH_SIZE", 2)
    monkeypatch.setattr("sparks.tags.rename_tag.BATCH_SIZE", 2)
    photos = [add_photo(community, "sea") for _ in range(5)]
    response = browser.patch("/api/tags/sea", headers=ann, json={"name": "ocean"})
    assert response.status_code == 202
    body = response.json()
    assert (body["photos"], body["done"], body["finished"]) == (5, 2, False)
    assert all(report.done for report in community.work())
    path = f"/api/me/tag-changes/{body['changeId']}"
    after = browser.get(path, headers=ann).json()
    assert (after["photos"], after["done"], after["finished"]) == (5, 5, True)
    assert refusal(browser.get(path, headers=bob))[0] == 404
    images = browser.get("/api/me/photos", headers=ann).json()["images"]
    assert [image["tags"] for image in images] == [["ocean"]] * len(photos)
    assert browser.get("/api/tags", headers=ann).json() == {"tags": [{"tag": "ocean", "count": 5}], "hasMore": False}


def test_a_tag_that_none_of_the_callers_photos_has_cannot_be_renamed(
    community: Community, browser: Client, bob: Headers
) -> None:
    add_photo(community, "sea", owner=ANN)
    assert refusal(browser.patch("/api/tags/sea", headers=bob, json={"name": "ocean"}))[:2] == (404, "NOT_FOUND")


@pytest.mark.parametrize("name", ["", " ", "x" * 51])
def test_an_invalid_tag_is_refused_as_a_new_name(
    community: Community, browser: Client, ann: Headers, name: str
) -> None:
    add_photo(community, "sea")
    assert refusal(browser.patch("/api/tags/sea", headers=ann, json={"name": name}))[:2] == (400, "BAD_INPUT")
