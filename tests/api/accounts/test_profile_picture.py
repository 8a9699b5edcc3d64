"""Profile pictures: a small square of the face, for members only, which may link the user to a person."""

import io
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from PIL import Image

from sparks.api.accounts.profile_routes import NO_PICTURE
from sparks.blobs.memory import MemoryBlobs
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.library.accounts.person_claims import link_person
from sparks.library.accounts.users import get_user
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.photo import Visibility
from tests.account_makers import stored_keys, switch_faces
from tests.api import portraits
from tests.api.client import Client, refusal
from tests.api.community import CAROL, KEYRING, Community, Headers
from tests.api.portraits import BLAIR, content, selfie_of, show
from tests.factories import ANN, BOB
from tests.media.container_builders import gradient, saved

PICTURE, PROFILE, ANNS = "/api/me/profile-picture", "/api/me/profile", f"/api/users/{ANN}/picture"


@pytest.fixture
def community(tmp_path: Path, opencv_engine: OpenCvEngine, renderer: SandboxedRenderer) -> Community:
    return portraits.sighted(tmp_path, opencv_engine, renderer)


def put(browser: Client, picture: bytes, headers: Headers) -> httpx.Response:
    answer = browser.put(PICTURE, content=picture, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


def opened(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture))


def pictures(community: Community) -> list[str]:
    return [key for key in stored_keys(community.blobs) if key.startswith("profile-pictures/")]


# -- The picture


def test_a_picture_becomes_a_square_of_the_face_without_metadata(
    community: Community, browser: Client, ann: Headers
) -> None:
    result = put(browser, content(portraits.SEVERAL), ann).json()
    shown = browser.get(result["pictureUrl"], headers=ann)
    square = opened(shown.content)
    assert (shown.headers["content-type"], square.format) == ("image/jpeg", "JPEG")
    assert square.width == square.height <= 512
    assert square.width < min(opened(content(portraits.SEVERAL)).size)
    assert not square.getexif()
    assert "icc_profile" not in square.info
    assert browser.get(PROFILE, headers=ann).json()["pictureUrl"] == result["pictureUrl"]


def test_without_a_face_the_square_is_of_the_middle(browser: Client, ann: Headers) -> None:
    put(browser, saved(gradient(1500, 1000), "PNG"), ann)
    assert opened(browser.get(ANNS, headers=ann).content).size == (512, 512)


def test_the_blob_key_does_not_name_the_user(community: Community, browser: Client, ann: Headers) -> None:
    result = put(browser, selfie_of(BLAIR), ann).json()
    assert pictures(community) == [result["profilePicture"]]
    assert "ann" not in result["profilePicture"]


def test_only_members_see_the_picture(community: Community, browser: Client, elsewhere: Client, ann: Headers) -> None:
    put(browser, selfie_of(BLAIR), ann)
    assert browser.get(ANNS, headers=community.session_of(community.bob)).status_code == 200
    assert elsewhere.get(ANNS).status_code == 401


