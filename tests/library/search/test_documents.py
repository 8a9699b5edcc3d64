"""The example items of the data model that Sparks follows, letter by letter."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sparks.library.records import from_item, to_item
from sparks.model.account import UploadLimit, User
from sparks.model.person import Person, PersonCounter, PersonInPhoto
from sparks.model.photo import AssetType, Photo, PhotoState, Visibility
from sparks.model.stored import Stored

USER = {
    "PK": "example@gmail.com",
    "SK": "example@gmail.com",
    "entityType": "USER",
    "email": "example@gmail.com",
    "username": "Ja",
    "profilePicture": "profile-pictures/example@gmail.com/profile.jpg",
    "personId": "person123",
}
IMAGE = {
    "PK": "02df423f-0d45-4d59-b987-2ade841d0fbf",
    "SK": "UPLOADED_BY#example@gmail.com",
    "assetType": "IMAGE",
    "entityType": "IMAGE",
    "imageId": "02df423f-0d45-4d59-b987-2ade841d0fbf",
    "s3Key": "originals/02df423f-0d45-4d59-b987-2ade841d0fbf.jpg",
    "uploadedBy": "example@gmail.com",
    "uploaded_datetime": "2025-08-01T09:24:22.159Z",
    "lastModified": "2025-08-01T09:24:28.957Z",
    "persons": [],
    "tags": [],
}
PERSON = {
    "PK": "PERSON#person1",
    "SK": "person1",
    "entityType": "PERSON",
    "displayName": "person1",
    "s3Key": "persons/person1.jpg",
    "createdAt": 1754040302,
}
TAGGING = {
    "PK": "02df423f-0d45-4d59-b987-2ade841d0fbf",
    "SK": "PERSON#person1",
    "entityType": "TAGGING#person1",
    "s3Key": "processed/02df423f-0d45-4d59-b987-2ade841d0fbf_large.webp",
    "createdAt": 1754040302,
}
LIMIT = {
    "PK": "LIMIT#example@gmail.com",
    "SK": "example@gmail.com",
    "entityType": "DEFAULT_LIMIT",
    "limit": 500,
}
COUNTER = {
    "PK": "UNKNOWN_PERSONS",
    "SK": "UNKNOWN_PERSONS",
    "entityType": "UNKNOWN_PERSONS",
    "limit": 1,
}

IMAGE_ID = "02df423f-0d45-4d59-b987-2ade841d0fbf"
FOUND = datetime(2025, 8, 1, 9, 25, 2, tzinfo=UTC)


def test_a_user() -> None:
    assert from_item(User, USER) == User(
        email="example@gmail.com",
        username="Ja",
        profile_picture="profile-pictures/example@gmail.com/profile.jpg",
        person_id="person123",
    )


def test_an_image() -> None:
    assert from_item(Photo, IMAGE) == Photo(
        image_id=IMAGE_ID,
        owner="example@gmail.com",
        state=PhotoState.READY,
        visibility=Visibility.COMMUNITY,
        asset_type=AssetType.IMAGE,
        original_key=f"originals/{IMAGE_ID}.jpg",
        uploaded_at=datetime(2025, 8, 1, 9, 24, 22, 159_000, tzinfo=UTC),
        last_modified=datetime(2025, 8, 1, 9, 24, 28, 957_000, tzinfo=UTC),
    )


def test_the_renditions_of_an_image() -> None:
    images = {
        "large": f"processed/{IMAGE_ID}_large.webp",
        "medium": f"processed/{IMAGE_ID}_medium.webp",
        "processedAt": "2025-08-01T09:24:28.957Z",
    }
    renditions = from_item(Photo, IMAGE | {"images": images}).renditions
    assert renditions is not None
    assert renditions.keys == {name: images[name] for name in ("large", "medium")}
    assert renditions.processed_at == datetime(2025, 8, 1, 9, 24, 28, 957_000, tzinfo=UTC)


def test_a_person() -> None:
    person = Person(person_id="person1", display_name="person1", picture_key="persons/person1.jpg", created_at=FOUND)
    assert from_item(Person, PERSON) == person
    assert not person.is_named


def test_a_tagging() -> None:
    assert from_item(PersonInPhoto, TAGGING) == PersonInPhoto(
        image_id=IMAGE_ID,
        person_id="person1",
        picture_key=f"processed/{IMAGE_ID}_large.webp",
        created_at=FOUND,
    )


def test_an_upload_limit() -> None:
    assert from_item(UploadLimit, LIMIT) == UploadLimit(email="example@gmail.com", photos_left=500)


def test_the_counter_of_persons() -> None:
    assert from_item(PersonCounter, COUNTER) == PersonCounter(last_number=1)


@pytest.mark.parametrize(
    ("kind", "item"),
    [
        (User, USER),
        (Photo, IMAGE),
        (Person, PERSON),
        (PersonInPhoto, TAGGING),
        (UploadLimit, LIMIT),
        (PersonCounter, COUNTER),
    ],
)
def test_writing_a_documented_item_again_keeps_its_attributes(kind: type[Stored], item: dict[str, Any]) -> None:
    again = to_item(from_item(kind, item))
    assert item.items() <= again.items()
