"""The picture that shows a user: a small square of their face, seen by members alone; and who they are by it."""

import io
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from PIL import Image

from sparks.api.profile_picture import NO_PICTURE
from sparks.faces.booth import Booth
from sparks.library.accounts import become_person, get_user
from sparks.library.consent import switch_faces
from sparks.media.studio import Studio
from sparks.model.photo import Visibility
from tests.accounts import blob_keys
from tests.api import portraits
from tests.api.client import Client, refusal
from tests.api.community import CAROL, Community, Headers
from tests.api.portraits import BLAIR, content, selfie_of, show
from tests.factories import ANN, BOB
from tests.media.build import gradient, saved

PICTURE, PROFILE, ANNS = "/api/me/profile-picture", "/api/me/profile", f"/api/users/{ANN}/picture"


@pytest.fixture
def community(tmp_path: Path, booth: Booth, studio: Studio) -> Community:
    return portraits.sighted(tmp_path, booth, studio)


def put(browser: Client, picture: bytes, headers: Headers) -> httpx.Response:
    answer = browser.put(PICTURE, content=picture, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


def opened(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture))


def pictures(community: Community) -> list[str]:
    return [key for key in blob_keys(community.blobs) if key.startswith("profile-pictures/")]


# -- The picture


def test_a_picture_is_a_square_of_the_face_that_tells_nothing_else(
    community: Community, browser: Client, ann: Headers
) -> None:
    told = put(browser, content(portraits.SEVERAL), ann).json()
    shown = browser.get(told["pictureUrl"], headers=ann)
    square = opened(shown.content)
    assert (shown.headers["content-type"], square.format) == ("image/jpeg", "JPEG")
    assert square.width == square.height <= 512
    assert square.width < min(opened(content(portraits.SEVERAL)).size)
    assert not square.getexif()
    assert "icc_profile" not in square.info
    assert browser.get(PROFILE, headers=ann).json()["pictureUrl"] == told["pictureUrl"]


def test_without_a_face_it_is_of_the_middle(browser: Client, ann: Headers) -> None:
    put(browser, saved(gradient(1500, 1000), "PNG"), ann)
    assert opened(browser.get(ANNS, headers=ann).content).size == (512, 512)


def test_the_key_tells_nobody_whose_it_is(community: Community, browser: Client, ann: Headers) -> None:
    told = put(browser, selfie_of(BLAIR), ann).json()
    assert pictures(community) == [told["profilePicture"]]
    assert "ann" not in told["profilePicture"]


def test_members_see_it_and_nobody_else(community: Community, browser: Client, elsewhere: Client, ann: Headers) -> None:
    put(browser, selfie_of(BLAIR), ann)
    assert browser.get(ANNS, headers=community.session_of(community.bob)).status_code == 200
    assert elsewhere.get(ANNS).status_code == 401


def test_a_browser_asks_each_time_and_is_told_that_it_has_it(browser: Client, ann: Headers) -> None:
    put(browser, selfie_of(BLAIR), ann)
    shown = browser.get(ANNS, headers=ann)
    assert shown.headers["cache-control"] == "private, no-cache"
    again = browser.get(ANNS, headers=ann | {"If-None-Match": shown.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_where_the_blobs_are_elsewhere_one_is_sent_on_to_them(tmp_path: Path, booth: Booth, studio: Studio) -> None:
    sees = portraits.sights(booth, studio)
    away = Community(tmp_path, equip=lambda stores: replace(sees(stores), served=None))
    headers = away.session_of(away.ann)
    with away.browser() as browser:
        key = put(browser, selfie_of(BLAIR), headers).json()["profilePicture"]
        shown = browser.get(ANNS, headers=headers)
    assert (shown.status_code, shown.headers["cache-control"]) == (307, "no-store")
    assert key in shown.headers["location"]


def test_another_picture_takes_its_place_and_nothing_is_left_of_it(
    community: Community, browser: Client, ann: Headers
) -> None:
    first = put(browser, selfie_of(BLAIR), ann).json()["profilePicture"]
    second = put(browser, selfie_of(BLAIR, 6), ann).json()["profilePicture"]
    assert second != first
    assert pictures(community) == [second]


def test_another_picture_is_at_another_address_which_an_image_element_can_load(browser: Client, ann: Headers) -> None:
    first = put(browser, selfie_of(BLAIR), ann).json()["pictureUrl"]
    second = put(browser, selfie_of(BLAIR), ann).json()["pictureUrl"]
    assert first != second
    as_image = {"Cookie": ann["Cookie"], "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "image"}
    shown = browser.get(second, headers=as_image)
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/jpeg")
    assert shown.headers["cache-control"] == "private, no-cache"


def test_it_can_be_taken_away_again(community: Community, browser: Client, ann: Headers) -> None:
    put(browser, selfie_of(BLAIR), ann)
    for _ in range(2):
        assert browser.delete(PICTURE, headers=ann).status_code == 204
    assert pictures(community) == []
    assert "pictureUrl" not in browser.get(PROFILE, headers=ann).json()
    assert refusal(browser.get(ANNS, headers=ann)) == (404, "NOT_FOUND", NO_PICTURE)


def test_what_is_no_picture_is_refused_and_the_one_before_stays(
    community: Community, browser: Client, ann: Headers
) -> None:
    before = put(browser, selfie_of(BLAIR), ann).json()["profilePicture"]
    assert browser.put(PICTURE, content=b"hello", headers=ann).status_code == 415
    assert pictures(community) == [before]


def test_without_an_engine_there_are_pictures_all_the_same(tmp_path: Path, studio: Studio, booth: Booth) -> None:
    blind = Community(tmp_path, equip=portraits.sights(Booth(missing="its weights"), studio))
    show(blind, booth, BLAIR)
    with blind.browser() as browser:
        told = put(browser, selfie_of(BLAIR), blind.session_of(blind.ann)).json()
    assert "pictureUrl" in told
    assert "personId" not in told


# -- Who it shows


def test_whom_it_clearly_shows_its_user_is(community: Community, browser: Client, booth: Booth, ann: Headers) -> None:
    blair = show(community, booth, BLAIR)
    assert put(browser, selfie_of(BLAIR), ann).json()["personId"] == blair
    assert get_user(ANN, table=community.table).person_id == blair


def test_whoever_is_known_already_stays_who_they_are(
    community: Community, browser: Client, booth: Booth, ann: Headers
) -> None:
    show(community, booth, BLAIR)
    become_person(ANN, "person77", table=community.table)
    assert put(browser, selfie_of(BLAIR), ann).json()["personId"] == "person77"


def test_nobody_becomes_whom_another_user_is(community: Community, browser: Client, booth: Booth, ann: Headers) -> None:
    become_person(BOB, show(community, booth, BLAIR), table=community.table)
    assert "personId" not in put(browser, selfie_of(BLAIR), ann).json()


def test_nobody_becomes_whom_they_do_not_see(community: Community, browser: Client, booth: Booth, ann: Headers) -> None:
    show(community, booth, BLAIR, owner=CAROL, visibility=Visibility.PRIVATE)
    assert "personId" not in put(browser, selfie_of(BLAIR), ann).json()


def test_whoever_wants_no_faces_looked_for_is_not_recognised_by_it(
    community: Community, browser: Client, booth: Booth, ann: Headers
) -> None:
    show(community, booth, BLAIR)
    switch_faces(ANN, False, ANN, at=community.at, table=community.table)
    assert "personId" not in put(browser, selfie_of(BLAIR), ann).json()
