"""Follow, and mirror: what changes at the side that takes writes is copied to the other one and read back."""

import logging
import time
from collections.abc import Callable
from typing import Final

from sparks.library.blob_keys import UPLOADS
from sparks.migrate.engines import outbox
from sparks.migrate.engines.copier import Copier, is_copied
from sparks.migrate.engines.migrator import EngineMigrator
from sparks.model.engine_migration import EngineOutboxEntry, other_side
from sparks.table.port import Key

BATCH: Final = 400
POLL: Final = 0.02  # seconds

log = logging.getLogger(__name__)


class EngineFollower:
    """`applied` counts the entries that were copied and dropped."""

    def __init__(self, migrator: EngineMigrator) -> None:
        active = migrator.position.active
        self._migrator = migrator
        self._table = migrator.stores(active).table
        self._copier = Copier(migrator.stores(active), migrator.stores(other_side(active)), check=migrator.check)
        self.applied = 0

    def close(self) -> None:
        self._copier.close()

    def step(self) -> int:
        """Copies a batch; the number of entries that were dropped. The entry of a change that may still be made waits
        for it. One whose row was changed again meanwhile stays, too.
        """
        entries = outbox.read_entries(BATCH, table=self._table)
        return self._apply([entry for entry in entries if not outbox.is_running(entry)])

    def drain(self, *, until: Callable[[], bool]) -> None:
        """Copies until nothing is left, or the condition holds; for a side that takes no writes. A blob that is being
        stored is not waited for, since its writer carries it over: see [Note: blobs and the change-over].
        """
        while not until():
            entries = outbox.read_entries(BATCH, table=self._table)
            if not entries:
                return
            if not self._apply([entry for entry in entries if not (entry.keys and outbox.is_running(entry))]):
                time.sleep(POLL)

    def _apply(self, entries: list[EngineOutboxEntry]) -> int:
        left = self._copy(entries)
        done = [entry for entry in entries if left.isdisjoint(Key(*pair) for pair in entry.keys)]
        outbox.drop(done, table=self._table)
        self.applied += len(done)
        return len(done)

    def copy_uploads(self) -> None:
        """Copies uploads that clients sent to signed URLs of a bucket, without passing through Sparks."""
        if self._migrator.moves_blobs:
            after: str | None = None
            while True:
                page = self._copier.origin.blobs.list(UPLOADS, after=after)
                self._copier.copy_blobs(self._copier.different_sizes(blob.key for blob in page.blobs))
                if page.after is None:
                    return
                after = page.after

    def catch_up(self) -> None:
        """Copies as many entries as are waiting now."""
        done = self.applied + outbox.lag(table=self._table)[0]
        while self.applied < done and self.step():
            self._migrator.check()

    def report(self) -> int:
        return outbox.lag(table=self._table)[0]

    def _copy(self, entries: list[EngineOutboxEntry]) -> set[Key]:
        """The rows that are not equal after they were copied. A blob is checked where it is stored."""
        if self._migrator.moves_blobs:
            self._copier.copy_blobs({key for entry in entries for key in entry.blobs})
        changed = {Key(*pair) for entry in entries for pair in entry.keys}
        rows = {key for key in changed if is_copied(key)} if self._migrator.moves_rows else set[Key]()
        if not rows:
            return set()
        self._copier.copy_rows(rows)
        return {key for key, _, _ in self._copier.different_rows(rows)}
