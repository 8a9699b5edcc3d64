"""Search by a selfie: it finds persons whom the caller sees, and is not stored."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.actions.face_lookup import NO_FACES
from sparks.api.people.selfie_search_routes import NO_FACE, NO_MATCH
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.library.consent import SITE
from sparks.library.people.person_decisions import merge_persons, name_person
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.credential import KeyScope
from sparks.model.photo import Visibility
from sparks.model.share import LinkPermission
from tests.account_makers import everything, stored_keys, switch_faces
from tests.api import portraits
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.portraits import BLAIR, HENMAN, content, selfie_of, show
from tests.factories import ANN, BOB, an_album
from tests.media.clips import make_clip

SELFIE = "/api/selfie"


@pytest.fixture
def community(tmp_path: Path, opencv_engine: OpenCvEngine, renderer: SandboxedRenderer) -> Community:
    return portraits.sighted(tmp_path, opencv_engine, renderer)


def ask(browser: Client, picture: bytes, headers: Headers) -> httpx.Response:
    return browser.post(SELFIE, content=picture, headers=headers)


def matches(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["matches"]
    return found


# -- Matches


def test_a_selfie_finds_its_person_and_no_other(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    blair, _ = show(community, opencv_engine, BLAIR), show(community, opencv_engine, HENMAN)
    name_person(blair, "Tony", who=ANN, at=community.at, table=community.table)
    answer = ask(browser, selfie_of(BLAIR), community.session_of(community.bob))
    [match] = matches(answer)
    assert (match["personId"], match["displayName"], match["photoCount"]) == (blair, "Tony", 3)
    assert match["score"] >= opencv_engine.thresholds.strong
    assert answer.json()["faces"] == 1
    assert "message" not in answer.json()


def test_a_match_has_a_cover_face_that_the_caller_may_see(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    show(community, opencv_engine, BLAIR)
    [match] = matches(ask(browser, selfie_of(BLAIR), community.session_of(community.bob)))
    crop = browser.get(match["thumbUrl"])
    assert (crop.status_code, crop.content[:2]) == (200, b"\xff\xd8")


def test_a_merged_person_is_found_as_the_one_they_became(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    young, old = show(community, opencv_engine, BLAIR, 1), show(community, opencv_engine, BLAIR, 2)
    merge_persons(young, old, who=ANN, at=community.at, table=community.table)
    found = matches(ask(browser, selfie_of(BLAIR), community.session_of(community.ann)))
    assert [match["personId"] for match in found] == [young]


def test_the_face_of_a_person_in_no_photo_has_no_match(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    show(community, opencv_engine, BLAIR)
    answer = ask(browser, selfie_of(HENMAN), community.session_of(community.ann))
    assert answer.json() == {"matches": [], "faces": 1, "message": NO_MATCH}


def test_a_picture_without_a_face_gets_a_hint(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    show(community, opencv_engine, BLAIR)
    answer = ask(browser, content(portraits.NOBODY), community.session_of(community.ann))
    assert answer.json() == {"matches": [], "faces": 0, "message": NO_FACE}


def test_of_several_faces_the_largest_is_used_and_the_message_says_so(community: Community, browser: Client) -> None:
    answer = ask(browser, content(portraits.SEVERAL), community.session_of(community.ann)).json()
    assert answer["faces"] == 2
    assert answer["message"].startswith("2 faces were found in this picture: the largest one was used")


# -- Access


def test_a_face_in_private_photos_of_others_is_not_found(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    blair = show(community, opencv_engine, BLAIR, owner=BOB, visibility=Visibility.PRIVATE)
    picture = selfie_of(BLAIR)
    strangers = ask(browser, picture, community.session_of(community.ann)).json()
    assert strangers == {"matches": [], "faces": 1, "message": NO_MATCH}
    assert ask(browser, picture, community.session_of(community.carol)).json() == strangers
    own = matches(ask(browser, picture, community.session_of(community.bob)))
    assert [match["personId"] for match in own] == [blair]


def test_a_guest_finds_persons_of_the_album_and_gets_no_proof(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    there = show(community, opencv_engine, BLAIR, albums=("party",), visibility=Visibility.PRIVATE)
    show(community, opencv_engine, HENMAN)
    link, _ = community.link_to("party", LinkPermission.VIEW, LinkPermission.FIND)
    guest = community.guest_of(link)
    assert refusal(ask(browser, selfie_of(BLAIR), guest))[1] == "NOT_ALLOWED"
    answer = browser.post(f"{SELFIE}?consent=true", content=selfie_of(BLAIR), headers=guest)
    assert [match["personId"] for match in matches(answer)] == [there]
    assert "proof" not in answer.json()
    assert matches(browser.post(f"{SELFIE}?consent=true", content=selfie_of(HENMAN), headers=guest)) == []


def test_with_a_link_to_find_a_guest_sees_the_photos_of_themselves(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    community.keep(an_album(album_id="party"))
    there = show(community, opencv_engine, BLAIR, albums=("party",), visibility=Visibility.PRIVATE)
    other = show(community, opencv_engine, HENMAN, albums=("party",), visibility=Visibility.PRIVATE)
    link, _ = community.link_to("party", LinkPermission.FIND)
    guest = community.guest_of(link)

    def persons() -> list[str]:
        result = browser.get("/api/albums/party/persons?few=true", headers=guest).json()["persons"]
        return [person["personId"] for person in result]

    assert persons() == []
    before = stored_keys(community.blobs)
    found = browser.post(f"{SELFIE}?consent=true", content=selfie_of(BLAIR), headers=guest)
    [match] = matches(found)
    assert match["personId"] == there
    assert "photoCount" not in match
    assert browser.get(match["thumbUrl"]).status_code == 200
    assert persons() == [there]
    assert browser.get(f"/api/albums/party/persons/{there}/photos", headers=guest).status_code == 200
    assert browser.get(f"/api/albums/party/persons/{other}/photos", headers=guest).status_code == 404
    assert stored_keys(community.blobs) == before
    rows = [row for row in everything(community.table) if str(row["PK"]).startswith("CONSENT#guest:")]
    assert [(row["what"], row["allowed"]) for row in rows] == [("selfie", True)]


def test_an_api_key_needs_the_scope_people(community: Community, browser: Client) -> None:
    assert ask(browser, b"x", community.key_of(community.ann, KeyScope.READ)).status_code == 403


# -- Nothing is stored


def test_nothing_of_a_selfie_is_stored(community: Community, browser: Client, opencv_engine: OpenCvEngine) -> None:
    show(community, opencv_engine, BLAIR)
    headers = community.session_of(community.ann)
    before = everything(community.table), stored_keys(community.blobs)
    assert matches(ask(browser, selfie_of(BLAIR), headers))
    assert (everything(community.table), stored_keys(community.blobs)) == before
    assert community.stores.jobs.counts().waiting == 0


# -- Refusals


def test_a_file_that_is_no_picture_is_refused(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    for body, words in ((b"hello", "This looks like"), (make_clip("mp4", "libx264"), "This is a video (MP4)")):
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


def test_selfies_are_limited_in_rate(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    assert {ask(browser, b"hello", headers).status_code for _ in range(30)} == {415}
    assert ask(browser, b"hello", headers).status_code == 429
    assert ask(browser, b"hello", community.session_of(community.bob)).status_code == 415


def test_no_consent_is_recorded_above_the_rate_limit(community: Community, browser: Client) -> None:
    guest = community.guest_of(community.link_to("party", LinkPermission.FIND)[0])
    asked = [browser.post(f"{SELFIE}?consent=true", content=b"hello", headers=guest) for _ in range(32)]
    assert [answer.status_code for answer in asked] == [415] * 30 + [429] * 2
    rows = [row for row in everything(community.table) if str(row["PK"]).startswith("CONSENT#guest:")]
    assert len(rows) == 30


def test_members_can_read_whether_faces_are_recognized(community: Community, browser: Client) -> None:
    headers = community.session_of(community.bob)
    assert browser.get("/api/me/consent", headers=headers).json()["findsFaces"]
    switch_faces(SITE, False, "carol", at=community.at, table=community.table)
    assert not browser.get("/api/me/consent", headers=headers).json()["findsFaces"]


def test_no_face_is_recognized_where_the_site_forbids_it(
    community: Community, browser: Client, opencv_engine: OpenCvEngine
) -> None:
    show(community, opencv_engine, BLAIR)
    headers = community.session_of(community.ann)
    switch_faces(SITE, False, "carol", at=community.at, table=community.table)
    assert refusal(ask(browser, selfie_of(BLAIR), headers)) == (404, "NOT_FOUND", NO_FACES)
    switch_faces(SITE, True, "carol", at=community.at + timedelta(seconds=1), table=community.table)
    assert matches(ask(browser, selfie_of(BLAIR), headers))


def test_no_face_is_recognized_without_an_engine(tmp_path: Path) -> None:
    blind = Community(tmp_path)
    with blind.browser() as browser:
        answer = ask(browser, b"x", blind.session_of(blind.ann))
    assert refusal(answer) == (404, "NOT_FOUND", NO_FACES)
