"""Tables and blobs to upload to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.served import ServedBlobs
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.upload.files import KEYRING


@pytest.fixture
def table() -> Table:
    return MemoryTable()


@pytest.fixture(scope="session")
def dynamodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """For all tests: each brings an account of its own."""
    with open_table("dynamodb-local", tmp_path_factory.getbasetemp()) as table:
        yield table


@pytest.fixture(params=[*EMBEDDED, "dynamodb-local"])
def any_table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """A table on each of the adapters in turn; not empty on a server."""
    if request.param in EMBEDDED:
        with open_table(request.param, tmp_path) as table:
            yield table
    else:
        yield request.getfixturevalue("dynamodb")


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