def test_a_browser_revalidates_the_picture_each_time(browser: Client, ann: Headers) -> None:
    put(browser, selfie_of(BLAIR), ann)
    shown = browser.get(ANNS, headers=ann)
    assert shown.headers["cache-control"] == "private, no-cache"
    again = browser.get(ANNS, headers=ann | {"If-None-Match": shown.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_where_blobs_are_not_local_the_browser_is_redirected(
    tmp_path: Path, opencv_engine: OpenCvEngine, renderer: SandboxedRenderer
) -> None:
    sees = portraits.sights(opencv_engine, renderer)
    elsewhere = MemoryBlobs(keyring=KEYRING, is_local=False)
    away = Community(tmp_path, equip=lambda stores: replace(sees(stores), blobs=elsewhere))
    headers = away.session_of(away.ann)
    with away.browser() as browser:
        key = put(browser, selfie_of(BLAIR), headers).json()["profilePicture"]
        shown = browser.get(ANNS, headers=headers)
    assert (shown.status_code, shown.headers["cache-control"]) == (307, "no-store")
    assert key in shown.headers["location"]


def test_a_new_picture_replaces_the_old_one_and_its_blob(community: Community, browser: Client, ann: Headers) -> None:
    first = put(browser, selfie_of(BLAIR), ann).json()["profilePicture"]
    second = put(browser, selfie_of(BLAIR, 6), ann).json()["profilePicture"]
    assert second != first
    assert pictures(community) == [second]


def test_a_new_picture_has_a_new_url(browser: Client, ann: Headers) -> None:
    first = put(browser, selfie_of(BLAIR), ann).json()["pictureUrl"]
    second = put(browser, selfie_of(BLAIR), ann).json()["pictureUrl"]
    assert first != second
    as_image = {"Cookie": ann["Cookie"], "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "image"}
    shown = browser.get(second, headers=as_image)
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/jpeg")
    assert shown.headers["cache-control"] == "private, no-cache"


def test_the_picture_can_be_deleted(community: Community, browser: Client, ann: Headers) -> None:
    put(browser, selfie_of(BLAIR), ann)
    for _ in range(2):
        assert browser.delete(PICTURE, headers=ann).status_code == 204
    assert pictures(community) == []
    assert "pictureUrl" not in browser.get(PROFILE, headers=ann).json()
    assert refusal(browser.get(ANNS, headers=ann)) == (404, "NOT_FOUND", NO_PICTURE)


def test_a_file_that_is_no_picture_is_refused_and_the_old_picture_stays(
    community: Community, browser: Client, ann: Headers
) -> None:
    before = put(browser, selfie_of(BLAIR), ann).json()["profilePicture"]
    assert browser.put(PICTURE, content=b"hello", headers=ann).status_code == 415
    assert pictures(community) == [before]


def test_a_picture_needs_no_face_engine(
    tmp_path: Path, renderer: SandboxedRenderer, opencv_engine: OpenCvEngine
) -> None:
    blind = Community(tmp_path, equip=portraits.sights(OpenCvEngine(missing="its weights"), renderer))
    show(blind, opencv_engine, BLAIR)
    with blind.browser() as browser:
        result = put(browser, selfie_of(BLAIR), blind.session_of(blind.ann)).json()
    assert "pictureUrl" in result
    assert "personId" not in result


# -- The person in it


def test_the_account_is_linked_to_the_person_whom_the_picture_clearly_shows(
    community: Community, browser: Client, opencv_engine: OpenCvEngine, ann: Headers
) -> None:
    blair = show(community, opencv_engine, BLAIR)
    assert put(browser, selfie_of(BLAIR), ann).json()["personId"] == blair
    assert get_user(ANN, table=community.table).person_id == blair


def test_an_account_that_is_linked_keeps_its_person(
    community: Community, browser: Client, opencv_engine: OpenCvEngine, ann: Headers
) -> None:
    show(community, opencv_engine, BLAIR)
    link_person(ANN, "person77", table=community.table)
    assert put(browser, selfie_of(BLAIR), ann).json()["personId"] == "person77"


def test_the_person_of_another_user_is_not_linked(
    community: Community, browser: Client, opencv_engine: OpenCvEngine, ann: Headers
) -> None:
    link_person(BOB, show(community, opencv_engine, BLAIR), table=community.table)
    assert "personId" not in put(browser, selfie_of(BLAIR), ann).json()


def test_a_person_whom_the_user_does_not_see_is_not_linked(
    community: Community, browser: Client, opencv_engine: OpenCvEngine, ann: Headers
) -> None:
    show(community, opencv_engine, BLAIR, owner=CAROL, visibility=Visibility.PRIVATE)
    assert "personId" not in put(browser, selfie_of(BLAIR), ann).json()


def test_a_user_who_forbids_faces_is_not_recognized_by_the_picture(
    community: Community, browser: Client, opencv_engine: OpenCvEngine, ann: Headers
) -> None:
    show(community, opencv_engine, BLAIR)
    switch_faces(ANN, False, ANN, at=community.at, table=community.table)
    assert "personId" not in put(browser, selfie_of(BLAIR), ann).json()
