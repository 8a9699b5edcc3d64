"""Objects of a source in a bucket: found, hashed, and copied with or without their bytes passing here."""

import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import CopiesObjects, StoredElsewhere
from sparks.blobs.s3 import S3Blobs, connect, create_bucket
from sparks.media.digests import digests_of
from sparks.migrate.bucket_objects import ObjectBucket
from sparks.migrate.object_stores import checked_objects
from sparks.model.errors import BadInput, Damaged
from sparks.model.ids import new_image_id
from sparks.model.photo import PhotoState
from tests.migrate.in_process import memory_stores, verify
from tests.migrate.layouts import items
from tests.migrate.layouts.in_process import filled, photo_of
from tests.migrate.legacy_app import make_pictures
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, seaweedfs

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@pytest.fixture(scope="module")
def client() -> "S3Client":
    return connect(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)


@pytest.fixture(scope="module")
def bucket(client: "S3Client") -> str:
    name = f"old-{uuid.uuid4().hex}"
    create_bucket(client, name)
    return name


@pytest.fixture
def address(bucket: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    return f"s3://{bucket}/old/site?endpoint={seaweedfs()}&region={REGION}"


@pytest.fixture
def picture(client: "S3Client", bucket: str) -> bytes:
    content = make_pictures(1)[0]
    client.put_object(Bucket=bucket, Key="old/site/a/picture.jpg", Body=content)
    return content


def test_an_object_is_found_and_hashed_below_the_prefix(address: str, picture: bytes) -> None:
    objects = ObjectBucket(address)
    assert objects.find("a/picture.jpg") is not None
    assert objects.find("picture.jpg") is None
    assert objects.digests("a/picture.jpg") == digests_of([picture])
    assert objects.digests("none") is None
    assert objects.read("a/picture.jpg", most=len(picture)) == picture
    assert objects.read("a/picture.jpg", most=10) is None


def test_an_object_is_copied_through_this_machine_to_another_store(address: str, picture: bytes) -> None:
    blobs = MemoryBlobs()
    stored = ObjectBucket(address).copy("a/picture.jpg", new_image_id(), blobs=blobs)
    assert stored is not None
    assert stored.digests == digests_of([picture])
    assert b"".join(blobs.open(stored.key)) == picture
    assert ObjectBucket(address).copy("none", new_image_id(), blobs=blobs) is None


def test_an_object_is_copied_within_the_server(
    address: str, picture: bytes, client: "S3Client", bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = S3Blobs(client, bucket)
    monkeypatch.setattr(S3Blobs, "put", lambda *_, **__: pytest.fail("its bytes were sent"))
    stored = ObjectBucket(address).copy("a/picture.jpg", new_image_id(), blobs=blobs)
    assert stored is not None
    assert b"".join(blobs.open(stored.key)) == picture
    head = blobs.head(stored.key)
    assert (head.sha256, head.content_type) == (digests_of([picture]).sha256, "image/jpeg")


def test_an_object_that_was_replaced_is_not_copied(client: "S3Client", bucket: str, picture: bytes) -> None:
    blobs = S3Blobs(client, bucket)
    assert isinstance(blobs, CopiesObjects)
    seen = StoredElsewhere(client.meta.endpoint_url, bucket, "old/site/a/picture.jpg", '"other"', len(picture))
    assert blobs.can_copy(seen)
    assert not blobs.can_copy(replace(seen, endpoint="https://s3.amazonaws.com"))
    with pytest.raises(Damaged):
        blobs.copy_object(seen, f"originals/{new_image_id()}.jpg", sha256="0" * 64, content_type="image/jpeg")


def test_an_address_that_is_no_bucket_is_a_wrong_option(address: str) -> None:
    for wrong in ("s3:photos", "s3://photos?colour=red", address.replace("s3://old-", "s3://none-")):
        with pytest.raises(BadInput):
            checked_objects(wrong)


def test_a_layout_is_migrated_from_a_bucket(address: str, client: "S3Client", bucket: str, tmp_path: Path) -> None:
    folder = items.put_objects(tmp_path / "objects", "003")
    for key in items.OBJECTS["003"]:
        client.put_object(Bucket=bucket, Key=f"old/site/{key}", Body=(folder / key).read_bytes())
    stores = memory_stores()
    file = items.write_scan(tmp_path / "scan.json", items.LAYOUT_003)
    with filled(f"dynamodb://{file}", address, stores, tmp_path, addresses={"kgregory": "kg@example.org"}):
        assert photo_of(str(items.LAYOUT_003[0]["id"]), stores).state is PhotoState.PENDING
    assert verify(stores).differences == []
