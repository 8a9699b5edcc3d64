"""Planner of an archive: offset of every entry, and the total length.

Entries come from any iterator; only some hundred are in memory at a time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import Final

import msgspec

from sparks.library.encryption import seal, unseal
from sparks.library.records import to_item
from sparks.model.archive import Archive, ArchivePart
from sparks.model.errors import BadSignature, NotFound
from sparks.model.ids import random_id
from sparks.model.keyring import Keyring
from sparks.table.port import Put, Table
from sparks.takeout.archive import zip_format
from sparks.takeout.archive.file_choice import ArchiveChoice
from sparks.takeout.archive.plan_store import (
    GONE,
    KEEP_FOR,
    PlannedEntry,
    drop_archive,
    keyed_hash,
    latest_archive,
    pack_entries,
    store_archive,
)

PART_SIZE: Final = 500  # entries
WRITE_BATCH: Final = 10  # parts
TITLE: Final = "archive title"
NO_PHOTOS: Final = "there is no photo here that you can download"


@dataclass(frozen=True, slots=True)
class ArchivePurpose:
    """The caller, the photos, the choice of files and the title of an archive, as plain text."""

    who: str
    what: str
    wanted: ArchiveChoice
    title: str


def plan_archive(
    entries: Iterable[PlannedEntry], purpose: ArchivePurpose, *, at: datetime, table: Table, keyring: Keyring
) -> Archive:
    """Plans and stores the archive of these entries. Where the latest archive for this purpose has the same entries,
    that one is returned, so that a download of it can be resumed. NotFound where there are no entries.
    """
    draft = _Draft(at, table, keyring)
    try:
        archive = draft.take(entries, purpose)
        known = latest_archive(archive.about, at=at, table=table)
        if known is not None and known.digest == archive.digest:
            drop_archive(archive.archive_id, table=table)
            return known
        store_archive(archive, table=table)
    except BaseException:
        drop_archive(draft.archive_id, table=table)
        raise
    return archive


def purpose_key(purpose: ArchivePurpose, *, keyring: Keyring) -> str:
    """The key that all archives of the same files for the same caller share."""
    return keyed_hash(f"{purpose.who}\n{purpose.what}\n{purpose.wanted}", keyring=keyring)


def title_of(archive: Archive, *, keyring: Keyring) -> str:
    """NotFound where the secret that sealed the title is retired: the entries cannot be read then either."""
    try:
        return unseal(TITLE, archive.title, keyring)
    except BadSignature as error:
        raise NotFound(GONE) from error


class _Draft:
    def __init__(self, at: datetime, table: Table, keyring: Keyring) -> None:
        self.archive_id = random_id()
        self._at = at
        self._until = at + KEEP_FOR
        self._table = table
        self._keyring = keyring
        self._count = self._offset = self._central = 0
        self._starts: list[int] = []
        self._digest = blake2b(digest_size=16)
        self._waiting: list[ArchivePart] = []

    def take(self, entries: Iterable[PlannedEntry], purpose: ArchivePurpose) -> Archive:
        each = iter(entries)
        while some := list(islice(each, PART_SIZE)):
            self._add(some)
        self._write()
        if not self._count:
            raise NotFound(NO_PHOTOS)
        wide = zip_format.needs_wide_end(self._count, self._offset, self._central)
        return Archive(
            archive_id=self.archive_id,
            made_for=keyed_hash(purpose.who, keyring=self._keyring),
            about=purpose_key(purpose, keyring=self._keyring),
            wanted=str(purpose.wanted),
            title=seal(TITLE, purpose.title, self._keyring),
            photo_count=self._count,
            byte_count=self._offset + zip_format.RESERVE + self._central + zip_format.end_size(wide=wide),
            slots_end=self._offset,
            central_bytes=self._central,
            part_starts=tuple(self._starts),
            digest=self._digest.hexdigest(),
            created_at=self._at,
            expires_at=self._until,
            ttl=self._until,
        )

    def _add(self, entries: list[PlannedEntry]) -> None:
        number = len(self._starts)
        self._starts.append(self._offset)
        for entry in entries:
            self._central += zip_format.directory_record_size(entry, self._offset)
            self._offset += zip_format.slot_size(entry)
        self._count += len(entries)
        self._digest.update(msgspec.msgpack.encode(entries))
        sealed = pack_entries(entries, archive_id=self.archive_id, number=number, keyring=self._keyring)
        self._waiting.append(ArchivePart(archive_id=self.archive_id, number=number, entries=sealed, ttl=self._until))
        if len(self._waiting) == WRITE_BATCH:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self._table.write(*(Put(to_item(part)) for part in self._waiting))
            self._waiting.clear()
