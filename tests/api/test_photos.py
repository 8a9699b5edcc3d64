"""Looking at photos: lists in the shape that clients know, one photo, favourites, ETags."""

from base64 import b64decode
from dataclasses import replace
from typing import Any, Final

import httpx
import pytest

from sparks.api.images import DETAILS, TOLD, ImageDetails, ImageList
from sparks.library import objects
from sparks.library.photos import set_favourite
from sparks.library.records import to_item
from sparks.model.account import User
from sparks.model.photo import AssetType, Exif, Location, Photo, PhotoState, Renditions, Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import Put
from tests.api.callers import ALBUM
from tests.api.client import Client, refusal
from tests.api.community import Community
from tests.factories import ANN, BOB, NOON, a_photo, a_user

SIZES: Final = ("large", "medium", "thumb")


def hang(community: Community, **more: Any) -> Photo:
    """A finished photo of Ann's, with its renditions."""
    photo = a_photo(**more)
    keys = {size: f"processed/{photo.image_id}_{size}.webp" for size in SIZES}
    given: dict[str, Any] = {"renditions": Renditions(keys, NOON), "thumbhash": b"hash", **more}
    return community.keep(a_photo(image_id=photo.image_id, **given))


def get(browser: Client, community: Community, path: str, user: User | None = None, **options: Any) -> httpx.Response:
    headers = community.session_of(user or community.bob)
    return browser.get(path, headers=headers | options.pop("headers", {}), **options)


