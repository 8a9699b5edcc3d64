"""The application on memory adapters."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from fastapi import FastAPI

from sparks.api.app import create_app
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.metrics import Metrics
from sparks.model.keyring import Keyring
from sparks.settings import Settings
from sparks.table.memory import MemoryTable
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.api.person_makers import People
from tests.faces.conftest import opencv_engine

__all__ = ["opencv_engine"]

KEYRING: Final = Keyring("test", {"test": bytes(32)})


@pytest.fixture
def stores() -> Stores:
    return Stores(table=MemoryTable(), blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING)


@pytest.fixture
def app(stores: Stores, tmp_path: Path) -> FastAPI:
    settings = Settings(data=tmp_path, allowed_hosts=("sparks.test",))
    return create_app(stores=stores, settings=settings, metrics=Metrics())


@pytest.fixture
def client(app: FastAPI) -> Iterator[Client]:
    with Client(app) as client:
        yield client


@pytest.fixture
def community(tmp_path: Path) -> Community:
    return Community(tmp_path)


@pytest.fixture
def browser(community: Community) -> Iterator[Client]:
    with community.browser() as browser:
        yield browser


@pytest.fixture
def ann(community: Community) -> Headers:
    return community.session_of(community.ann)


@pytest.fixture
def bob(community: Community) -> Headers:
    return community.session_of(community.bob)


@pytest.fixture
def elsewhere(community: Community) -> Iterator[Client]:
    """Another browser, at another IP address."""
    with community.browser(address="192.0.2.7") as browser:
        yield browser


@pytest.fixture
def people(community: Community) -> Iterator[People]:
    with community.browser() as browser:
        yield People(community, browser)
