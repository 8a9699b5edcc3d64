"""Tables and blobs to upload to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.served import ServedBlobs
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.library.conftest import any_table, dynamodb
from tests.upload.files import KEYRING

__all__ = ["any_table", "dynamodb"]


@pytest.fixture
def table() -> Table:
    return MemoryTable()


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs(keyring=KEYRING)


@pytest.fixture(params=["memory", "filesystem"])
def any_blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServedBlobs]:
    if request.param == "memory":
        yield MemoryBlobs(keyring=KEYRING)
        return
    blobs = FilesystemBlobs(tmp_path / "blobs", keyring=KEYRING, base_url="http://127.0.0.1:8000")
    yield blobs
    blobs.close()
