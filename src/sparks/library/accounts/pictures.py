"""The picture that shows a user: one blob, under a new name each time, and its key in the user's row."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import objects
from sparks.library.accounts.changing import change_user
from sparks.model.account import User
from sparks.model.errors import Conflict, NotFound
from sparks.model.ids import random_id
from sparks.table.port import Change, Table

JPEG: Final = "image/jpeg"


def keep_picture(email: str, picture: bytes, *, table: Table, blobs: Blobs) -> User:
    """The user as they are now, shown by this JPEG; what showed them before is gone. NotFound where there is no such
    user.

    [Note: no answer] Where nobody knows whether the row was written, the picture stays: a sweep looks whether it shows
    anybody.
    """
    key = objects.profile_picture(random_id())
    blobs.put(key, [picture], content_type=JPEG)
    try:
        return _show_by(email, key, table=table, blobs=blobs)
    except (Conflict, NotFound):
        blobs.delete(key)
        raise


def drop_picture(email: str, *, table: Table, blobs: Blobs) -> User:
    """The user as they are now, shown by no picture. A repeat is harmless."""
    return _show_by(email, None, table=table, blobs=blobs)


def _show_by(email: str, key: str | None, *, table: Table, blobs: Blobs) -> User:
    """[Note: the one before] The row is written only if it still names the picture that was read: so each picture that
    is replaced is deleted by the one who replaced it.
    """
    before: str | None = None

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        nonlocal before
        before = user.profile_picture
        return replace(user, profile_picture=key), ()

    changed = change_user(email, plan, table=table)
    if before not in (None, key) and before.startswith(objects.PROFILE_PICTURES):
        blobs.delete(before)
    return changed
