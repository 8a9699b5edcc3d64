"""Plans of archives as they are kept: one row that tells what it is, and one for some hundred entries.

[Note: nobody named] A plan outlives what it is made of by some days. So whom it is for is kept as a keyed hash, and its
entries are sealed.
"""

import hmac
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.model.archive import Archive, ArchivePart, LatestArchive
from sparks.model.errors import BadSignature, ConditionFailed, NotFound
from sparks.model.keyring import Keyring
from sparks.model.times import has_passed
from sparks.sharing.archive.entry import PURPOSE, PlannedEntry, unpack
from sparks.table.port import Delete, Equals, Key, Put, Set, Table, every

KEPT_FOR: Final = timedelta(days=3)
DELETED_AT_ONCE: Final = 100
GONE: Final = "there is no such archive (any more): ask for it again"


def hashed(text: str, *, keyring: Keyring) -> str:
    """Tells whether two are the same, and nothing else."""
    return hmac.digest(keyring.derive(PURPOSE, keyring.current), text.encode(), "sha256").hex()[:40]


def find_archive(archive_id: str, *, at: datetime, table: Table) -> Archive:
    """NotFound where there is none, or its time is up."""
    item = table.get(keys.archive(archive_id))
    archive = None if item is None else from_item(Archive, item)
    if archive is None or has_passed(archive.expires_at, at=at):
        raise NotFound(GONE)
    return archive


def latest_archive(about: str, *, at: datetime, table: Table) -> Archive | None:
    """The one that was planned last of this."""
    item = table.get(keys.latest_archive(about))
    if item is None:
        return None
    try:
        return find_archive(from_item(LatestArchive, item).archive_id, at=at, table=table)
    except NotFound:
        return None


def keep_archive(archive: Archive, *, table: Table) -> None:
    """From now on it can be found; its parts are there already."""
    latest = LatestArchive(about=archive.about, archive_id=archive.archive_id, ttl=archive.ttl)
    table.write(Put(to_item(archive)), Put(to_item(latest)))


def drop_archive(archive_id: str, *, table: Table) -> None:
    """With all that belongs to it. What is not there (any more): nothing happens."""
    rows = [Key(row["PK"], row["SK"]) for row in every(table, keys.archive_rows(archive_id), only=frozenset())]
    for start in range(0, len(rows), DELETED_AT_ONCE):
        table.write(*map(Delete, rows[start : start + DELETED_AT_ONCE]))


def renew_archive(archive: Archive, *, table: Table) -> None:
    """It becomes another file, of which nothing is known yet. Twice for the same reason: it happens once."""
    key, generation = keys.archive(archive.archive_id), archive.generation
    try:
        table.write(Set(key, {"generation": generation + 1}, when=(Equals("generation", generation),)))
    except ConditionFailed:
        return


def parts_of(archive: Archive, *, first: int = 0, table: Table, keyring: Keyring) -> Iterator[list[PlannedEntry]]:
    """The entries, part by part. NotFound where they cannot be read any more."""
    for number in range(first, len(archive.part_starts)):
        item = table.get(keys.archive_part(archive.archive_id, number))
        if item is None:
            raise NotFound(GONE)
        sealed = from_item(ArchivePart, item).entries
        try:
            yield unpack(sealed, archive_id=archive.archive_id, number=number, keyring=keyring)
        except BadSignature as error:
            raise NotFound(GONE) from error
