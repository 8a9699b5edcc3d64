"""Accounts and their photos for tests: made whole, raced for by many at once, interrupted at any moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any, Final

from sparks.auth.passwords import hash_password
from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.accounts.lifecycle import create_user
from sparks.library.consent import FACES, consent_entry
from sparks.library.records import to_item
from sparks.model.account import User
from sparks.model.errors import SparksError, Unavailable
from sparks.model.face import Box, FaceById
from sparks.model.ids import random_id
from sparks.model.photo import Photo, Renditions
from sparks.model.photo_index import ContentDigest, Favorite, MonthLink, TagLink
from sparks.model.scope import scope_of_owner
from sparks.model.share import who_is_guest
from sparks.model.stored import Stored
from sparks.table.port import Item, Put, Table
from tests.factories import ANN, NOON, a_face, a_photo, a_user
from tests.library.tables import Meddled

PASSWORD: Final = "correct horse battery"


@cache
def known_hash() -> str:
    """Of PASSWORD; hashing takes long."""
    return hash_password(PASSWORD)


def an_account(table: Table, email: str = ANN, *, with_password: bool = True, **changes: Any) -> User:
    user = a_user(email, **{"account_id": random_id(), **changes})
    create_user(user, photos=10, bytes=10_000, password_hash=known_hash() if with_password else None, table=table)
    return user


def keep(table: Table, *rows: Stored) -> None:
    for row in rows:
        table.write(Put(to_item(row)))


def lasting(table: Table) -> list[Item]:
    """All rows except live events, which expire within an hour."""
    return [row for row in everything(table) if not row["PK"].startswith("EVENT#")]


def everything(table: Table) -> list[Item]:
    items: list[Item] = []
    page = table.scan()
    items += page.items
    while page.after is not None:
        page = table.scan(after=page.after)
        items += page.items
    return items


def hang(table: Table, blobs: Blobs, **changes: Any) -> Photo:
    """A photo with all that belongs to it, in the table and among the blobs."""
    photo = a_photo(**changes)
    digest = f"{photo.image_id.replace('-', ''):0<64}"
    made = {size: blob_keys.rendition(photo.image_id, size) for size in ("large", "medium", "thumb")}
    photo = replace(photo, sha256=digest, file_size=10, renditions=Renditions(made), **changes)
    box = Box(left=0.1, top=0.1, width=0.1, height=0.1)
    face = a_face(photo, box, thumb_key=blob_keys.face_thumb(a_face(photo, box).face_id))
    about: dict[str, Any] = {"image_id": photo.image_id, "owner": photo.owner}
    who = photo.owner if photo.guest_id is None else who_is_guest(photo.guest_id)
    keep(
        table,
        photo,
        face,
        FaceById(face_id=face.face_id, **about),
        ContentDigest(who=who, digest=digest, **about),
        TagLink(tag="sea#side", **about),
        MonthLink(scope=scope_of_owner(photo.owner), month="2025-08", **about),
        Favorite(who="fan@example.com", created_at=NOON, **about),
    )
    for key in (blob_keys.upload(photo.image_id), photo.original_key, *made.values(), face.thumb_key):
        blobs.put(str(key), [b"0123456789"])
    return photo


def stored_keys(blobs: Blobs) -> list[str]:
    return [blob.key for blob in blobs.list().blobs]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """The result of each call, or its SparksError, when all start together."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait(60)
        try:
            return call()
        except SparksError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def interrupted(table: Table, *, after: int) -> Meddled:
    """The table, until so many writes are made: then the power is out, once."""
    return Meddled(table, *[_nothing] * after, _cut_power)


def _nothing() -> None:
    pass


def _cut_power() -> None:
    raise Unavailable("the power is out")


def switch_faces(subject: str, allowed: bool, who: str, *, at: datetime, table: Table) -> None:
    """From now on faces are detected in photos of the subject, or are not."""
    table.write(consent_entry(subject, FACES, allowed=allowed, who=who, at=at))
