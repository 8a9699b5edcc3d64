"""Reading photos: lists, one photo, favorites, ETags."""

from base64 import b64decode
from dataclasses import replace
from typing import Any, Final

import httpx
import pytest

from sparks.api.photos.responses import ImageDetailsResponse, ImageList
from sparks.feed.photo_items import DETAIL_ATTRIBUTES, SHOWN_ATTRIBUTES
from sparks.library import blob_keys
from sparks.library.photos.favorites import set_favorite
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


def add_photo(community: Community, **more: Any) -> Photo:
    """Ann's photo, processed, with its renditions."""
    photo = a_photo(**more)
    keys = {size: f"processed/{photo.image_id}_{size}.webp" for size in SIZES}
    attributes: dict[str, Any] = {"renditions": Renditions(keys, NOON), "thumbhash": b"hash", **more}
    return community.keep(a_photo(image_id=photo.image_id, **attributes))


def get(browser: Client, community: Community, path: str, user: User | None = None, **options: Any) -> httpx.Response:
    headers = community.session_of(user or community.bob)
    return browser.get(path, headers=headers | options.pop("headers", {}), **options)


def ids_in(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return [image["imageId"] for image in response.json()["images"]]


# -- Fields


def test_the_feed_has_the_fields_that_clients_expect(browser: Client, community: Community) -> None:
    photo = add_photo(community, tags=("sea",), persons=("person1",))
    response = get(browser, community, "/api/photos").json()
    (image,) = response["images"]
    assert response.keys() == {"images", "hasMore"}
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


def test_every_list_and_photo_matches_the_openapi_document(browser: Client, community: Community) -> None:
    full = add_photo(
        community,
        title="Sea",
        exif=Exif(camera="Canon", f_number=2.8, extra={"more": "x"}),
        location=Location(latitude=48.1, longitude=11.5),
        duration=1.5,
        asset_type=AssetType.VIDEO,
        taken_at=NOON,
        taken_offset="+02:00",
    )
    add_photo(community, state=PhotoState.TRASHED, trashed_at=NOON)
    add_photo(community, state=PhotoState.PENDING, renditions=None)
    for path in ("/api/photos", "/api/me/photos", "/api/me/trash", f"/api/users/{ANN}/photos"):
        ImageList.model_validate(get(browser, community, path, community.ann).json())
    response = get(browser, community, f"/api/photos/{full.image_id}").json()
    validated = ImageDetailsResponse.model_validate(response).model_dump(by_alias=True, exclude_none=True, mode="json")
    assert validated == response
    assert response["location"] == {"latitude": 48.1, "longitude": 11.5}
    assert response["exif"] == {"camera": "Canon", "fNumber": 2.8, "more": "x"}


def test_attributes_that_are_not_listed_are_not_returned(browser: Client, community: Community) -> None:
    row = to_item(a_photo(albums=("secret",), sha256="0" * 64)) | {"surprise": "!"}
    community.table.write(Put(row))
    set_favorite(row["PK"], ANN, BOB, at=NOON, table=community.table)
    allowed = SHOWN_ATTRIBUTES | {"uploadedBy", "urls", "favorite"}
    for path in ("/api/photos", "/api/me/favorites"):
        (image,) = get(browser, community, path).json()["images"]
        assert image.keys() <= allowed
    one = get(browser, community, f"/api/photos/{row['PK']}").json()
    assert one.keys() <= allowed | set(DETAIL_ATTRIBUTES)


def test_a_photo_has_urls_of_its_renditions_and_its_original(browser: Client, community: Community) -> None:
    photo = add_photo(community)
    for key in (*(f"processed/{photo.image_id}_{size}.webp" for size in SIZES), photo.original_key or ""):
        community.blobs.put(key, [key.encode()], content_type="image/webp")
    headers = community.session_of(community.bob)
    (image,) = browser.get("/api/photos", headers=headers).json()["images"]
    assert image["urls"].keys() == {*SIZES, "original"}
    for size in SIZES:
        assert browser.get(image["urls"][size]).content.decode() == image["images"][size]
    assert browser.get(image["urls"]["original"], headers=headers).content.decode() == photo.original_key


def test_a_live_photo_is_a_picture_with_a_duration_and_the_url_of_its_motion(
    browser: Client, community: Community
) -> None:
    photo = a_photo(duration=3.13)
    key = blob_keys.motion(photo.image_id)
    community.keep(replace(photo, renditions=Renditions({"motion": key})))
    community.blobs.put(key, [b"0123456789"], content_type="video/mp4")
    (image,) = get(browser, community, "/api/photos").json()["images"]
    assert (image["assetType"], image["duration"], image["images"]["motion"]) == ("IMAGE", 3.13, key)
    response = browser.get(image["urls"]["motion"], headers={"Range": "bytes=2-4"})
    assert (response.status_code, response.content, response.headers["Content-Type"]) == (206, b"234", "video/mp4")


def test_a_rendition_that_was_not_made_has_no_url(browser: Client, community: Community) -> None:
    photo = a_photo(state=PhotoState.PENDING)
    community.keep(photo)
    (image,) = get(browser, community, "/api/me/photos", community.ann).json()["images"]
    assert (image["images"], image["urls"]) == ({}, {"original": f"/api/photos/{photo.image_id}/original"})


def test_guests_do_not_see_the_place_camera_and_file_name_of_a_photo(browser: Client, community: Community) -> None:
    secrets: dict[str, Any] = {
        "original_filename": "at home.jpg",
        "location": Location(latitude=1.5, longitude=2.5),
        "exif": Exif(camera="X100", extra={"serial": "12345"}),
    }
    photo = add_photo(community, albums=(ALBUM,), **secrets)
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    path = f"/api/photos/{photo.image_id}"
    hidden = {"originalFilename", "location", "exif"}
    assert browser.get(path, headers=community.session_of(community.bob)).json().keys() >= hidden
    assert browser.get(path, headers=community.guest_of(link)).json().keys() & hidden == set()


def test_guests_do_not_see_the_owner_of_a_photo(browser: Client, community: Community) -> None:
    photo = add_photo(community, albums=(ALBUM,))
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    response = browser.get(f"/api/photos/{photo.image_id}", headers=community.guest_of(link))
    assert response.status_code == 200
    assert ANN not in response.text


# -- Lists


def test_the_cursor_of_a_page_leads_to_the_next_photos(browser: Client, community: Community) -> None:
    newest = [add_photo(community).image_id for _ in range(5)][::-1]
    headers = community.session_of(community.bob)
    pages: list[list[str]] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        response = browser.get("/api/photos", params={"limit": "2", **cursor}, headers=headers)
        pages.append(ids_in(response))
        cursor = {"cursor": response.json().get("lastEvaluatedKey", "")}
    assert pages == [newest[:2], newest[2:4], newest[4:]]
    assert cursor == {"cursor": ""}


def test_a_cursor_is_valid_only_for_its_list_and_its_caller(browser: Client, community: Community) -> None:
    for _ in range(2):
        add_photo(community)
    cursor = get(browser, community, "/api/photos?limit=1").json()["lastEvaluatedKey"]
    for path, user in (
        ("/api/photos", community.ann),
        (f"/api/users/{ANN}/photos", community.bob),
        ("/api/me/trash", community.bob),
    ):
        response = get(browser, community, path, user, params={"cursor": cursor})
        assert refusal(response)[:2] == (400, "BAD_CURSOR")


@pytest.mark.parametrize("limit", ["0", "501", "x", ""])
def test_a_limit_out_of_bounds_is_refused(browser: Client, community: Community, limit: str) -> None:
    response = get(browser, community, f"/api/photos?limit={limit}")
    status, code, message = refusal(response)
    assert (status, code) == (422, "INVALID_REQUEST")
    assert message.startswith("query.limit: ")


def test_a_caller_without_access_is_refused_before_parameters_are_checked(
    browser: Client, community: Community
) -> None:
    assert browser.get("/api/photos?limit=x").status_code == 401
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    assert browser.get("/api/photos?limit=x", headers=community.guest_of(link)).status_code == 403


def test_each_member_sees_their_own_photos_trash_and_favorites(browser: Client, community: Community) -> None:
    shown, private = add_photo(community).image_id, add_photo(community, visibility=Visibility.PRIVATE).image_id
    failed = add_photo(community, state=PhotoState.FAILED, processing_error="it is no picture").image_id
    trashed = add_photo(community, state=PhotoState.TRASHED).image_id
    bobs = add_photo(community, owner=BOB).image_id
    ann = community.ann
    assert ids_in(get(browser, community, "/api/photos")) == [bobs, shown]
    assert ids_in(get(browser, community, "/api/me/photos", ann)) == [failed, private, shown]
    assert ids_in(get(browser, community, "/api/me/trash", ann)) == [trashed]
    assert ids_in(get(browser, community, "/api/me/trash")) == []
    assert ids_in(get(browser, community, f"/api/users/{ANN}/photos")) == [shown]
    assert ids_in(get(browser, community, f"/api/users/{ANN}/photos", ann)) == [failed, private, shown]
    trashed_image = get(browser, community, "/api/me/trash", ann).json()["images"][0]
    assert trashed_image["uploadedBy"] == ANN


def test_the_photos_of_an_unknown_user_are_404(browser: Client, community: Community) -> None:
    assert get(browser, community, f"/api/users/{a_user('nobody@example.com').email}/photos").status_code == 404


# -- Favorites


def test_a_favorite_is_seen_by_the_caller_only(browser: Client, community: Community) -> None:
    plain, marked = add_photo(community).image_id, add_photo(community).image_id
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


def test_guests_mark_photos_that_they_see(browser: Client, community: Community) -> None:
    photo = add_photo(community, visibility=Visibility.PRIVATE, albums=(ALBUM,))
    link, _ = community.link_to(ALBUM, LinkPermission.VIEW)
    guest = community.guest_of(link)
    assert browser.put(f"/api/photos/{photo.image_id}/favorite", headers=guest).status_code == 204
    assert browser.get(f"/api/photos/{photo.image_id}", headers=guest).json()["favorite"] is True


# -- ETags


def test_an_unchanged_list_is_304(browser: Client, community: Community) -> None:
    photo = add_photo(community)
    headers = community.session_of(community.bob)
    for path in ("/api/photos", "/api/me/photos", f"/api/photos/{photo.image_id}"):
        response = browser.get(path, headers=headers)
        assert response.headers["cache-control"] == "private, no-cache"
        again = browser.get(path, headers=headers | {"If-None-Match": response.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == response.headers["etag"]


def test_every_change_gives_a_list_a_new_etag(browser: Client, community: Community) -> None:
    photo = add_photo(community)
    headers = community.session_of(community.bob)

    def fresh(etag: str) -> str:
        response = browser.get("/api/photos", headers=headers | {"If-None-Match": etag})
        assert response.status_code == 200
        return str(response.headers["etag"])

    first = fresh('"none"')
    browser.put(f"/api/photos/{photo.image_id}/favorite", headers=headers)
    second = fresh(first)
    add_photo(community)
    third = fresh(second)
    community.pass_time(days=1)  # the signed URLs are new ones now
    fresh(third)
