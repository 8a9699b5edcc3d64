"""A selfie tells whom it is like, of those whom the caller sees, and is not kept."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.api.mirror import NO_FACES
from sparks.api.selfie import NO_FACE, NOBODY
from sparks.faces.booth import Booth
from sparks.library.consent import SITE, switch_faces
from sparks.library.people import merge_persons, name_person
from sparks.media.studio import Studio
from sparks.model.credential import KeyScope
from sparks.model.photo import Visibility
from sparks.model.share import LinkPermission
from tests.accounts import blob_keys, everything
from tests.api import portraits
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.portraits import BLAIR, HENMAN, content, selfie_of, show
from tests.factories import ANN, BOB, an_album
from tests.media.clips import film

SELFIE = "/api/selfie"


@pytest.fixture
def community(tmp_path: Path, booth: Booth, studio: Studio) -> Community:
    return portraits.sighted(tmp_path, booth, studio)


def ask(browser: Client, picture: bytes, headers: Headers) -> httpx.Response:
    return browser.post(SELFIE, content=picture, headers=headers)


def matches(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["matches"]
    return found


# -- Whom it is like


def test_a_selfie_finds_its_person_and_nobody_else(community: Community, browser: Client, booth: Booth) -> None:
    blair, _ = show(community, booth, BLAIR), show(community, booth, HENMAN)
    name_person(blair, "Tony", who=ANN, at=community.at, table=community.table)
    answer = ask(browser, selfie_of(BLAIR), community.session_of(community.bob))
    [match] = matches(answer)
    assert (match["personId"], match["displayName"], match["photoCount"]) == (blair, "Tony", 3)
    assert match["score"] >= booth.thresholds.strong
    assert answer.json()["faces"] == 1
    assert "message" not in answer.json()


def test_a_match_comes_with_a_picture_that_the_caller_may_look_at(
    community: Community, browser: Client, booth: Booth
) -> None:
    show(community, booth, BLAIR)
    [match] = matches(ask(browser, selfie_of(BLAIR), community.session_of(community.bob)))
    crop = browser.get(match["thumbUrl"])
    assert (crop.status_code, crop.content[:2]) == (200, b"\xff\xd8")


def test_whoever_was_merged_is_told_as_whom_they_became(community: Community, browser: Client, booth: Booth) -> None:
    young, old = show(community, booth, BLAIR, 1), show(community, booth, BLAIR, 2)
    merge_persons(young, old, who=ANN, at=community.at, table=community.table)
    found = matches(ask(browser, selfie_of(BLAIR), community.session_of(community.ann)))
    assert [match["personId"] for match in found] == [young]


def test_somebody_who_is_in_no_photo_is_like_nobody(community: Community, browser: Client, booth: Booth) -> None:
    show(community, booth, BLAIR)
    answer = ask(browser, selfie_of(HENMAN), community.session_of(community.ann))
    assert answer.json() == {"matches": [], "faces": 1, "message": NOBODY}


def test_a_picture_without_a_face_says_so(community: Community, browser: Client, booth: Booth) -> None:
    show(community, booth, BLAIR)
    answer = ask(browser, content(portraits.NOBODY), community.session_of(community.ann))
    assert answer.json() == {"matches": [], "faces": 0, "message": NO_FACE}


def test_of_several_faces_the_largest_is_taken_and_that_is_said(community: Community, browser: Client) -> None:
    answer = ask(browser, content(portraits.SEVERAL), community.session_of(community.ann)).json()
    assert answer["faces"] == 2
    assert answer["message"].startswith("2 faces were seen in this picture: the largest was taken")


# -- Who may know


def test_nobody_learns_of_a_face_in_private_photos_of_somebody_else(
    community: Community, browser: Client, booth: Booth
) -> None:
    blair = show(community, booth, BLAIR, owner=BOB, visibility=Visibility.PRIVATE)
    picture = selfie_of(BLAIR)
    strangers = ask(browser, picture, community.session_of(community.ann)).json()
    assert strangers == {"matches": [], "faces": 1, "message": NOBODY}
    assert ask(browser, picture, community.session_of(community.carol)).json() == strangers
    own = matches(ask(browser, picture, community.session_of(community.bob)))
    assert [match["personId"] for match in own] == [blair]


def test_a_guest_finds_those_of_their_album_and_proves_nothing(
    community: Community, browser: Client, booth: Booth
) -> None:
    there = show(community, booth, BLAIR, albums=("party",), visibility=Visibility.PRIVATE)
    show(community, booth, HENMAN)
    link, _ = community.link_to("party", LinkPermission.VIEW, LinkPermission.FIND)
    guest = community.guest_of(link)
    assert refusal(ask(browser, selfie_of(BLAIR), guest))[1] == "NOT_ALLOWED"
    answer = browser.post(f"{SELFIE}?consent=true", content=selfie_of(BLAIR), headers=guest)
    assert [match["personId"] for match in matches(answer)] == [there]
    assert "proof" not in answer.json()
    assert matches(browser.post(f"{SELFIE}?consent=true", content=selfie_of(HENMAN), headers=guest)) == []


def test_with_a_link_to_find_a_guest_sees_the_photos_that_show_them(
    community: Community, browser: Client, booth: Booth
) -> None:
    community.keep(an_album(album_id="party"))
    there = show(community, booth, BLAIR, albums=("party",), visibility=Visibility.PRIVATE)
    other = show(community, booth, HENMAN, albums=("party",), visibility=Visibility.PRIVATE)
    link, _ = community.link_to("party", LinkPermission.FIND)
    guest = community.guest_of(link)

    def persons() -> list[str]:
        told = browser.get("/api/albums/party/persons?few=true", headers=guest).json()["persons"]
        return [person["personId"] for person in told]

    assert persons() == []
    before = blob_keys(community.blobs)
    found = browser.post(f"{SELFIE}?consent=true", content=selfie_of(BLAIR), headers=guest)
    [match] = matches(found)
    assert match["personId"] == there
    assert "photoCount" not in match
    assert browser.get(match["thumbUrl"]).status_code == 200
    assert persons() == [there]
    assert browser.get(f"/api/albums/party/persons/{there}/photos", headers=guest).status_code == 200
    assert browser.get(f"/api/albums/party/persons/{other}/photos", headers=guest).status_code == 404
    assert blob_keys(community.blobs) == before
    rows = [row for row in everything(community.table) if str(row["PK"]).startswith("CONSENT#guest:")]
    assert [(row["what"], row["allowed"]) for row in rows] == [("selfie", True)]


def test_a_key_needs_the_scope_of_people(community: Community, browser: Client) -> None:
    assert ask(browser, b"x", community.key_of(community.ann, KeyScope.READ)).status_code == 403


# -- What is left of it


def test_nothing_of_a_selfie_is_kept(community: Community, browser: Client, booth: Booth) -> None:
    show(community, booth, BLAIR)
    headers = community.session_of(community.ann)
    before = everything(community.table), blob_keys(community.blobs)
    assert matches(ask(browser, selfie_of(BLAIR), headers))
    assert (everything(community.table), blob_keys(community.blobs)) == before
    assert community.stores.jobs.counts().waiting == 0


# -- What it refuses


def test_what_is_no_picture_is_refused(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    for body, words in ((b"hello", "This looks like"), (film("mp4", "libx264"), "This is a video (MP4)")):
        status, code, message = refusal(ask(browser, body, headers))
        assert (status, code) == (415, "UNSUPPORTED_TYPE")
        assert message.startswith(words)
    assert ask(browser, b"", headers).status_code == 415


def test_a_broken_picture_is_refused_with_the_reason(community: Community, browser: Client) -> None:
    answer = ask(browser, selfie_of(BLAIR)[:5000], community.session_of(community.ann))
    assert (answer.status_code, answer.json()["error"]) == (422, "DAMAGED")


def test_a_picture_that_is_too_large_is_refused_before_it_comes(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann) | {"Content-Length": "30000001"}
    answer = browser.post(SELFIE, content=b"x", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (413, "TOO_LARGE")


def test_faces_cannot_be_tried_without_end(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    assert {ask(browser, b"hello", headers).status_code for _ in range(30)} == {415}
    assert ask(browser, b"hello", headers).status_code == 429
    assert ask(browser, b"hello", community.session_of(community.bob)).status_code == 415


def test_who_asks_too_often_leaves_no_more_consent(community: Community, browser: Client) -> None:
    guest = community.guest_of(community.link_to("party", LinkPermission.FIND)[0])
    asked = [browser.post(f"{SELFIE}?consent=true", content=b"hello", headers=guest) for _ in range(32)]
    assert [answer.status_code for answer in asked] == [415] * 30 + [429] * 2
    rows = [row for row in everything(community.table) if str(row["PK"]).startswith("CONSENT#guest:")]
    assert len(rows) == 30


def test_members_are_told_whether_faces_are_looked_for(community: Community, browser: Client) -> None:
    headers = community.session_of(community.bob)
    assert browser.get("/api/me/consent", headers=headers).json()["findsFaces"]
    switch_faces(SITE, False, "carol", at=community.at, table=community.table)
    assert not browser.get("/api/me/consent", headers=headers).json()["findsFaces"]


def test_where_the_site_has_switched_faces_off_nobody_is_recognised(
    community: Community, browser: Client, booth: Booth
) -> None:
    show(community, booth, BLAIR)
    headers = community.session_of(community.ann)
    switch_faces(SITE, False, "carol", at=community.at, table=community.table)
    assert refusal(ask(browser, selfie_of(BLAIR), headers)) == (404, "NOT_FOUND", NO_FACES)
    switch_faces(SITE, True, "carol", at=community.at + timedelta(seconds=1), table=community.table)
    assert matches(ask(browser, selfie_of(BLAIR), headers))


def test_without_an_engine_nobody_is_recognised(tmp_path: Path) -> None:
    blind = Community(tmp_path)
    with blind.browser() as browser:
        answer = ask(browser, b"x", blind.session_of(blind.ann))
    assert refusal(answer) == (404, "NOT_FOUND", NO_FACES)
