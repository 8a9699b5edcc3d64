"""Timelines over HTTP."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from sparks.feed.ratios import pieces_in
from sparks.library.photos import set_favourite, settle_links
from sparks.model.photo import Photo, Renditions, Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, NOON, a_photo

JULY = datetime(2024, 7, 1, tzinfo=UTC)


def show(community: Community, **changes: Any) -> Photo:
    photo = community.keep(a_photo(**changes))
    settle_links(photo.image_id, photo.owner, table=community.table)
    return photo


def again(browser: Client, url: str, headers: Headers, answer: httpx.Response) -> int:
    """What somebody is told who has this answer already."""
    return browser.get(url, headers={**headers, "If-None-Match": answer.headers["etag"]}).status_code


# -- Months


def test_the_months_of_ones_own_photos_are_told(community: Community, browser: Client, ann: Headers) -> None:
    show(community, taken_at=JULY)
    show(community, visibility=Visibility.PRIVATE)
    show(community, owner=BOB)
    months = browser.get("/api/timeline", headers=ann).json()["months"]
    assert [(month["month"], month["count"]) for month in months] == [("2025-08", 1), ("2024-07", 1)]
    assert browser.get("/api/timeline?scope=mine", headers=ann).json()["months"] == months


def test_the_months_of_the_community_are_told(community: Community, browser: Client, bob: Headers) -> None:
    show(community, visibility=Visibility.PRIVATE)
    show(community)
    show(community, owner=BOB)
    (month,) = browser.get("/api/timeline?scope=community", headers=bob).json()["months"]
    assert (month["month"], month["count"]) == ("2025-08", 2)


def test_an_album_that_is_not_there_has_no_timeline(browser: Client, ann: Headers) -> None:
    for path in ("/api/timeline", "/api/timeline/ratios", "/api/timeline/latest", "/api/timeline/2025-08"):
        status, code, _ = refusal(browser.get(f"{path}?scope=some-album", headers=ann))
        assert (status, code) == (404, "NOT_FOUND")


# -- A month


def test_a_month_comes_in_columns(community: Community, browser: Client, ann: Headers) -> None:
    photo = show(community, thumbhash=b"hash", taken_offset="+02:00", taken_at=NOON)
    (told,) = browser.get("/api/timeline", headers=ann).json()["months"]
    assert browser.get("/api/timeline/2025-08", headers=ann).json() == {
        "month": "2025-08",
        "version": told["version"],
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


def test_the_newest_month_begins_with_what_is_seen_first(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    show(community, taken_at=JULY)
    photos = [show(community, taken_at=NOON + timedelta(hours=hour)) for hour in range(3)]
    set_favourite(photos[2].image_id, photos[2].owner, ANN, at=NOON, table=community.table)
    whole = browser.get("/api/timeline/2025-08?signed=true", headers=ann).json()
    told = browser.get("/api/timeline/latest?signed=true&limit=2", headers=ann).json()
    assert told["ids"] == [photos[2].image_id, photos[1].image_id]
    assert told == {name: each[:2] if isinstance(each, list) else each for name, each in whole.items()}
    assert told["count"] == 3
    assert browser.get("/api/timeline/latest?limit=9&signed=true", headers=ann).json() == whole
    assert browser.get("/api/timeline/latest", headers=bob).status_code == 204
    assert browser.get("/api/timeline/latest?scope=community", headers=bob).json()["ids"] == whole["ids"]
    assert browser.get("/api/timeline/latest?limit=0", headers=ann).status_code == 422


def test_a_month_without_photos_is_empty(browser: Client, ann: Headers) -> None:
    month = browser.get("/api/timeline/1999-12", headers=ann).json()
    assert (month["count"], month["version"], month["ids"], month["favorites"]) == (0, 0, [], [])


def test_what_is_no_month_is_refused(browser: Client, ann: Headers) -> None:
    for month in ("2025", "2025-13", "2025-8", "2025-00", "2025-08-01", "next"):
        assert browser.get(f"/api/timeline/{month}", headers=ann).status_code == 422


def test_nobody_sees_a_private_photo_of_another(community: Community, browser: Client, bob: Headers) -> None:
    show(community, visibility=Visibility.PRIVATE)
    for scope in ("mine", "community"):
        assert browser.get(f"/api/timeline/2025-08?scope={scope}", headers=bob).json()["ids"] == []


def test_favourites_are_those_of_the_caller(community: Community, browser: Client, ann: Headers, bob: Headers) -> None:
    photos = [show(community) for _ in range(4)]
    for photo in photos[:2]:
        set_favourite(photo.image_id, ANN, ANN, at=NOON, table=community.table)
    set_favourite(photos[3].image_id, ANN, BOB, at=NOON, table=community.table)
    elsewhere = show(community, taken_at=JULY)
    set_favourite(elsewhere.image_id, ANN, ANN, at=NOON, table=community.table)
    url = "/api/timeline/2025-08?scope=community"
    assert browser.get(url, headers=ann).json()["favorites"] == sorted(photo.image_id for photo in photos[:2])
    assert browser.get(url, headers=bob).json()["favorites"] == [photos[3].image_id]


# -- Who has it already


@pytest.mark.parametrize("url", ["/api/timeline", "/api/timeline/ratios", "/api/timeline/2025-08"])
def test_whoever_has_it_already_is_told_so_until_it_changes(
    community: Community, browser: Client, ann: Headers, url: str
) -> None:
    show(community)
    first = browser.get(url, headers=ann)
    assert (first.status_code, first.headers["cache-control"]) == (200, "private, no-cache")
    assert again(browser, url, ann, first) == 304
    show(community)
    assert again(browser, url, ann, first) == 200


def test_a_new_favourite_changes_the_month(community: Community, browser: Client, ann: Headers) -> None:
    photo, url = show(community), "/api/timeline/2025-08"
    before = browser.get(url, headers=ann)
    set_favourite(photo.image_id, ANN, ANN, at=NOON, table=community.table)
    assert again(browser, url, ann, before) == 200
    assert again(browser, url, ann, browser.get(url, headers=ann)) == 304


def test_what_one_has_of_ones_own_is_not_what_another_has(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    for url in ("/api/timeline", "/api/timeline/ratios", "/api/timeline/2025-08"):
        assert again(browser, url, bob, browser.get(url, headers=ann)) == 200


# -- Addresses


def test_with_its_query_each_photo_of_a_month_can_be_looked_at(
    community: Community, browser: Client, bob: Headers
) -> None:
    photo = a_photo()
    key = f"processed/{photo.image_id}_thumb.webp"
    community.blobs.put(key, [b"a picture"], content_type="image/webp")
    show(community, image_id=photo.image_id, renditions=Renditions({"thumb": key}))
    month = browser.get("/api/timeline/2025-08?scope=community&signed=true", headers=bob).json()
    (query,) = month["queries"]
    assert browser.get(f"/media/{photo.image_id}/thumb?{query}").content == b"a picture"


def test_queries_are_told_only_where_they_are_asked_for(community: Community, browser: Client, ann: Headers) -> None:
    show(community)
    assert "queries" not in browser.get("/api/timeline/2025-08", headers=ann).json()


def test_queries_are_renewed_in_time_and_for_another_session(
    community: Community, browser: Client, ann: Headers
) -> None:
    show(community)
    url = "/api/timeline/2025-08?signed=true"
    first = browser.get(url, headers=ann)
    assert again(browser, url, ann, first) == 304
    assert again(browser, url, community.session_of(community.ann), first) == 200
    community.pass_time(hours=12)
    assert again(browser, url, ann, first) == 200


def test_queries_that_one_has_already_are_good_for_hours(community: Community, browser: Client, ann: Headers) -> None:
    photos = [show(community) for _ in range(20)]
    url = "/api/timeline/2025-08?signed=true"
    first = browser.get(url, headers=ann)
    while again(browser, url, ann, first) == 304:
        community.pass_time(hours=1)
    community.at += timedelta(hours=11)
    queries = dict(zip(first.json()["ids"], first.json()["queries"], strict=True))
    answers = [browser.get(f"/media/{photo.image_id}/thumb?{queries[photo.image_id]}") for photo in photos]
    assert {refusal(answer)[:2] for answer in answers} == {(404, "NOT_FOUND")}  # let in; nothing was rendered


# -- Shapes


def test_the_shapes_of_all_months_come_in_one_strip(community: Community, browser: Client, ann: Headers) -> None:
    show(community, aspect_ratio=1.0)
    show(community, taken_at=JULY, aspect_ratio=2.0)
    answer = browser.get("/api/timeline/ratios", headers=ann)
    told = browser.get("/api/timeline", headers=ann).json()["months"]
    assert answer.headers["content-type"] == "application/octet-stream"
    pieces = pieces_in(answer.content)
    assert {month: piece.shapes for month, piece in pieces.items()} == {"2025-08": b"\x80", "2024-07": b"\xa4"}
    assert [(month["month"], month["version"]) for month in told] == [(m, p.version) for m, p in pieces.items()]
