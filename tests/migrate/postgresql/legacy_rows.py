"""Rows and connections of the legacy application, for tests."""

import uuid
from typing import Any

import psycopg

from tests.servers.process import wait_until

App = psycopg.Connection[tuple[Any, ...]]


def add_user(app: App, **columns: Any) -> str:
    return _insert(app, "users", {"email": f"{uuid.uuid4().hex}@example.org", **columns})


def add_album(app: App, user: str, **columns: Any) -> str:
    return _insert(app, "gallery_albums", {"user_id": user, "title": "an album", **columns})


def add_image(app: App, user: str, **columns: Any) -> str:
    file = {"original_filename": "a.jpg", "mime_type": "image/jpeg", "file_size": 1, "s3_key": "images/a.jpg"}
    return _insert(app, "gallery_images", {"user_id": user, **file, **columns})


def _insert(app: App, table: str, columns: dict[str, Any]) -> str:
    columns = {"id": str(uuid.uuid4()), **columns}
    places = ", ".join(["%s"] * len(columns))
    app.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", list(columns.values()))
    return str(columns["id"])


def wait_for_lock(superuser: App, waiting: App | None = None) -> None:
    """Returns when this connection waits for a lock; without one, when the migrator does."""
    who = "application_name = 'sparks migrate'" if waiting is None else f"pid = {waiting.info.backend_pid}"
    query = f"SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND {who}"
    wait_until(lambda: superuser.execute(query).rowcount > 0, what="a wait for a lock", seconds=20)
