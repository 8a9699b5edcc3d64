"""Timelines: months, their photos, ETags, signed queries and aspect ratios."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from sparks.feed.aspect_ratios import split_ratios
from sparks.library.photos.favorites import set_favorite
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.model.photo import Photo, Renditions, Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, NOON, a_photo

JULY = datetime(2024, 7, 1, tzinfo=UTC)


def add_photo(community: Community, **changes: Any) -> Photo:
    photo = community.keep(a_photo(**changes))
    reconcile_links(photo.image_id, photo.owner, table=community.table)
    return photo


def status_again(browser: Client, url: str, headers: Headers, response: httpx.Response) -> int:
    """The status for a caller who has this response already."""
    return browser.get(url, headers={**headers, "If-None-Match": response.headers["etag"]}).status_code


# -- Months


def test_a_member_lists_the_months_of_their_own_photos(community: Community, browser: Client, ann: Headers) -> None:
    add_photo(community, taken_at=JULY)
    add_photo(community, visibility=Visibility.PRIVATE)
    add_photo(community, owner=BOB)
    months = browser.get("/api/timeline", headers=ann).json()["months"]
    assert [(month["month"], month["count"]) for month in months] == [("2025-08", 1), ("2024-07", 1)]
    assert browser.get("/api/timeline?scope=mine", headers=ann).json()["months"] == months


def test_a_member_lists_the_months_of_the_community(community: Community, browser: Client, bob: Headers) -> None:
    add_photo(community, visibility=Visibility.PRIVATE)
    add_photo(community)
    add_photo(community, owner=BOB)
    (month,) = browser.get("/api/timeline?scope=community", headers=bob).json()["months"]
    assert (month["month"], month["count"]) == ("2025-08", 2)


def test_an_unknown_album_has_no_timeline(browser: Client, ann: Headers) -> None:
    for path in ("/api/timeline", "/api/timeline/ratios", "/api/timeline/latest", "/api/timeline/2025-08"):
        status, code, _ = refusal(browser.get(f"{path}?scope=some-album", headers=ann))
        assert (status, code) == (404, "NOT_FOUND")


# -- A month


def test_a_month_is_returned_as_columns(community: Community, browser: Client, ann: Headers) -> None:
    photo = add_photo(community, thumbhash=b"hash", taken_offset="+02:00", taken_at=NOON)
    (listed,) = browser.get("/api/timeline", headers=ann).json()["months"]
    assert browser.get("/api/timeline/2025-08", headers=ann).json() == {
        "month": "2025-08",
        "version": listed["version"],
        "count": 1,
        "ids": [photo.image_id],
        "ratios": [1.3333],
        "thumbhashes": ["aGFzaA=="],
        "times": ["2025-08-01T12:00:00.000Z"],
        "offsets": ["+02:00"],
        "kinds": ["IMAGE"],
        "durations": [0],
        "favorites": [],
    }


def test_the_latest_photos_are_the_beginning_of_the_newest_month(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    add_photo(community, taken_at=JULY)
    photos = [add_photo(community, taken_at=NOON + timedelta(hours=hour)) for hour in range(3)]
    set_favorite(photos[2].image_id, photos[2].owner, ANN, at=NOON, table=community.table)
    whole = browser.get("/api/timeline/2025-08?signed=true", headers=ann).json()
    body = browser.get("/api/timeline/latest?signed=true&limit=2", headers=ann).json()
    assert body["ids"] == [photos[2].image_id, photos[1].image_id]
    assert body == {name: each[:2] if isinstance(each, list) else each for name, each in whole.items()}
    assert body["count"] == 3
    assert browser.get("/api/timeline/latest?limit=9&signed=true", headers=ann).json() == whole
    assert browser.get("/api/timeline/latest", headers=bob).status_code == 204
    assert browser.get("/api/timeline/latest?scope=community", headers=bob).json()["ids"] == whole["ids"]
    assert browser.get("/api/timeline/latest?limit=0", headers=ann).status_code == 422


def test_a_live_photo_has_a_duration_in_its_month(community: Community, browser: Client, ann: Headers) -> None:
    add_photo(community, duration=3.13)
    month = browser.get("/api/timeline/2025-08", headers=ann).json()
    assert (month["kinds"], month["durations"]) == (["IMAGE"], [3.13])


def test_a_month_without_photos_is_empty(browser: Client, ann: Headers) -> None:
    month = browser.get("/api/timeline/1999-12", headers=ann).json()
    assert (month["count"], month["version"], month["ids"], month["favorites"]) == (0, 0, [], [])


def test_an_invalid_month_is_refused(browser: Client, ann: Headers) -> None:
    for month in ("2025", "2025-13", "2025-8", "2025-00", "2025-08-01", "next"):
        assert browser.get(f"/api/timeline/{month}", headers=ann).status_code == 422


def test_a_private_photo_is_in_no_timeline_of_other_members(
    community: Community, browser: Client, bob: Headers
) -> None:
    add_photo(community, visibility=Visibility.PRIVATE)
    for scope in ("mine", "community"):
        assert browser.get(f"/api/timeline/2025-08?scope={scope}", headers=bob).json()["ids"] == []


def test_a_month_names_the_favorites_of_the_caller_only(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    photos = [add_photo(community) for _ in range(4)]
    for photo in photos[:2]:
        set_favorite(photo.image_id, ANN, ANN, at=NOON, table=community.table)
    set_favorite(photos[3].image_id, ANN, BOB, at=NOON, table=community.table)
    elsewhere = add_photo(community, taken_at=JULY)
    set_favorite(elsewhere.image_id, ANN, ANN, at=NOON, table=community.table)
    url = "/api/timeline/2025-08?scope=community"
    assert browser.get(url, headers=ann).json()["favorites"] == sorted(photo.image_id for photo in photos[:2])
    assert browser.get(url, headers=bob).json()["favorites"] == [photos[3].image_id]


# -- ETags


@pytest.mark.parametrize("url", ["/api/timeline", "/api/timeline/ratios", "/api/timeline/2025-08"])
def test_an_unchanged_timeline_is_304_until_a_photo_changes(
    community: Community, browser: Client, ann: Headers, url: str
) -> None:
    add_photo(community)
    first = browser.get(url, headers=ann)
    assert (first.status_code, first.headers["cache-control"]) == (200, "private, no-cache")
    assert status_again(browser, url, ann, first) == 304
    add_photo(community)
    assert status_again(browser, url, ann, first) == 200


def test_a_new_favorite_changes_the_etag_of_the_month(community: Community, browser: Client, ann: Headers) -> None:
    photo, url = add_photo(community), "/api/timeline/2025-08"
    before = browser.get(url, headers=ann)
    set_favorite(photo.image_id, ANN, ANN, at=NOON, table=community.table)
    assert status_again(browser, url, ann, before) == 200
    assert status_again(browser, url, ann, browser.get(url, headers=ann)) == 304


def test_the_etag_of_one_members_month_does_not_match_for_another_member(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    for url in ("/api/timeline", "/api/timeline/ratios", "/api/timeline/2025-08"):
        assert status_again(browser, url, bob, browser.get(url, headers=ann)) == 200


# -- Signed queries


def test_the_signed_queries_of_a_month_open_the_renditions_of_its_photos(
    community: Community, browser: Client, bob: Headers
) -> None:
    photo = a_photo()
    key = f"processed/{photo.image_id}_thumb.webp"
    community.blobs.put(key, [b"a picture"], content_type="image/webp")
    add_photo(community, image_id=photo.image_id, renditions=Renditions({"thumb": key}))
    month = browser.get("/api/timeline/2025-08?scope=community&signed=true", headers=bob).json()
    (query,) = month["queries"]
    assert browser.get(f"/media/{photo.image_id}/thumb?{query}").content == b"a picture"


def test_queries_are_returned_only_on_request(community: Community, browser: Client, ann: Headers) -> None:
    add_photo(community)
    assert "queries" not in browser.get("/api/timeline/2025-08", headers=ann).json()


def test_queries_are_renewed_in_time_and_for_another_session(
    community: Community, browser: Client, ann: Headers
) -> None:
    add_photo(community)
    url = "/api/timeline/2025-08?signed=true"
    first = browser.get(url, headers=ann)
    assert status_again(browser, url, ann, first) == 304
    assert status_again(browser, url, community.session_of(community.ann), first) == 200
    community.pass_time(hours=12)
    assert status_again(browser, url, ann, first) == 200


def test_queries_that_a_browser_has_cached_stay_valid_for_hours(
    community: Community, browser: Client, ann: Headers
) -> None:
    photos = [add_photo(community) for _ in range(20)]
    url = "/api/timeline/2025-08?signed=true"
    first = browser.get(url, headers=ann)
    while status_again(browser, url, ann, first) == 304:
        community.pass_time(hours=1)
    community.at += timedelta(hours=11)
    queries = dict(zip(first.json()["ids"], first.json()["queries"], strict=True))
    responses = [browser.get(f"/media/{photo.image_id}/thumb?{queries[photo.image_id]}") for photo in photos]
    assert {refusal(response)[:2] for response in responses} == {
        (404, "NOT_FOUND")
    }  # authorized; there is no rendition


# -- Aspect ratios


def test_the_aspect_ratios_of_all_months_are_one_response(community: Community, browser: Client, ann: Headers) -> None:
    add_photo(community, aspect_ratio=1.0)
    add_photo(community, taken_at=JULY, aspect_ratio=2.0)
    response = browser.get("/api/timeline/ratios", headers=ann)
    body = browser.get("/api/timeline", headers=ann).json()["months"]
    assert response.headers["content-type"] == "application/octet-stream"
    pieces = split_ratios(response.content)
    assert {month: piece.shapes for month, piece in pieces.items()} == {"2025-08": b"\x80", "2024-07": b"\xa4"}
    assert [(month["month"], month["version"]) for month in body] == [(m, p.version) for m, p in pieces.items()]
