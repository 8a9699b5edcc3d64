"""Rows of the legacy application with their objects, for tests that need no application."""

import uuid
from pathlib import Path
from typing import Any

from tests.migrate.legacy_app import make_pictures, with_comment
from tests.migrate.postgresql.legacy_rows import App, add_album, add_image, add_user


def add_photo(app: App, objects: Path, user: str, **columns: Any) -> str:
    """An image whose object is there, in bytes of its own."""
    photo = str(uuid.uuid4())
    key = f"images/{user}/{photo}.jpg"
    put_object(objects, key, photo)
    return add_image(app, user, **{"id": photo, "s3_key": key, **columns})


def put_object(objects: Path, key: str, unique: str) -> bytes:
    content = with_comment(make_pictures(1)[0], unique)
    (objects / key).parent.mkdir(parents=True, exist_ok=True)
    (objects / key).write_bytes(content)
    return content


def add_some(app: App, objects: Path, *, users: int = 2, photos: int = 3) -> list[str]:
    """Users with an album and photos each; the ids of the photos."""
    made = []
    for number in range(users):
        user = add_user(app, email=f"user{number}@example.org", username=f"User {number}")
        album = add_album(app, user, title=f"Album {number}")
        made += [add_photo(app, objects, user, album_id=album, title=f"Photo {each}") for each in range(photos)]
    return made
