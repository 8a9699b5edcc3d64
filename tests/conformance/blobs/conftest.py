"""`blobs`: an empty store, on each adapter in turn, whose signed URLs lead to a real server; `http`: a client."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx
import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import MIN_PART_SIZE, Blobs
from sparks.blobs.s3 import S3Blobs, connect, create_bucket
from sparks.migrate.engines.switched_blobs import SwitchedBlobs
from tests.conformance.blobs.content import FAR_FUTURE, KEYRING
from tests.conformance.blobs.host import Host
from tests.migrate.engines.memory_sides import Sides, new_stores
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, seaweedfs

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


ADAPTERS: Final = {
    "memory": "memory_blobs",
    "captured": "captured_blobs",
    "filesystem": "file_blobs",
    "filesystem-sidecars": "sidecar_blobs",
    "seaweedfs": "s3_blobs",
}


@pytest.fixture(params=ADAPTERS)
def blobs(request: pytest.FixtureRequest) -> Blobs:
    found: Blobs = request.getfixturevalue(ADAPTERS[request.param])
    return found


@pytest.fixture
def memory_blobs(host: Host) -> MemoryBlobs:
    base_url = host.new_place()
    blobs = MemoryBlobs(keyring=KEYRING, base_url=base_url)
    host.serve(blobs, base_url)
    return blobs


@pytest.fixture
def captured_blobs(host: Host) -> SwitchedBlobs:
    """The blobs of a library that is about to move."""
    base_url = host.new_place()
    sides = Sides(source=new_stores(blobs=MemoryBlobs(keyring=KEYRING, base_url=base_url)))
    sides.capture()
    blobs = sides.process().blobs
    host.serve(blobs, base_url)
    return blobs


@pytest.fixture
def file_blobs(host: Host, tmp_path: Path) -> Iterator[FilesystemBlobs]:
    yield from _on_disk(host, tmp_path, attributes=True)


@pytest.fixture
def sidecar_blobs(host: Host, tmp_path: Path) -> Iterator[FilesystemBlobs]:
    yield from _on_disk(host, tmp_path, attributes=False)


def _on_disk(host: Host, folder: Path, *, attributes: bool) -> Iterator[FilesystemBlobs]:
    base_url = host.new_place()
    blobs = FilesystemBlobs(folder / "blobs", keyring=KEYRING, base_url=base_url, attributes=attributes)
    host.serve(blobs, base_url)
    yield blobs
    blobs.close()


@pytest.fixture
def s3_blobs(s3_client: "S3Client", bucket: str) -> Iterator[S3Blobs]:
    """A store with small pieces, so that a `put` of some MiB is sent in parts."""
    blobs = S3Blobs(s3_client, bucket, piece_size=MIN_PART_SIZE)
    yield blobs
    for upload in blobs.list_uploads(started_before=FAR_FUTURE):
        blobs.abort_upload(upload.key, upload.upload_id)
    for blob in blobs.list().blobs:
        blobs.delete(blob.key)


@pytest.fixture(scope="session")
def s3_client() -> Iterator["S3Client"]:
    client = connect(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    yield client
    client.close()


@pytest.fixture(scope="session")
def bucket(s3_client: "S3Client") -> str:
    """One bucket for each test process, emptied after each test: creating one takes longer than most tests."""
    name = f"blobs-{uuid.uuid4().hex}"
    create_bucket(s3_client, name)
    return name


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    with Host() as host:
        yield host


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with httpx.Client() as client:
        yield client
