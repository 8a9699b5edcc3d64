"""Tags over HTTP: counts, photos, and another name for one of them."""

from typing import Any

import pytest

from sparks.api import tags as routes
from sparks.library.photos import settle_links
from sparks.model.photo import Photo, Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, a_photo


def hang(community: Community, *tags: str, **more: Any) -> Photo:
    photo = community.keep(a_photo(tags=tags, **more))
    settle_links(photo.image_id, photo.owner, table=community.table)
    return photo


def test_tags_are_counted_in_ones_own_photos_and_in_the_community(
    community: Community, browser: Client, ann: Headers
) -> None:
    hang(community, "Sea", "sand")
    hang(community, "sea", visibility=Visibility.PRIVATE)
    hang(community, "sea", owner=BOB)
    told = browser.get("/api/tags?q=SE", headers=ann).json()
    assert told == {"tags": [{"tag": "sea", "count": 2}]}
    first = browser.get("/api/tags?scope=community&limit=1", headers=ann).json()
    assert first["tags"] == [{"tag": "sand", "count": 1}]
    rest = browser.get(f"/api/tags?scope=community&limit=1&cursor={first['lastEvaluatedKey']}", headers=ann).json()
    assert rest == {"tags": [{"tag": "sea", "count": 2}]}


def test_photos_with_a_tag_are_a_list(community: Community, browser: Client, ann: Headers, bob: Headers) -> None:
    mine, private = hang(community, "A/b"), hang(community, "a/b", visibility=Visibility.PRIVATE)

    def found(headers: Headers, query: str = "") -> list[str]:
        images = browser.get(f"/api/tags/photos?tag=a%2Fb{query}", headers=headers).json()["images"]
        return [image["imageId"] for image in images]

    assert found(ann) == [private.image_id, mine.image_id]
    assert found(bob, "&scope=community") == [mine.image_id]
    assert found(bob) == []


def test_a_tag_may_be_called_as_an_address_ends(community: Community, browser: Client, ann: Headers) -> None:
    photo, other = hang(community, "sea/photos"), hang(community, "photos")
    for tag, wanted in (("sea/photos", photo), ("photos", other)):
        [image] = browser.get(f"/api/tags/photos?tag={tag}", headers=ann).json()["images"]
        assert image["imageId"] == wanted.image_id
        assert browser.patch(f"/api/tags/{tag}", headers=ann, json={"name": "x"}).json()["done"] == 1


def test_a_tag_is_given_another_name(community: Community, browser: Client, ann: Headers) -> None:
    photo, bobs = hang(community, "sea/side", "sun"), hang(community, "sea/side", owner=BOB)
    answer = browser.patch("/api/tags/sea/side", headers=ann, json={"name": "Ocean"})
    assert answer.status_code == 200
    told = answer.json()
    assert (told["photos"], told["done"], told["failed"], told["finished"]) == (1, 1, 0, True)
    assert browser.get(f"/api/me/tag-changes/{told['changeId']}", headers=ann).json() == told
    now = browser.get(f"/api/photos/{photo.image_id}", headers=ann).json()
    assert (now["tags"], now["version"]) == (["Ocean", "sun"], 2)
    late = browser.patch(f"/api/photos/{photo.image_id}", headers=ann, json={"version": 1, "title": "x"}).json()
    assert (late["error"], late["currentVersion"]) == ("VERSION_MISMATCH", 2)
    assert browser.get(f"/api/photos/{bobs.image_id}", headers=ann).json()["tags"] == ["sea/side"]


def test_many_photos_are_renamed_by_a_job_that_tells_how_far_it_is(
    community: Community, browser: Client, ann: Headers, bob: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "AT_ONCE", 2)
    monkeypatch.setattr("sparks.feed.retagging.AT_ONCE", 2)
    photos = [hang(community, "sea") for _ in range(5)]
    answer = browser.patch("/api/tags/sea", headers=ann, json={"name": "ocean"})
    assert answer.status_code == 202
    told = answer.json()
    assert (told["photos"], told["done"], told["finished"]) == (5, 2, False)
    assert all(report.done for report in community.work())
    path = f"/api/me/tag-changes/{told['changeId']}"
    after = browser.get(path, headers=ann).json()
    assert (after["photos"], after["done"], after["finished"]) == (5, 5, True)
    assert refusal(browser.get(path, headers=bob))[0] == 404
    images = browser.get("/api/me/photos", headers=ann).json()["images"]
    assert [image["tags"] for image in images] == [["ocean"]] * len(photos)
    assert browser.get("/api/tags", headers=ann).json() == {"tags": [{"tag": "ocean", "count": 5}]}


def test_a_tag_that_none_of_ones_photos_has_cannot_be_renamed(
    community: Community, browser: Client, bob: Headers
) -> None:
    hang(community, "sea", owner=ANN)
    assert refusal(browser.patch("/api/tags/sea", headers=bob, json={"name": "ocean"}))[:2] == (404, "NOT_FOUND")


@pytest.mark.parametrize("name", ["", " ", "x" * 51])
def test_what_is_no_tag_is_refused_as_a_name(community: Community, browser: Client, ann: Headers, name: str) -> None:
    hang(community, "sea")
    assert refusal(browser.patch("/api/tags/sea", headers=ann, json={"name": name}))[:2] == (400, "BAD_INPUT")
