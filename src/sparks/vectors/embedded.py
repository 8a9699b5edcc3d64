"""Vectors in this process, in a usearch index saved beside the table.

[Note: one vector file for several processes] Each process has all vectors in memory and follows the changes in the
table by itself. The processes share the file, which only saves the next start from building the graph. A vector that
one process removed must not come back when another process, which does not know of the removal yet, saves. So a process
replaces the file with its own vectors only if it wrote the file, or if it has applied all changes until after the file
was written. Otherwise it only takes the vectors that it removed out of the file.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np

from sparks.model import times
from sparks.model.errors import Damaged, SparksError
from sparks.vectors.ann_index import MAX_EXHAUSTIVE, AnnIndex, built_graph
from sparks.vectors.checks import check_ids, check_nearest, check_pairs, unit_vector, unit_vectors
from sparks.vectors.index_file import FileStamp, IndexFile
from sparks.vectors.port import ANY, Neighbor, Vector

ERASE_AFTER: Final = 5.0
SAVE_AFTER: Final = 300.0
CLOCK_MARGIN: Final = timedelta(minutes=10)  # tolerance for clocks that differ and writes that are late
log = logging.getLogger(__name__)


class Debounce:
    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._mutex = threading.Lock()
        self._working = threading.Lock()
        self._timer: threading.Timer | None = None
        self._due = 0.0
        self._stopped = False

    def within(self, seconds: float) -> None:
        """Runs the work once within so many seconds, or earlier if an earlier call asked for that."""
        due = time.monotonic() + seconds
        with self._mutex:
            if self._stopped or (self._timer is not None and self._due <= due):
                return
            self._cancel()
            self._due = due
            self._timer = threading.Timer(seconds, self._run)
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """Waits for running work; no work starts afterwards."""
        with self._mutex:
            self._stopped = True
            self._cancel()
        with self._working:
            return

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _run(self) -> None:
        with self._working:
            with self._mutex:
                self._timer = None
                stopped = self._stopped
            if not stopped:
                self._work()


class EmbeddedVectors:
    """Without a `path`, the vectors are only in memory. A file that is damaged or has other dimensions is deleted: then
    `position` is None, and the face index is built from the table again.
    """

    def __init__(
        self,
        dimensions: int,
        path: Path | None = None,
        *,
        max_exhaustive: int = MAX_EXHAUSTIVE,
        erase_after: float = ERASE_AFTER,
        save_after: float = SAVE_AFTER,
    ) -> None:
        self.dimensions = dimensions
        self._file = None if path is None else IndexFile(path)
        self._erase_after = erase_after
        self._save_after = save_after
        self._index = AnnIndex(dimensions, max_exhaustive=max_exhaustive)
        self._position: datetime | None = None
        self._stamp: FileStamp | None = None
        self._changed = False
        self._removed: set[str] = set()
        self._mutex = threading.Lock()
        self._saving = threading.Lock()
        self._debounce = Debounce(self._maintain)
        if self._file is not None:
            self._open(self._file, max_exhaustive)

    def add(self, face_id: str, vector: Vector) -> None:
        self.add_many([face_id], np.asarray(vector)[np.newaxis])

    def add_many(self, face_ids: Sequence[str], vectors: Vector) -> None:
        check_ids(face_ids)
        check_pairs(face_ids, vectors)
        if not face_ids:
            return
        units = unit_vectors(vectors, self.dimensions)
        last = {face_id: place for place, face_id in enumerate(face_ids)}
        with self._mutex:
            replaced = self._index.put(list(last), units[list(last.values())])
            self._changed = True
            self._removed.difference_update(last)
        self._debounce.within(self._erase_after if replaced else self._save_after)

    def remove(self, face_id: str) -> None:
        with self._mutex:
            self._changed |= self._index.drop(face_id)
            self._removed.add(face_id)
        self._debounce.within(self._erase_after)

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Neighbor]:
        check_nearest(k, at_least)
        unit = unit_vector(vector, self.dimensions)
        with self._mutex:
            return self._index.nearest(unit, k, at_least, within)

    def ids(self) -> set[str]:
        with self._mutex:
            return self._index.ids()

    def count(self) -> int:
        return len(self._index)

    def position(self) -> datetime | None:
        return self._position

    def advance(self, position: datetime) -> None:
        """Only the first position is worth a save by itself."""
        with self._mutex:
            self._changed |= self._position is None
            self._position = position

    def save(self) -> None:
        """See [Note: one vector file for several processes]."""
        if self._file is None:
            return
        with self._saving, self._file.locked():
            there = self._file.stamp()
            if there is None or there == self._stamp or self._is_newer_than(there):
                self._write(self._file)
            else:
                self._clear(self._file)

    def close(self) -> None:
        """Logs a failed save; the next process that opens the file makes up for it."""
        self._debounce.stop()
        self._save_in_time()
        self._file = None
        with self._mutex:
            self._index = AnnIndex(self.dimensions)

    def _open(self, file: IndexFile, max_exhaustive: int) -> None:
        with file.locked():
            stamp = file.stamp()
            try:
                snapshot = None if stamp is None else file.read()
                if snapshot is not None and snapshot.matrix.shape[1] == self.dimensions:
                    self._index = AnnIndex.of(snapshot, max_exhaustive=max_exhaustive)
                    self._position, self._stamp = snapshot.position, stamp
                    self._debounce.within(self._erase_after if self._index.needs_rebuild else self._save_after)
                    return
            except Damaged as error:
                log.warning("the vectors are built from the table again: %s", error)
            file.discard()

    def _is_newer_than(self, there: FileStamp) -> bool:
        return self._position is not None and self._position > there.saved_at + CLOCK_MARGIN

    def _write(self, file: IndexFile) -> None:
        """Writes the file, except where nothing has changed or the index has no position yet."""
        with self._mutex:
            removed, self._removed = self._removed, set()
            if not self._changed or self._position is None:
                return
            self._changed = False
            snapshot = self._index.snapshot(self._position)
        try:
            self._stamp = file.write(snapshot, at=times.now())
        except OSError:
            with self._mutex:
                self._changed = True
                self._removed |= removed
            raise

    def _clear(self, file: IndexFile) -> None:
        """Takes the vectors removed here out of another process's file; a damaged file is deleted."""
        with self._mutex:
            removed = frozenset(self._removed)
        if not removed:
            return
        try:
            snapshot = file.read()
            if not removed.isdisjoint(snapshot.names):
                index = AnnIndex.of(snapshot)
                for face_id in removed:
                    index.drop(face_id)
                file.write(index.snapshot(snapshot.position), at=times.now())
        except Damaged:
            file.discard()
        with self._mutex:
            self._removed -= removed

    def _maintain(self) -> None:
        self._save_in_time()
        self._rebuild_graph()

    def _rebuild_graph(self) -> None:
        """Builds a new graph where needed, while the old one stays in use."""
        with self._mutex:
            if not self._index.needs_rebuild:
                return
            index, (rows, vectors) = self._index, self._index.begin_rebuild()
        graph = built_graph(rows, vectors)
        with self._mutex:
            index.finish_rebuild(graph)
            self._changed = True
            worn = index.needs_rebuild
        self._debounce.within(self._erase_after if worn else self._save_after)

    def _save_in_time(self) -> None:
        try:
            self.save()
        except SparksError as error:
            log.warning("the vectors could not be saved; trying again: %s", error)
            self._debounce.within(self._erase_after)
        else:
            if self._changed:
                self._debounce.within(self._save_after)
