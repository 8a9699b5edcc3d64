"""Fixtures of the migration tests: a database of the service that Sparks replaces."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from sparks.migrate.postgresql.source import Source
from tests.servers.postgresql import LegacyDatabase, legacy_database


@pytest.fixture
def database() -> Iterator[LegacyDatabase]:
    with legacy_database() as made:
        yield made


@pytest.fixture
def source(database: LegacyDatabase) -> Iterator[Source]:
    opened = Source.connect(database.owner_url)
    yield opened
    opened.close()


@pytest.fixture
def app(database: LegacyDatabase) -> Iterator[psycopg.Connection]:
    """A connection of the application, each of whose statements is a transaction, unless the test begins one."""
    with psycopg.connect(database.application_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def other_app(database: LegacyDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.application_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def superuser(database: LegacyDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.superuser_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Threads for statements that wait."""
    with ThreadPoolExecutor(4) as threads:
        yield threads
