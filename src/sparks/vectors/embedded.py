"""Vectors in this process, in a graph that usearch keeps, saved in a file beside the table.

[Note: one file, several processes] Each process has all vectors in memory, and hears of what came and went by itself.
They share the file, which only spares the next start the work of building the graph. What one of them has removed must
not come back with what another one saves, who has not heard of it yet. So a process replaces the file by what it has in
memory only if the file is its own, or if it has heard of all that happened until after the file was written. Else it
takes what it has removed out of the file that is there, and leaves the rest of it alone.
"""

import logging
import threading
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np

from sparks.model import times
from sparks.model.errors import Damaged, SparksError
from sparks.vectors.alarm import Alarm
from sparks.vectors.checks import check_asked, check_ids, check_pairs, unit_vector, unit_vectors
from sparks.vectors.crowd import FEW, Crowd, grown
from sparks.vectors.port import ANY, Near, Vector
from sparks.vectors.saved import Stamp, VectorFile

ERASE_AFTER: Final = 5.0
SAVE_AFTER: Final = 300.0
MARGIN: Final = timedelta(minutes=10)  # by which clocks and writes may be late

log = logging.getLogger(__name__)


class EmbeddedVectors:
    """Without a `path`, in memory alone. A file that is damaged, or of other dimensions, is thrown away: `position` is
    None then, and whoever follows the table builds all of it again.
    """

    def __init__(
        self,
        dimensions: int,
        path: Path | None = None,
        *,
        few: int = FEW,
        erase_after: float = ERASE_AFTER,
        save_after: float = SAVE_AFTER,
    ) -> None:
        self.dimensions = dimensions
        self._file = None if path is None else VectorFile(path)
        self._erase_after = erase_after
        self._save_after = save_after
        self._crowd = Crowd(dimensions, few=few)
        self._position: datetime | None = None
        self._stamp: Stamp | None = None
        self._changed = False
        self._removed: set[str] = set()
        self._mutex = threading.Lock()
        self._saving = threading.Lock()
        self._alarm = Alarm(self._tend)
        if self._file is not None:
            self._open(self._file, few)

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
            replaced = self._crowd.put(list(last), units[list(last.values())])
            self._changed = True
            self._removed.difference_update(last)
        self._alarm.within(self._erase_after if replaced else self._save_after)

    def remove(self, face_id: str) -> None:
        with self._mutex:
            self._changed |= self._crowd.drop(face_id)
            self._removed.add(face_id)
        self._alarm.within(self._erase_after)

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Near]:
        check_asked(k, at_least)
        unit = unit_vector(vector, self.dimensions)
        with self._mutex:
            return self._crowd.near(unit, k, at_least, within)

    def ids(self) -> set[str]:
        with self._mutex:
            return self._crowd.ids()

    def count(self) -> int:
        return len(self._crowd)

    def position(self) -> datetime | None:
        return self._position

    def advance(self, position: datetime) -> None:
        """Not worth a save by itself."""
        with self._mutex:
            self._changed |= self._position is None
            self._position = position

    def save(self) -> None:
        if self._file is None:
            return
        with self._saving, self._file.locked():
            there = self._file.stamp()
            if there is None or there == self._stamp or self._knows_all_since(there):
                self._write(self._file)
            else:
                self._clear(self._file)

    def close(self) -> None:
        """What cannot be saved is said, and made up for by whoever opens the file next."""
        self._alarm.stop()
        self._save_in_time()
        self._file = None
        with self._mutex:
            self._crowd = Crowd(self.dimensions)

    def _open(self, file: VectorFile, few: int) -> None:
        with file.locked():
            stamp = file.stamp()
            try:
                frozen = None if stamp is None else file.read()
                if frozen is not None and frozen.matrix.shape[1] == self.dimensions:
                    self._crowd = Crowd.of(frozen, few=few)
                    self._position, self._stamp = frozen.position, stamp
                    self._alarm.within(self._erase_after if self._crowd.is_worn else self._save_after)
                    return
            except Damaged as error:
                log.warning("the vectors are built from the table again: %s", error)
            file.discard()

    def _knows_all_since(self, there: Stamp) -> bool:
        return self._position is not None and self._position > there.saved_at + MARGIN

    def _write(self, file: VectorFile) -> None:
        """What was not built yet, and has no position, is not worth a file."""
        with self._mutex:
            removed, self._removed = self._removed, set()
            if not self._changed or self._position is None:
                return
            self._changed = False
            frozen = self._crowd.freeze(self._position)
        try:
            self._stamp = file.write(frozen, at=times.now())
        except OSError:
            with self._mutex:
                self._changed = True
                self._removed |= removed
            raise

    def _clear(self, file: VectorFile) -> None:
        """Takes what was removed here out of another process's file; one that cannot be read goes as a whole."""
        with self._mutex:
            removed = frozenset(self._removed)
        if not removed:
            return
        try:
            frozen = file.read()
            if not removed.isdisjoint(frozen.names):
                crowd = Crowd.of(frozen)
                for face_id in removed:
                    crowd.drop(face_id)
                file.write(crowd.freeze(frozen.position), at=times.now())
        except Damaged:
            file.discard()
        with self._mutex:
            self._removed -= removed

    def _tend(self) -> None:
        self._save_in_time()
        self._renew()

    def _renew(self) -> None:
        """Builds a worn graph anew, while the old one still answers."""
        with self._mutex:
            if not self._crowd.is_worn:
                return
            crowd, (rows, vectors) = self._crowd, self._crowd.begin_renewal()
        graph = grown(rows, vectors)
        with self._mutex:
            crowd.finish_renewal(graph)
            self._changed = True
            worn = crowd.is_worn
        self._alarm.within(self._erase_after if worn else self._save_after)

    def _save_in_time(self) -> None:
        try:
            self.save()
        except SparksError as error:
            log.warning("the vectors could not be saved; trying again: %s", error)
            self._alarm.within(self._erase_after)
        else:
            if self._changed:
                self._alarm.within(self._save_after)
