"""Stores for upkeep: in memory, on disk, and with the table on a server."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.library.accounts.lifecycle import create_user
from sparks.model.ids import random_id
from sparks.sqlitefile import SqliteFile
from sparks.table.memory import MemoryTable
from sparks.table.sqlite import SqliteTable
from tests.conformance.table.adapters import open_table
from tests.factories import a_user
from tests.journey.sample_steps import KEYRING
from tests.partial_reads import HalfReadBlobs


@pytest.fixture
def memory() -> Stores:
    return _with_ann(Stores(table=MemoryTable(), blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Stores]:
    """The database and the blobs of a data folder."""
    yield from _on_disk(tmp_path, FilesystemBlobs(tmp_path / "blobs", keyring=KEYRING, base_url=""))


@pytest.fixture
def half_read(tmp_path: Path) -> Iterator[Stores]:
    """The same, while another thread is half way through every folder that is listed."""
    yield from _on_disk(tmp_path, HalfReadBlobs(tmp_path / "blobs", keyring=KEYRING, base_url=""))


def _on_disk(tmp_path: Path, blobs: FilesystemBlobs) -> Iterator[Stores]:
    with closing(blobs), closing(SqliteFile(tmp_path / "sparks.db")) as file:
        jobs = EmbeddedJobs(file, "test")
        yield _with_ann(Stores(table=SqliteTable(file), blobs=blobs, jobs=jobs, keyring=KEYRING))


@pytest.fixture(params=["memory", "disk", "server"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    """With Ann's account and nothing else, on each kind in turn."""
    if request.param != "server":
        yield request.getfixturevalue(request.param)
        return
    with open_table("dynamodb-local", tmp_path) as table:
        yield _with_ann(Stores(table=table, blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING))


def _with_ann(stores: Stores) -> Stores:
    create_user(a_user(account_id=random_id()), photos=2000, bytes=1_000_000, table=stores.table)
    return stores
