"""Tables and blobs to upload to."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import Blobs
from sparks.blobs.s3 import S3Blobs, connect, create_bucket
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.library.conftest import any_table, dynamodb
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, seaweedfs
from tests.uploads.files import KEYRING

__all__ = ["any_table", "dynamodb"]


@pytest.fixture
def table() -> Table:
    return MemoryTable()


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs(keyring=KEYRING)


@pytest.fixture
def file_blobs(tmp_path: Path) -> Iterator[FilesystemBlobs]:
    blobs = FilesystemBlobs(tmp_path / "blobs", keyring=KEYRING, base_url="http://127.0.0.1:8000")
    yield blobs
    blobs.close()


@pytest.fixture
def s3_blobs(s3_bucket: S3Blobs) -> Iterator[S3Blobs]:
    yield s3_bucket
    for blob in s3_bucket.list().blobs:
        s3_bucket.delete(blob.key)


@pytest.fixture(scope="session")
def s3_bucket() -> Iterator[S3Blobs]:
    client = connect(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    name = f"uploads-{uuid.uuid4().hex}"
    create_bucket(client, name)
    yield S3Blobs(client, name)
    client.close()


@pytest.fixture(params=["blobs", "file_blobs"])
def any_blobs(request: pytest.FixtureRequest) -> Blobs:
    blobs: Blobs = request.getfixturevalue(request.param)
    return blobs
