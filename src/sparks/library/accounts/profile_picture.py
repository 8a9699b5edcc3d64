"""Profile pictures of users: one blob each, and its key in the user's row."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.accounts.users import update_user
from sparks.model.account import User
from sparks.model.errors import Conflict, NotFound
from sparks.model.ids import random_id
from sparks.table.port import Change, Table

JPEG: Final = "image/jpeg"


def store_picture(email: str, picture: bytes, *, table: Table, blobs: Blobs) -> User:
    """The user as they are now, with this JPEG; the former picture is deleted. NotFound where there is no such user.

    Where it is unknown whether the row was written, the picture stays: a sweep finds out whether a user has it.
    """
    key = blob_keys.profile_picture(random_id())
    blobs.put(key, [picture], content_type=JPEG)
    try:
        return _show_by(email, key, table=table, blobs=blobs)
    except (Conflict, NotFound):
        blobs.delete(key)
        raise


def drop_picture(email: str, *, table: Table, blobs: Blobs) -> User:
    """The user as they are now, without a picture. A repeat is harmless."""
    return _show_by(email, None, table=table, blobs=blobs)


def _show_by(email: str, key: str | None, *, table: Table, blobs: Blobs) -> User:
    """The row is written only if it still names the picture that was read: so each replaced picture is deleted by the
    request that replaced it.
    """
    before: str | None = None

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        nonlocal before
        before = user.profile_picture
        return replace(user, profile_picture=key), ()

    changed = update_user(email, plan, table=table)
    if before not in (None, key) and before.startswith(blob_keys.PROFILE_PICTURES):
        blobs.delete(before)
    return changed
