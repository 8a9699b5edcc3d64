"""Photos whose texts and times no upload to Sparks could have: every list, search, archive and export takes them."""

from datetime import UTC, datetime
from io import BytesIO
from typing import Any, Final
from zipfile import ZipFile

import pytest

from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import from_item, key_of
from sparks.library.search.documents import document_of
from sparks.model.ids import image_id_at
from sparks.model.photo import Photo
from sparks.takeout.export.photo_details import PhotoDetails
from sparks.takeout.export.sidecars import json_sidecar, xmp_sidecar
from tests.api.album_makers import AlbumClient
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import ANN, a_photo

MAY: Final = datetime(2019, 5, 4, 3, 2, 1, tzinfo=UTC)
ODD_TAGS: Final = (
    "",
    " ",
    "x" * 3000,
    "ü" * 800,
    "a#b",
    "#",
    "line\nbreak",
    "\x01",
    "\u202eright",
    "sea",
    "sea",
    "SEA",
    *(f"tag {n}" for n in range(200)),
)
ODD: Final[dict[str, Any]] = {
    "title": "two\nlines \x1b[31m \u202e",
    "description": "<script>&\x02 " + "word " * 13_000,
    "alt_text": "x" * 4000,
    "tags": ODD_TAGS,
    "original_filename": "../..\\con.jpg\x07",
    "source_id": "old",
}


def keep(community: Community, **more: Any) -> Photo:
    photo = community.keep(a_photo(image_id=image_id_at(MAY), file_size=4, **more))
    community.blobs.put(photo.original_key or "", [b"data"])
    reconcile_links(photo.image_id, ANN, table=community.table)
    community.reindex()
    return photo


@pytest.fixture(
    params=[
        ODD,
        {**ODD, "uploaded_at": None, "created_at": None},
        *({"uploaded_at": at} for at in (datetime.min.replace(tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC))),
    ],
    ids=["texts", "texts without a time", "year 1", "year 9999"],
)
def photo(request: pytest.FixtureRequest, community: Community) -> Photo:
    return keep(community, **request.param)


def test_it_is_in_every_list_and_timeline(community: Community, browser: Client, ann: Headers, photo: Photo) -> None:
    paths = ["/api/photos", "/api/me/photos", f"/api/users/{ANN}/photos"]
    for path in paths:
        (image,) = browser.get(path, headers=ann).json()["images"]
        assert image["imageId"] == photo.image_id
        assert (image.get("description"), image["tags"]) == (photo.description, list(photo.tags))
    shown = browser.get(f"/api/photos/{photo.image_id}", headers=ann).json()
    assert shown.get("title") == photo.title
    months = browser.get("/api/timeline", headers=ann).json()["months"]
    assert [(month["month"], month["count"]) for month in months] == [(photo.month, 1)]
    assert browser.get(f"/api/timeline/{photo.month}", headers=ann).status_code == 200
    assert community.work() is not None


def test_its_usable_tags_are_listed_once(community: Community, browser: Client, ann: Headers) -> None:
    photo = keep(community, **ODD)
    listed: list[str] = []
    query = ""
    while True:
        page = browser.get(f"/api/tags?limit=100{query}", headers=ann).json()
        listed += [tag["tag"] for tag in page["tags"]]
        if "lastEvaluatedKey" not in page:
            break
        query = f"&cursor={page['lastEvaluatedKey']}"
    assert {"sea", "a#b", "#", "line break", "tag 199"} <= set(listed)
    assert len(listed) == len(set(listed)) == 204
    for tag in ("sea", "a%23b", "%23"):
        found = browser.get(f"/api/tags/photos?tag={tag}", headers=ann)
        assert [image["imageId"] for image in found.json().get("images", ())] == [photo.image_id], found.text


def test_it_is_found_by_search_and_in_archives(
    community: Community, browser: Client, ann: Headers, photo: Photo
) -> None:
    assert document_of(photo) is not None
    assert browser.get("/api/search?q=word", headers=ann).status_code == 200
    if photo.tags:
        found = browser.get("/api/search?q=word", headers=ann).json()["images"]
        assert [image["imageId"] for image in found] == [photo.image_id]
    archive = browser.post("/api/archives", json={"ids": [photo.image_id]}, headers=ann).json()
    with ZipFile(BytesIO(browser.get(f"/api/archives/{archive['archiveId']}", headers=ann).content)) as file:
        assert [file.read(name) for name in file.namelist()] == [b"data"]
    details = PhotoDetails(photo=photo, albums=(), faces=())
    assert xmp_sidecar(details)
    assert json_sidecar(details)


def test_an_edit_of_another_field_keeps_its_texts(community: Community, browser: Client, ann: Headers) -> None:
    photo = keep(community, **ODD)
    path = f"/api/photos/{photo.image_id}"
    edited = browser.patch(path, json={"version": 1, "altText": "A beach"}, headers=ann)
    assert edited.status_code == 200, edited.text
    change = {"ids": [photo.image_id], "visibility": "private", "removeTags": ["tag 7"]}
    (result,) = browser.post("/api/photos/change", json=change, headers=ann).json()["results"]
    assert result["status"] == "changed"
    row = community.table.get(key_of(photo))
    assert row is not None
    after = from_item(Photo, row)
    assert (after.title, after.description) == (photo.title, photo.description)
    assert after.tags == tuple(tag for tag in photo.tags if tag != "tag 7")


def test_it_is_shown_in_albums(community: Community, browser: Client, ann: Headers, photo: Photo) -> None:
    albums = AlbumClient(community, browser)
    album_id = albums.make(ann)
    assert albums.add(album_id, ann, photo) == ["added"]
    community.work()
    assert albums.ids(album_id, ann) == [photo.image_id]