def ids_in(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [image["imageId"] for image in answer.json()["images"]]


# -- The shape


def test_the_feed_has_the_shape_that_clients_know(browser: Client, community: Community) -> None:
    photo = hang(community, tags=("sea",), persons=("person1",))
    answer = get(browser, community, "/api/photos").json()
    (image,) = answer["images"]
    assert answer.keys() == {"images"}
    known = {
        "imageId": photo.image_id,
        "assetType": "IMAGE",
        "uploadedBy": ANN,
        "uploaded_datetime": "2025-08-01T12:00:00.000Z",
        "s3Key": f"originals/{photo.image_id}.jpg",
        "persons": ["person1"],
        "tags": ["sea"],
    }
    assert known.items() <= image.items()
    assert {size: image["images"][size] for size in SIZES} == {
        size: f"processed/{photo.image_id}_{size}.webp" for size in SIZES
    }
    assert (image["aspectRatio"], image["version"], image["favorite"]) == (1.3333, 1, False)
    assert b64decode(image["thumbhash"]) == b"hash"


def test_every_list_and_every_photo_fits_what_the_document_says(browser: Client, community: Community) -> None:
    full = hang(
        community,
        title="Sea",
        exif=Exif(camera="Canon", f_number=2.8, extra={"more": "x"}),
        location=Location(latitude=48.1, longitude=11.5),
        duration=1.5,
        asset_type=AssetType.VIDEO,
        taken_at=NOON,
        taken_offset="+02:00",
    )
    hang(community, state=PhotoState.TRASHED, trashed_at=NOON)
    hang(community, state=PhotoState.PENDING, renditions=None)
    for path in ("/api/photos", "/api/me/photos", "/api/me/trash", f"/api/users/{ANN}/photos"):
        ImageList.model_validate(get(browser, community, path, community.ann).json())
    answer = get(browser, community, f"/api/photos/{full.image_id}").json()
    told = ImageDetails.model_validate(answer).model_dump(by_alias=True, exclude_none=True, mode="json")
    assert told == answer
    assert answer["location"] == {"latitude": 48.1, "longitude": 11.5}
    assert answer["exif"] == {"camera": "Canon", "fNumber": 2.8, "more": "x"}


def test_what_a_row_holds_beyond_what_is_told_stays_in_it(browser: Client, community: Community) -> None:
    row = to_item(a_photo(albums=("secret",), sha256="0" * 64)) | {"surprise": "!"}
    community.table.write(Put(row))
    set_favourite(row["PK"], ANN, BOB, at=NOON, table=community.table)
    told = TOLD | {"uploadedBy", "urls", "favorite"}
    for path in ("/api/photos", "/api/me/favorites"):
        (image,) = get(browser, community, path).json()["images"]
        assert image.keys() <= told
    one = get(browser, community, f"/api/photos/{row['PK']}").json()
    assert one.keys() <= told | set(DETAILS)


def test_addresses_lead_to_what_was_made_and_to_the_original(browser: Client, community: Community) -> None:
    photo = hang(community)
    for key in (*(f"processed/{photo.image_id}_{size}.webp" for size in SIZES), photo.original_key or ""):
        community.blobs.put(key, [key.encode()], content_type="image/webp")
    headers = community.session_of(community.bob)
    (image,) = browser.get("/api/photos", headers=headers).json()["images"]
    assert image["urls"].keys() == {*SIZES, "original"}
    for size in SIZES:
        assert browser.get(image["urls"][size]).content.decode() == image["images"][size]
    assert browser.get(image["urls"]["original"], headers=headers).content.decode() == photo.original_key


def test_a_live_photo_is_a_picture_with_a_duration_and_the_address_of_its_motion(
    browser: Client, community: Community
) -> None:
    photo = a_photo(duration=3.13)
    key = objects.motion(photo.image_id)
    community.keep(replace(photo, renditions=Renditions({"motion": key})))
    community.blobs.put(key, [b"0123456789"], content_type="video/mp4")
    (image,) = get(browser, community, "/api/photos").json()["images"]
    assert (image["assetType"], image["duration"], image["images"]["motion"]) == ("IMAGE", 3.13, key)
    answer = browser.get(image["urls"]["motion"], headers={"Range": "bytes=2-4"})
    assert (answer.status_code, answer.content, answer.headers["Content-Type"]) == (206, b"234", "video/mp4")


def test_what_was_not_made_has_no_address(browser: Client, community: Community) -> None:
    photo = a_photo(state=PhotoState.PENDING)
    community.keep(photo)
    (image,) = get(browser, community, "/api/me/photos", community.ann).json()["images"]
    assert (image["images"], image["urls"]) == ({}, {"original": f"/api/photos/{photo.image_id}/original"})


def test_guests_are_not_told_where_a_photo_was_taken_with_what_and_how_its_file_was_called(
    browser: Client, community: Community
) -> None:
    secrets: dict[str, Any] = {
        "original_filename": "at home.jpg",
        "location": Location(latitude=1.5, longitude=2.5),
        "exif": Exif(camera="X100", extra={"serial": "12345"}),
    }
    photo = hang(community, albums=(ALBUM,), **secrets)
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    path = f"/api/photos/{photo.image_id}"
    told = {"originalFilename", "location", "exif"}
    assert browser.get(path, headers=community.session_of(community.bob)).json().keys() >= told
    assert browser.get(path, headers=community.guest_of(link)).json().keys() & told == set()


def test_guests_are_not_told_whose_a_photo_is(browser: Client, community: Community) -> None:
    photo = hang(community, albums=(ALBUM,))
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    answer = browser.get(f"/api/photos/{photo.image_id}", headers=community.guest_of(link))
    assert answer.status_code == 200
    assert ANN not in answer.text


# -- Lists


def test_a_list_goes_on_where_its_page_ended(browser: Client, community: Community) -> None:
    newest = [hang(community).image_id for _ in range(5)][::-1]
    headers = community.session_of(community.bob)
    seen: list[list[str]] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        answer = browser.get("/api/photos", params={"limit": "2", **cursor}, headers=headers)
        seen.append(ids_in(answer))
        cursor = {"cursor": answer.json().get("lastEvaluatedKey", "")}
    assert seen == [newest[:2], newest[2:4], newest[4:]]
    assert cursor == {"cursor": ""}


def test_a_cursor_is_good_for_its_list_and_its_caller_alone(browser: Client, community: Community) -> None:
    for _ in range(2):
        hang(community)
    cursor = get(browser, community, "/api/photos?limit=1").json()["lastEvaluatedKey"]
    for path, user in (
        ("/api/photos", community.ann),
        (f"/api/users/{ANN}/photos", community.bob),
        ("/api/me/trash", community.bob),
    ):
        answer = get(browser, community, path, user, params={"cursor": cursor})
        assert refusal(answer)[:2] == (400, "BAD_CURSOR")


@pytest.mark.parametrize("limit", ["0", "501", "x", ""])
def test_a_limit_has_bounds(browser: Client, community: Community, limit: str) -> None:
    answer = get(browser, community, f"/api/photos?limit={limit}")
    status, code, message = refusal(answer)
    assert (status, code) == (422, "INVALID_REQUEST")
    assert message.startswith("query.limit: ")


def test_whoever_may_not_look_is_refused_before_the_words_of_the_request_are_read(
    browser: Client, community: Community
) -> None:
    assert browser.get("/api/photos?limit=x").status_code == 401
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    assert browser.get("/api/photos?limit=x", headers=community.guest_of(link)).status_code == 403


def test_everyone_sees_their_own_lists(browser: Client, community: Community) -> None:
    shown, private = hang(community).image_id, hang(community, visibility=Visibility.PRIVATE).image_id
    failed = hang(community, state=PhotoState.FAILED, processing_error="it is no picture").image_id
    thrown = hang(community, state=PhotoState.TRASHED).image_id
    bobs = hang(community, owner=BOB).image_id
    ann = community.ann
    assert ids_in(get(browser, community, "/api/photos")) == [bobs, shown]
    assert ids_in(get(browser, community, "/api/me/photos", ann)) == [failed, private, shown]
    assert ids_in(get(browser, community, "/api/me/trash", ann)) == [thrown]
    assert ids_in(get(browser, community, "/api/me/trash")) == []
    assert ids_in(get(browser, community, f"/api/users/{ANN}/photos")) == [shown]
    assert ids_in(get(browser, community, f"/api/users/{ANN}/photos", ann)) == [failed, private, shown]
    thrown_away = get(browser, community, "/api/me/trash", ann).json()["images"][0]
    assert thrown_away["uploadedBy"] == ANN


def test_a_user_who_is_not_there_has_no_list(browser: Client, community: Community) -> None:
    assert get(browser, community, f"/api/users/{a_user('nobody@example.com').email}/photos").status_code == 404


# -- Favourites


def test_a_favourite_is_the_callers_own(browser: Client, community: Community) -> None:
    plain, marked = hang(community).image_id, hang(community).image_id
    path = f"/api/photos/{marked}/favorite"
    headers = community.session_of(community.bob)
    for _ in range(2):
        assert browser.put(path, headers=headers).status_code == 204
    feed = get(browser, community, "/api/photos").json()["images"]
    assert [(image["imageId"], image["favorite"]) for image in feed] == [(marked, True), (plain, False)]
    assert get(browser, community, f"/api/photos/{marked}").json()["favorite"] is True
    assert ids_in(get(browser, community, "/api/me/favorites")) == [marked]
    assert get(browser, community, "/api/me/favorites").json()["images"][0]["favorite"] is True
    assert get(browser, community, f"/api/photos/{marked}", community.ann).json()["favorite"] is False
    assert ids_in(get(browser, community, "/api/me/favorites", community.ann)) == []
    for _ in range(2):
        assert browser.delete(path, headers=headers).status_code == 204
    assert ids_in(get(browser, community, "/api/me/favorites")) == []


def test_guests_may_mark_what_they_see(browser: Client, community: Community) -> None:
    photo = hang(community, visibility=Visibility.PRIVATE, albums=(ALBUM,))
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    guest = community.guest_of(link)
    assert browser.put(f"/api/photos/{photo.image_id}/favorite", headers=guest).status_code == 204
    assert browser.get(f"/api/photos/{photo.image_id}", headers=guest).json()["favorite"] is True


# -- ETags


def test_who_has_it_already_is_told_so(browser: Client, community: Community) -> None:
    photo = hang(community)
    headers = community.session_of(community.bob)
    for path in ("/api/photos", "/api/me/photos", f"/api/photos/{photo.image_id}"):
        answer = browser.get(path, headers=headers)
        assert answer.headers["cache-control"] == "private, no-cache"
        again = browser.get(path, headers=headers | {"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]


def test_whatever_changes_is_told_anew(browser: Client, community: Community) -> None:
    photo = hang(community)
    headers = community.session_of(community.bob)

    def fresh(etag: str) -> str:
        answer = browser.get("/api/photos", headers=headers | {"If-None-Match": etag})
        assert answer.status_code == 200
        return str(answer.headers["etag"])

    first = fresh('"none"')
    browser.put(f"/api/photos/{photo.image_id}/favorite", headers=headers)
    second = fresh(first)
    hang(community)
    third = fresh(second)
    community.pass_time(days=1)  # the addresses are others now, and the old ones will end
    fresh(third)
