"""Fixtures of the migration tests: a database of the service that Sparks replaces."""

from collections.abc import Iterator

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
