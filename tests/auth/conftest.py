"""Tables for credentials, and a count of the work of hashing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from sparks.auth import passwords
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import known_hash
from tests.auth.password_hashes import CountingHasher
from tests.conformance.table.adapters import open_table


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Table]:
    with open_table("sqlite", tmp_path) as table:
        yield table


@pytest.fixture(params=["sqlite", "dynamodb-local"])
def raced(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """An empty table for many at once, on a server too."""
    with open_table(request.param, tmp_path) as table:
        yield table


@pytest.fixture
def hasher(monkeypatch: pytest.MonkeyPatch) -> CountingHasher:
    """From now on every hash is counted."""
    known_hash()
    hasher = CountingHasher(passwords._HASHER)
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    return hasher


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For those who try often: a hasher that is as right as ours, and hardly any work."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    passwords._dummy_hash.cache_clear()
    yield
    passwords._dummy_hash.cache_clear()
