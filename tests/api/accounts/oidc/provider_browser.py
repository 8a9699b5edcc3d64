"""A browser that signs in at a provider."""

from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import httpx
from fastapi import FastAPI

from sparks.api.app import create_app
from sparks.api.http.openapi import CSRF_HEADER
from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.metrics import Metrics
from sparks.model import times
from sparks.settings import Settings
from sparks.table.memory import MemoryTable
from tests.api.client import Client
from tests.api.conftest import KEYRING
from tests.servers.oidc import sign_in_there

CSRF: Final = {CSRF_HEADER: "1"}


PASSWORD: Final = "correct horse battery staple"


Open = Callable[..., Client]


def oidc_app(settings: Settings, table: MemoryTable) -> FastAPI:
    stores = Stores(table=table, blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING)
    return create_app(stores=stores, settings=settings, metrics=Metrics())


def new_user_name() -> str:
    return f"user-{uuid4().hex[:12]}"


def come_back(client: Client, url: httpx.URL, **options: Any) -> httpx.Response:
    return client.get(f"{url.path}?{url.query.decode()}", **options)


def sign_in(client: Client, name: str, *, next_path: str = "/", **options: Any) -> httpx.Response:
    """Signs in at the provider as `name`, and returns."""
    begun = client.get("/api/oidc/login", params={"next": next_path})
    assert begun.status_code == 302, begun.text
    return come_back(client, sign_in_there(begun.headers["location"], name), **options)


def add_member(email: str, table: MemoryTable) -> None:
    newcomer = NewAccount.called(email, PASSWORD)
    add_user(newcomer, allowance=UploadAllowance(1, 1), by="tests", at=times.now(), table=table)


def sign_in_with_password(client: Client, email: str) -> None:
    assert client.post("/api/session", json={"email": email, "password": PASSWORD}).status_code == 200


def who_is_in(client: Client) -> str | None:
    answer = client.get("/api/me/profile")
    email: str | None = answer.json().get("email")
    return email if answer.status_code == 200 else None
