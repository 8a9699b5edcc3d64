"""Archive plans as stored: one row, and rows of sealed entries.

A plan may outlive its photos by some days. So it names no one: its caller is stored as a keyed hash, and its entries
are sealed.
"""

import hmac
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from sparks.library import keys
from sparks.library.encryption import seal_bytes, unseal_bytes
from sparks.library.records import from_item, to_item
from sparks.model.archive import Archive, ArchivePart, LatestArchive
from sparks.model.errors import BadSignature, ConditionFailed, NotFound
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.times import EPOCH, has_passed, unix, zone
from sparks.table.port import Delete, Equals, Key, Put, Set, Table, every

PURPOSE: Final = "archive"
FIRST_CLOCK: Final = 1 << 21 | 1 << 16  # the first of January 1980, the earliest date in a zip file
YEARS: Final = range(1980, 2108)
KEEP_FOR: Final = timedelta(days=3)
DELETE_BATCH: Final = 90  # wrappers of the table add changes
GONE: Final = "there is no such archive (any more): ask for it again"


class PlannedEntry(msgspec.Struct, frozen=True, array_like=True):
    """`etag` is that of the blob, for a rendition, which may be replaced; an original never is. `strip_type` is the
    type of a file whose metadata are stripped. The order of the fields is the stored form.
    """

    image_id: str
    owner: str
    key: str
    name: str
    size: int
    clock: int
    time: int
    etag: str | None = None
    strip_type: str | None = None


def clock_of(photo: Photo) -> tuple[int, int]:
    """The time of the photo: in the DOS format of zip files, by the photographer's clock, and in Unix seconds."""
    taken = photo.time or EPOCH
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


def pack_entries(entries: Sequence[PlannedEntry], *, archive_id: str, number: int, keyring: Keyring) -> str:
    """The entries, compressed and sealed, so that the row reveals no id or name of a deleted photo."""
    packed = zlib.compress(msgspec.msgpack.encode(entries), 1)
    return seal_bytes(PURPOSE, packed, keyring, bound=(archive_id, str(number)))


def unpack_entries(sealed: str, *, archive_id: str, number: int, keyring: Keyring) -> list[PlannedEntry]:
    """BadSignature where the secret that sealed the entries is retired."""
    packed = unseal_bytes(PURPOSE, sealed, keyring, bound=(archive_id, str(number)))
    return msgspec.msgpack.decode(zlib.decompress(packed), type=list[PlannedEntry])


def keyed_hash(text: str, *, keyring: Keyring) -> str:
    """A hash that only shows whether two texts are the same."""
    return hmac.digest(keyring.derive(PURPOSE, keyring.current), text.encode(), "sha256").hex()[:40]


def find_archive(archive_id: str, *, at: datetime, table: Table) -> Archive:
    """NotFound where there is none, or it has expired."""
    item = table.get(keys.archive(archive_id))
    archive = None if item is None else from_item(Archive, item)
    if archive is None or has_passed(archive.expires_at, at=at):
        raise NotFound(GONE)
    return archive


def latest_archive(about: str, *, at: datetime, table: Table) -> Archive | None:
    """The archive that was planned last for this purpose."""
    item = table.get(keys.latest_archive(about))
    if item is None:
        return None
    try:
        return find_archive(from_item(LatestArchive, item).archive_id, at=at, table=table)
    except NotFound:
        return None


def store_archive(archive: Archive, *, table: Table) -> None:
    """Makes the archive findable. Its parts must be stored already."""
    latest = LatestArchive(about=archive.about, archive_id=archive.archive_id, ttl=archive.ttl)
    table.write(Put(to_item(archive)), Put(to_item(latest)))


def drop_archive(archive_id: str, *, table: Table) -> None:
    """Deletes all rows of the archive. Nothing happens where there are none."""
    rows = [Key(row["PK"], row["SK"]) for row in every(table, keys.archive_rows(archive_id), only=frozenset())]
    for start in range(0, len(rows), DELETE_BATCH):
        table.write(*map(Delete, rows[start : start + DELETE_BATCH]))


def renew_archive(archive: Archive, *, table: Table) -> None:
    """Starts a new generation of the archive, without states of its entries. Nothing happens where that was done
    already.
    """
    key, generation = keys.archive(archive.archive_id), archive.generation
    try:
        table.write(Set(key, {"generation": generation + 1}, when=(Equals("generation", generation),)))
    except ConditionFailed:
        return


def stored_parts(archive: Archive, *, first: int = 0, table: Table, keyring: Keyring) -> Iterator[list[PlannedEntry]]:
    """The entries, part by part. NotFound where their rows are deleted or cannot be unsealed."""
    for number in range(first, len(archive.part_starts)):
        item = table.get(keys.archive_part(archive.archive_id, number))
        if item is None:
            raise NotFound(GONE)
        sealed = from_item(ArchivePart, item).entries
        try:
            yield unpack_entries(sealed, archive_id=archive.archive_id, number=number, keyring=keyring)
        except BadSignature as error:
            raise NotFound(GONE) from error
