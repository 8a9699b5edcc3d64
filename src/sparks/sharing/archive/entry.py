"""An entry of an archive as it is planned: which blob, under which name, how long and of what time."""

import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from sparks.library.sealing import seal_bytes, unseal_bytes
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.times import EPOCH, unix, zone

PURPOSE: Final = "archive"
FIRST_CLOCK: Final = 1 << 21 | 1 << 16  # the first of January 1980: zip files know nothing before
YEARS: Final = range(1980, 2108)


class PlannedEntry(msgspec.Struct, frozen=True, array_like=True):
    """`etag` is that of the blob, where it may be replaced; an original never is. `veil` is the type of a file that is
    given with a veil over it.
    """

    image_id: str
    owner: str
    key: str
    name: str
    size: int
    clock: int
    time: int
    etag: str | None = None
    veil: str | None = None


def clock_of(photo: Photo) -> tuple[int, int]:
    """When it was taken, as a zip file writes it: by the photographer's clock, to two seconds; and in Unix seconds."""
    taken = photo.taken_at or photo.uploaded_at or EPOCH
    try:
        local = taken.astimezone(zone(photo.taken_offset))
    except OverflowError:
        local = taken
    return packed_clock(local), unix(taken)


def packed_clock(local: datetime) -> int:
    if local.year not in YEARS:
        return FIRST_CLOCK
    date = (local.year - YEARS.start) << 9 | local.month << 5 | local.day
    return date << 16 | local.hour << 11 | local.minute << 5 | local.second // 2


def pack(entries: Sequence[PlannedEntry], *, archive_id: str, number: int, keyring: Keyring) -> str:
    """Sealed: a photo that is deleted meanwhile is not to be found by its id or name in what is kept here."""
    packed = zlib.compress(msgspec.msgpack.encode(entries), 1)
    return seal_bytes(PURPOSE, packed, keyring, bound=(archive_id, str(number)))


def unpack(sealed: str, *, archive_id: str, number: int, keyring: Keyring) -> list[PlannedEntry]:
    """BadSignature where the secret that it was sealed with is gone."""
    packed = unseal_bytes(PURPOSE, sealed, keyring, bound=(archive_id, str(number)))
    return msgspec.msgpack.decode(zlib.decompress(packed), type=list[PlannedEntry])
