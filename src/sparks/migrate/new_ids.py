"""Ids that migrated photos and albums get in Sparks: always the same for the same row."""

from datetime import datetime
from hashlib import sha256

from sparks.model.errors import BadInput
from sparks.model.ids import is_uuid, time_of, uuid7_of
from sparks.model.times import EPOCH


def new_id_of(old_id: str, created_at: datetime | None) -> str:
    """A UUIDv7 of the row's time, or of 1970 where that is unknown or earlier, and of a hash of its old id. An id that
    is a UUIDv7 already stays as it is.
    """
    if _is_uuid7(old_id):
        return old_id
    time = EPOCH if created_at is None else max(created_at, EPOCH)
    return uuid7_of(time, int.from_bytes(sha256(old_id.encode()).digest()))


def _is_uuid7(text: str) -> bool:
    try:
        return is_uuid(text) and bool(time_of(text))
    except BadInput:
        return False
