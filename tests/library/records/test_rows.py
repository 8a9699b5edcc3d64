"""Rows: spelled as the documents spell them, and damaged ones found out."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from sparks.library import entity_types
from sparks.library.records import from_item, to_item
from sparks.model.errors import BadInput, Damaged
from sparks.model.face import Box
from sparks.model.person import PersonInPhoto, PersonInScope
from sparks.model.photo import AssetType, Photo, PhotoState, Renditions, Visibility
from sparks.model.photo_index import TagLink
from sparks.model.scope import COMMUNITY
from sparks.model.stored import Stored
from sparks.table.memory import MemoryTable
from sparks.table.port import Put
from tests.factories import ANN, NOON, a_face, a_person, a_photo, a_user


@pytest.mark.parametrize(
    ("state", "visibility", "entity_type"),
    [
        (PhotoState.RESERVED, Visibility.COMMUNITY, "IMAGE_RESERVED"),
        (PhotoState.PENDING, Visibility.PRIVATE, "IMAGE_PENDING"),
        (PhotoState.READY, Visibility.COMMUNITY, "IMAGE"),
        (PhotoState.READY, Visibility.PRIVATE, "IMAGE_PRIVATE"),
        (PhotoState.FAILED, Visibility.PRIVATE, "IMAGE_FAILED"),
        (PhotoState.TRASHED, Visibility.COMMUNITY, "IMAGE_TRASHED#ann@example.com"),
        (PhotoState.DELETING, Visibility.PRIVATE, "IMAGE_DELETING"),
    ],
)
def test_the_state_of_a_photo_is_its_entity_type(state: PhotoState, visibility: Visibility, entity_type: str) -> None:
    assert to_item(a_photo(state=state, visibility=visibility))["entityType"] == entity_type


@pytest.mark.parametrize("state", PhotoState)
def test_a_hidden_photo_carries_no_uploaded_by(state: PhotoState) -> None:
    item = to_item(a_photo(state=state))
    assert ("uploadedBy" in item) == (state in {PhotoState.PENDING, PhotoState.READY, PhotoState.FAILED})
    assert item["owner"] == ANN


@pytest.mark.parametrize("visibility", [None, "community", "private"])
def test_a_photo_that_is_listed_as_private_is_never_taken_for_public(visibility: str | None) -> None:
    item = to_item(a_photo(visibility=Visibility.PRIVATE))
    del item["visibility"]
    item |= {} if visibility is None else {"visibility": visibility}
    assert from_item(Photo, item).visibility is Visibility.PRIVATE


def test_a_photo_is_written_under_the_names_of_the_documents() -> None:
    item = to_item(a_photo(image_id="0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a", ttl=NOON, taken_offset="+02:00"))
    assert item == {
        "PK": "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a",
        "SK": "UPLOADED_BY#ann@example.com",
        "entityType": "IMAGE",
        "imageId": "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a",
        "owner": "ann@example.com",
        "uploadedBy": "ann@example.com",
        "assetType": "IMAGE",
        "visibility": "community",
        "version": 1,
        "s3Key": "originals/0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a.jpg",
        "originalFilename": "sea.jpg",
        "mimeType": "image/jpeg",
        "width": 4000,
        "height": 3000,
        "aspectRatio": Decimal("1.3333"),
        "persons": [],
        "tags": [],
        "albums": [],
        "takenOffset": "+02:00",
        "processingStatus": "completed",
        "status": "RAW",
        "faceCount": 0,
        "createdAt": "2025-08-01T12:00:00.000Z",
        "uploaded_datetime": "2025-08-01T12:00:00.000Z",
        "ttl": 1754049600,
    }


def test_a_face_is_written_under_the_names_of_the_documents() -> None:
    face = a_face(a_photo(), Box(0.12, 0.18, 0.22, 0.22), thumb_key="faces/thumbs/x.jpg", embedding=b"\x00\x01")
    item = to_item(face)
    assert item["bbox"] == {
        "Left": Decimal("0.12"),
        "Top": Decimal("0.18"),
        "Width": Decimal("0.22"),
        "Height": Decimal("0.22"),
    }
    assert item["thumbS3Key"] == "faces/thumbs/x.jpg"
    assert item["embedding"] == b"\x00\x01"
    assert item["entityType"] == "FACE_UNASSIGNED"
    assert to_item(replace(face, person_id="person7"))["entityType"] == "FACE#person7"


def test_persons_and_taggings_are_dated_in_unix_seconds() -> None:
    tagging = PersonInPhoto(image_id=a_photo().image_id, person_id="person1", owner=ANN, created_at=NOON)
    assert to_item(a_person())["createdAt"] == to_item(tagging)["createdAt"] == 1754049600


def test_a_tagging_of_a_private_photo_is_in_a_list_of_its_owner() -> None:
    tagging = PersonInPhoto(image_id=a_photo().image_id, person_id="person1", owner=ANN, created_at=NOON, private=True)
    assert to_item(tagging)["entityType"] == "TAGGING#person1#ann@example.com"


def test_a_private_row_without_an_owner_is_refused() -> None:
    with pytest.raises(BadInput):
        to_item(PersonInPhoto(image_id=a_photo().image_id, person_id="person1", created_at=NOON, private=True))


def test_a_tag_has_two_rows_one_of_them_for_the_community() -> None:
    link = TagLink(image_id=a_photo().image_id, owner=ANN, tag="sea#side")
    mine, everybodys = to_item(link), to_item(replace(link, community=True))
    assert (mine["SK"], mine["entityType"]) == ("TAG#sea#side", "TAG#ann@example.com#sea#side")
    assert (everybodys["SK"], everybodys["entityType"]) == ("TAGALL#sea#side", "TAG#ALL#sea#side")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_value_that_is_not_a_finite_number_is_refused(number: float) -> None:
    with pytest.raises(BadInput):
        to_item(a_photo(duration=number))


@pytest.mark.parametrize("number", [0.1, 1 / 3, 2.0, 1e-7, 123456789.123456789])
def test_a_number_is_kept_to_its_last_digit(number: float) -> None:
    photo = a_photo(duration=number)
    assert from_item(Photo, to_item(photo)).duration == number


def test_an_item_of_another_kind_is_damaged() -> None:
    values: list[Stored] = [a_photo(), a_user(), a_person(), a_face(a_photo(), Box(0, 0, 1, 1))]
    for value, other in permutations(values, 2):
        with pytest.raises(Damaged):
            from_item(type(value), to_item(other))


@pytest.mark.parametrize(
    "damage",
    [
        {"entityType": "IMAGE_SOMETHING"},
        {"entityType": "IMAGE#ann@example.com"},
        {"entityType": "IMAGE_TRASHED"},
        {"visibility": "friends"},
        {"expiresAt": "tomorrow"},
        {"PK": "IMG_0001"},
        {"SK": "FACE#1"},
        {"SK": "UPLOADED_BY#ann"},
    ],
)
def test_an_unreadable_row_is_damaged_and_the_message_names_the_kind(damage: dict[str, Any]) -> None:
    with pytest.raises(Damaged, match="Photo"):
        from_item(Photo, to_item(a_photo()) | damage)


@pytest.mark.parametrize(
    ("unreadable", "field", "default"),
    [
        ({"assetType": "SOUND"}, "asset_type", AssetType.IMAGE),
        ({"assetType": ["IMAGE"]}, "asset_type", AssetType.IMAGE),
        ({"uploaded_datetime": "yesterday"}, "uploaded_at", None),
        ({"uploaded_datetime": 7}, "uploaded_at", None),
        ({"ttl": 10**15}, "ttl", None),
        ({"version": "2"}, "version", 1),
        ({"width": -1}, "width", None),
        ({"tags": "sea"}, "tags", ()),
        ({"tags": [1, "sea"]}, "tags", ()),
        ({"takenOffset": "CEST"}, "taken_offset", None),
        ({"location": {"latitude": 1}}, "location", None),
        ({"location": {"latitude": 91, "longitude": 0}}, "location", None),
        ({"images": {"large": 7}}, "renditions", None),
        ({"s3Key": "../secrets.json"}, "original_key", None),
    ],
)
def test_an_attribute_that_cannot_be_read_is_left_out(unreadable: dict[str, Any], field: str, default: Any) -> None:
    photo = a_photo()
    assert from_item(Photo, to_item(photo) | unreadable) == replace(photo, **{field: default})


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        ({"title": {"S": "Sea"}}, "title", "Sea"),
        ({"tags": {"L": [{"S": "sea"}]}}, "tags", ("sea",)),
        ({"width": {"N": "640"}}, "width", 640),
        ({"uploaded_datetime": "2025-08-01T12:00:00Z"}, "uploaded_at", NOON),
        ({"uploaded_datetime": "2025-08-01T14:00:00.000000+02:00"}, "uploaded_at", NOON),
        (
            {"images": {"large": {"S": "processed/a.webp"}, "processedAt": {"S": "2025-08-01T12:00:00.000Z"}}},
            "renditions",
            Renditions({"large": "processed/a.webp"}, NOON),
        ),
    ],
)
def test_the_forms_of_other_writers_are_understood(written: dict[str, Any], field: str, value: Any) -> None:
    photo = a_photo()
    assert from_item(Photo, to_item(photo) | written) == replace(photo, **{field: value})


def test_what_is_left_out_of_a_row_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    row = to_item(a_photo()) | {"assetType": "SOUND"}
    for _ in range(3):
        from_item(Photo, row)
    assert [record.getMessage() for record in caplog.records] == [
        "a row of another writer, read as a Photo: left out assetType, which cannot be read"
    ]


def test_an_item_without_its_list_is_damaged() -> None:
    item = to_item(a_photo())
    del item["entityType"]
    with pytest.raises(Damaged):
        from_item(Photo, item)


def test_a_nested_value_has_no_row_of_its_own() -> None:
    with pytest.raises(BadInput):
        to_item(Box(0, 0, 1, 1))


def test_the_newest_photo_of_the_feed_comes_first() -> None:
    table = MemoryTable()
    photos = [a_photo() for _ in range(5)]
    table.write(*(Put(to_item(photo)) for photo in [*photos, a_photo(visibility=Visibility.PRIVATE)]))
    page = table.query(entity_types.FEED, newest_first=True)
    assert [from_item(Photo, item) for item in page.items] == photos[::-1]


def test_a_person_in_few_photos_is_in_another_list() -> None:
    table = MemoryTable()
    often, seldom = (
        PersonInScope(person_id=f"person{number}", scope=COMMUNITY, listed=number == 1) for number in (1, 2)
    )
    table.write(Put(to_item(often)), Put(to_item(seldom)))
    assert table.query(entity_types.person_in_scope(often.scope)).items == [to_item(often)]


def test_a_value_is_not_changed_by_what_is_done_to_its_item() -> None:
    photo = a_photo(tags=("sea",), extra={"later": 1})
    item = to_item(photo)
    item["tags"].append("lake")
    item["later"] = 2
    assert (photo.tags, photo.extra) == (("sea",), {"later": 1})


def test_times_are_read_as_utc() -> None:
    read = from_item(Photo, to_item(a_photo(taken_at=NOON))).taken_at
    assert isinstance(read, datetime)
    assert read.tzinfo is UTC
