"""Backfill of a migration between engines: all blobs, then all rows, page by page.

A page is checkpointed once it is durable, so that a killed run goes on from there. What changes meanwhile is in the
outbox. A target that held data before is made equal: what is only there is deleted.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

from sparks.blobs.port import BlobInfo, Blobs
from sparks.migrate.engines.copier import Copier, is_copied, key_of_item
from sparks.migrate.engines.migrator import HELD_DATA, EngineMigrator
from sparks.model.errors import NotFound
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.table.port import Delete, Key, Table

ROWS: Final = 800  # in a page
BLOBS: Final = 1000
DONE: Final = "done"

Progress = Callable[[str, int, int], None]


class EngineBackfill:
    def __init__(self, migrator: EngineMigrator, *, on_progress: Progress) -> None:
        self._migrator = migrator
        self._on_progress = on_progress
        self._copier = Copier(
            migrator.stores(WriteSide.SOURCE), migrator.stores(WriteSide.TARGET), check=migrator.check
        )
        self._held_data = HELD_DATA in migrator.row(WriteSide.SOURCE).checkpoints

    def run(self) -> None:
        """Copies all from where an earlier run ended."""
        with closing(self._copier):
            if self._migrator.moves_blobs and not self._is_done("blobs"):
                self._copy_blobs()
            if self._migrator.moves_rows and not self._is_done("rows"):
                self._copy_rows()
        self._migrator.note(phase=MigrationPhase.BACKFILLED)

    # -- Blobs

    def _copy_blobs(self) -> None:
        """Only the page after the checkpoint may be there in part, unless the target held data before."""
        after = self._checkpoint("blobs")
        may_be_there = True
        while True:
            page = self._copier.origin.blobs.list(limit=BLOBS, after=after)
            there = _between(after, page.after, self._copier.to.blobs) if may_be_there else {}
            may_be_there = self._held_data
            here = {blob.key: blob for blob in page.blobs}
            self._copier.copy_blobs(key for key in here if self._differs(here[key], there.get(key)))
            self._copier.copy_blobs(there.keys() - here.keys())
            after = page.after
            self._note("blobs", len(page.blobs), {"blobs": after or DONE})
            if after is None:
                return

    def _differs(self, here: BlobInfo, there: BlobInfo | None) -> bool:
        if there is None or here.size != there.size:
            return True
        return self._held_data and not self._same_hash(here.key)

    def _same_hash(self, key: str) -> bool:
        try:
            here, there = self._copier.origin.blobs.head(key), self._copier.to.blobs.head(key)
        except NotFound:
            return False
        return here.sha256 is not None and here.sha256 == there.sha256

    # -- Rows

    def _copy_rows(self) -> None:
        after = self._row_checkpoint()
        while True:
            page = self._copier.origin.table.scan(limit=ROWS, after=after)
            self._copier.put_rows(item for item in page.items if is_copied(key_of_item(item)))
            after = page.after
            copied = sum(is_copied(key_of_item(item)) for item in page.items)
            self._note("rows", copied, {"rows": DONE} if after is None else {"pk": after.pk, "sk": after.sk})
            if after is None:
                break
        if self._held_data:
            self._delete_outdated()

    def _delete_outdated(self) -> None:
        for page in scanned(self._copier.to.table):
            here = self._copier.origin.table.get_many(page)
            self._copier.each(
                lambda key: self._copier.to.table.write(Delete(key)), [key for key in page if key not in here]
            )

    # -- Checkpoints

    def _checkpoint(self, kind: str) -> str | None:
        return self._migrator.row(WriteSide.SOURCE).checkpoints.get(kind)

    def _row_checkpoint(self) -> Key | None:
        pk, sk = self._checkpoint("pk"), self._checkpoint("sk")
        return None if pk is None or sk is None else Key(pk, sk)

    def _is_done(self, kind: str) -> bool:
        return self._checkpoint(kind) == DONE

    def _note(self, kind: str, copied: int, checkpoints: dict[str, str]) -> None:
        state = self._migrator.row(WriteSide.SOURCE)
        done = state.counts.get(kind, 0) + copied
        self._migrator.note(counts={**state.counts, kind: done}, checkpoints={**state.checkpoints, **checkpoints})
        self._on_progress(kind, done, done)


def scanned(table: Table) -> Iterator[list[Key]]:
    """The keys of all rows of the library, page by page."""
    after: Key | None = None
    while True:
        page = table.scan(limit=ROWS, after=after)
        yield [key for key in map(key_of_item, page.items) if is_copied(key)]
        if page.after is None:
            return
        after = page.after


def _between(after: str | None, last: str | None, blobs: Blobs) -> dict[str, BlobInfo]:
    """The blobs after one key and up to another."""
    found: dict[str, BlobInfo] = {}
    while True:
        page = blobs.list(limit=BLOBS, after=after)
        found |= {blob.key: blob for blob in page.blobs if last is None or blob.key <= last}
        if page.after is None or (last is not None and page.after >= last):
            return found
        after = page.after
