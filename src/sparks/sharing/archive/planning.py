"""Planning an archive: every entry has its slot, and the length of the whole is known, before a byte of it is read.

Entries come from any iterator, and only some hundred are held at a time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import Final

import msgspec

from sparks.library.records import to_item
from sparks.library.sealing import seal, unseal
from sparks.model.archive import Archive, ArchivePart
from sparks.model.errors import BadSignature, NotFound
from sparks.model.ids import random_id
from sparks.model.keyring import Keyring
from sparks.sharing.archive import form
from sparks.sharing.archive.choosing import Wanted
from sparks.sharing.archive.entry import PlannedEntry, pack
from sparks.sharing.archive.keeping import GONE, KEPT_FOR, drop_archive, hashed, keep_archive, latest_archive
from sparks.table.port import Put, Table

PART: Final = 500  # entries
WRITTEN_AT_ONCE: Final = 10  # parts
TITLE: Final = "archive title"
NOTHING: Final = "there is no photo here for you to take home"


@dataclass(frozen=True, slots=True)
class Purpose:
    """Whom an archive is for, what it is of, which files of it, and what it is called: all in plain words."""

    who: str
    what: str
    wanted: Wanted
    title: str


def plan_archive(
    entries: Iterable[PlannedEntry], purpose: Purpose, *, at: datetime, table: Table, keyring: Keyring
) -> Archive:
    """The archive of these entries, kept for some days. Where the last one about this has just the same in it, that
    one stays: whoever has begun with it can go on. NotFound where there are no entries.
    """
    draft = _Draft(at, table, keyring)
    try:
        archive = draft.take(entries, purpose)
        known = latest_archive(archive.about, at=at, table=table)
        if known is not None and known.digest == archive.digest:
            drop_archive(archive.archive_id, table=table)
            return known
        keep_archive(archive, table=table)
    except BaseException:
        drop_archive(draft.archive_id, table=table)
        raise
    return archive


def about_of(purpose: Purpose, *, keyring: Keyring) -> str:
    """What all archives of the same things for the same caller have in common."""
    return hashed(f"{purpose.who}\n{purpose.what}\n{purpose.wanted}", keyring=keyring)


def title_of(archive: Archive, *, keyring: Keyring) -> str:
    """NotFound where the secret that sealed it is gone, and all else with it."""
    try:
        return unseal(TITLE, archive.title, keyring)
    except BadSignature as error:
        raise NotFound(GONE) from error


class _Draft:
    def __init__(self, at: datetime, table: Table, keyring: Keyring) -> None:
        self.archive_id = random_id()
        self._at = at
        self._until = at + KEPT_FOR
        self._table = table
        self._keyring = keyring
        self._count = self._offset = self._central = 0
        self._starts: list[int] = []
        self._digest = blake2b(digest_size=16)
        self._waiting: list[ArchivePart] = []

    def take(self, entries: Iterable[PlannedEntry], purpose: Purpose) -> Archive:
        each = iter(entries)
        while some := list(islice(each, PART)):
            self._add(some)
        self._write()
        if not self._count:
            raise NotFound(NOTHING)
        wide = form.needs_wide_end(self._count, self._offset, self._central)
        return Archive(
            archive_id=self.archive_id,
            made_for=hashed(purpose.who, keyring=self._keyring),
            about=about_of(purpose, keyring=self._keyring),
            wanted=str(purpose.wanted),
            title=seal(TITLE, purpose.title, self._keyring),
            photo_count=self._count,
            byte_count=self._offset + form.RESERVE + self._central + form.end_size(wide=wide),
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
            self._central += form.record_size(entry, self._offset)
            self._offset += form.slot_size(entry)
        self._count += len(entries)
        self._digest.update(msgspec.msgpack.encode(entries))
        sealed = pack(entries, archive_id=self.archive_id, number=number, keyring=self._keyring)
        self._waiting.append(ArchivePart(archive_id=self.archive_id, number=number, entries=sealed, ttl=self._until))
        if len(self._waiting) == WRITTEN_AT_ONCE:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self._table.write(*(Put(to_item(part)) for part in self._waiting))
            self._waiting.clear()
