"""A program that knows only the documents reads persons, taggings, faces and the counter with plain boto3."""

import re
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import boto3
import pytest
from boto3.dynamodb.conditions import Key as On

from sparks.blobs.port import Blobs
from sparks.blobs.s3 import S3Blobs, create_bucket
from sparks.blobs.s3 import connect as connect_blobs
from sparks.library import blob_keys
from sparks.library.people.face_assignment import assign_face, found_person, next_person_id, unassign_face
from sparks.library.people.face_rows import store_face
from sparks.library.photo_followups import update_followups
from sparks.library.photos.photo_rows import find_photo
from sparks.model.events import PersonPicturesDue
from sparks.model.face import Face
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, ProcessingStatus, Renditions, Visibility
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.person_pictures import update_person_pictures
from sparks.table.dynamodb import DynamoDbTable
from sparks.table.port import Table
from tests.account_makers import keep
from tests.conformance.table.adapters import client_of, new_name
from tests.factories import NOON, a_face, a_photo
from tests.library.people.rows import a_box
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, dynamodb_local, seaweedfs

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table as DynamoDBTable
    from mypy_boto3_s3 import S3Client

KEYS: Final[dict[str, Any]] = {
    "region_name": REGION, "aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY,
}  # fmt: skip
ISO: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True)
class Outside:
    """The stores as Sparks has them, and as another program reads them."""

    table: Table
    blobs: Blobs
    rows: "DynamoDBTable"
    objects: "S3Client"
    bucket: str

    # -- Another program

    def person(self, person_id: str) -> dict[str, Any]:
        return dict(self.rows.get_item(Key={"PK": f"PERSON#{person_id}", "SK": person_id})["Item"])

    def listed(self, entity_type: str) -> list[dict[str, Any]]:
        asked = On("entityType").eq(entity_type)
        return list(self.rows.query(IndexName="entityType-PK-index", KeyConditionExpression=asked)["Items"])

    def read(self, key: str) -> bytes:
        return self.objects.get_object(Bucket=self.bucket, Key=key)["Body"].read()

    def keys(self, prefix: str) -> list[str]:
        return [
            each["Key"] for each in self.objects.list_objects_v2(Bucket=self.bucket, Prefix=prefix).get("Contents", [])
        ]

    # -- Sparks

    def photo(self, **changes: Any) -> Photo:
        photo = a_photo(**changes)
        renditions = Renditions({"large": blob_keys.rendition(photo.image_id, "large")})
        photo = photo if photo.processing_status is ProcessingStatus.FAILED else replace(photo, renditions=renditions)
        keep(self.table, photo)
        return photo

    def face(self, photo: Photo, place: int = 0, *, quality: float = 0.5) -> Face:
        face = a_face(photo, a_box(place), quality=quality, embedding=b"vector")
        key = blob_keys.face_thumb(face.face_id)
        self.blobs.put(key, [key.encode()], content_type="image/jpeg")
        return store_face(replace(face, thumb_key=key), at=NOON, table=self.table)

    def met(self, photo: Photo, place: int = 0, *, quality: float = 0.5) -> str:
        person = found_person(self.face(photo, place, quality=quality), at=NOON, table=self.table)
        assert person is not None
        self.settle(photo)
        return person.person_id

    def show(self, photo: Photo, visibility: Visibility) -> None:
        held = find_photo(photo.image_id, table=self.table)
        assert held is not None
        keep(self.table, replace(held, visibility=visibility))
        self.settle(photo)

    def settle(self, *photos: Photo) -> None:
        keyring = Keyring("test", {"test": bytes(32)})
        for photo in photos:
            update_followups(photo.image_id, photo.owner, table=self.table, blobs=self.blobs, keyring=keyring)
        update_person_pictures(PersonPicturesDue(), table=self.table, blobs=self.blobs, pipeline=PipelineSettings())


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    client, name = client_of("dynamodb-local"), f"outside-{uuid.uuid4().hex}"
    s3 = connect_blobs(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    create_bucket(s3, name)
    table = DynamoDbTable(client, new_name(client))
    rows = boto3.resource("dynamodb", endpoint_url=dynamodb_local(), **KEYS).Table(table._name)
    objects = boto3.client("s3", endpoint_url=seaweedfs(), **KEYS)
    yield Outside(table, S3Blobs(s3, name), rows, objects, name)
    table.close()
    s3.close()
    objects.close()


def test_a_person_has_the_picture_that_the_document_names(outside: Outside) -> None:
    photo = outside.photo()
    person_id = outside.met(photo)
    row = outside.person(person_id)
    assert row["s3Key"] == f"persons/{person_id}.jpg"
    assert outside.read(row["s3Key"]) == str(row["repThumbS3Key"]).encode()
    assert outside.objects.head_object(Bucket=outside.bucket, Key=row["s3Key"])["ContentType"] == "image/jpeg"
    assert row in outside.listed("PERSON")
    assert (row["entityType"], row["displayName"], row["createdAt"]) == ("PERSON", person_id, 1754049600)
    assert row["repThumbS3Key"] == f"faces/thumbs/{row['repFaceId']}.jpg"
    assert outside.read(row["repThumbS3Key"])
    assert (row["memberCount"], row["photoCount"]) == (1, 1)
    assert ISO.fullmatch(row["updatedAt"])


def test_the_picture_is_of_a_face_that_the_community_sees_or_there_is_none(outside: Outside) -> None:
    public, private = outside.photo(), outside.photo(visibility=Visibility.PRIVATE)
    person_id = outside.met(private, quality=0.9)
    key, better = f"persons/{person_id}.jpg", outside.person(person_id)["repThumbS3Key"]
    assert "s3Key" not in outside.person(person_id)
    assert key not in outside.keys("persons/")

    face = outside.face(public)
    assign_face(face, person_id, at=NOON, table=outside.table)
    outside.settle(public)
    assert outside.read(outside.person(person_id)["s3Key"]) == str(face.thumb_key).encode()

    outside.show(private, Visibility.COMMUNITY)
    assert outside.read(key) == better.encode()
    outside.show(private, Visibility.PRIVATE)
    assert outside.read(key) == str(face.thumb_key).encode()
    outside.show(public, Visibility.PRIVATE)
    assert "s3Key" not in outside.person(person_id)
    assert key not in outside.keys("persons/")


def test_a_tagging_names_the_large_rendition_and_of_a_failed_photo_the_original(outside: Outside) -> None:
    photo, failed = outside.photo(), outside.photo(processing_status=ProcessingStatus.FAILED)
    person_id = outside.met(photo)
    assign_face(outside.face(failed), person_id, at=NOON, table=outside.table)
    outside.settle(failed)
    taggings = {row["PK"]: row for row in outside.listed(f"TAGGING#{person_id}")}
    assert taggings[photo.image_id]["s3Key"] == f"processed/{photo.image_id}_large.webp"
    assert taggings[photo.image_id]["createdAt"] == 1754049600
    assert taggings[photo.image_id]["SK"] == f"PERSON#{person_id}"
    assert taggings[failed.image_id]["s3Key"] == f"originals/{failed.image_id}.jpg"


def test_a_tagging_written_before_the_rendition_names_the_key_that_it_will_have(outside: Outside) -> None:
    photo = outside.photo()
    keep(outside.table, replace(photo, renditions=None))
    person_id = outside.met(photo)
    [tagging] = outside.listed(f"TAGGING#{person_id}")
    assert tagging["s3Key"] == f"processed/{photo.image_id}_large.webp"


def test_a_face_says_since_when_it_belongs_to_its_person(outside: Outside) -> None:
    photo = outside.photo()
    person_id, other = outside.met(photo), outside.met(photo, 1)
    [row] = outside.listed(f"FACE#{person_id}")
    assert row["addedAt"] == "2025-08-01T12:00:00.000Z"
    face = Face(image_id=photo.image_id, face_id=row["SK"].removeprefix("FACE#"), owner=photo.owner, box=a_box())
    later = NOON.replace(hour=13)
    assign_face(face, other, at=later, table=outside.table)
    moved = [each for each in outside.listed(f"FACE#{other}") if each["SK"] == row["SK"]]
    assert [each["addedAt"] for each in moved] == ["2025-08-01T13:00:00.000Z"]
    unassign_face(face, at=later, table=outside.table)
    left = outside.rows.get_item(Key={"PK": photo.image_id, "SK": row["SK"]})["Item"]
    assert left["entityType"] == "FACE_UNASSIGNED"
    assert "addedAt" not in left


def test_sparks_and_another_program_never_draw_the_same_number(outside: Outside) -> None:
    def draw(_: int) -> int:
        raised = outside.rows.update_item(
            Key={"PK": "UNKNOWN_PERSONS", "SK": "UNKNOWN_PERSONS"},
            UpdateExpression="ADD #limit :one",
            ExpressionAttributeNames={"#limit": "limit"},
            ExpressionAttributeValues={":one": 1},
            ReturnValues="UPDATED_NEW",
        )
        return int(raised["Attributes"]["limit"])  # type: ignore[arg-type]

    with ThreadPoolExecutor(8) as threads:
        ours = threads.map(lambda _: int(next_person_id(table=outside.table).removeprefix("person")), range(20))
        theirs = threads.map(draw, range(20))
        drawn = [*ours, *theirs]
    assert len(set(drawn)) == 40
    row = outside.rows.get_item(Key={"PK": "UNKNOWN_PERSONS", "SK": "UNKNOWN_PERSONS"})["Item"]
    assert (row["entityType"], row["limit"]) == ("UNKNOWN_PERSONS", max(drawn))
