"""Vector index of one engine's faces, built from the table and kept current.

It is built from the rows of faces at first, and again when the saved copy is lost; from then on it follows the face
log. Each process with vectors of its own follows the log itself.

[Note: faces that move between lists] A face that is assigned to a person while the lists of faces are read may be in
none of the lists at the time each is read. So unassigned faces are read twice, before the persons and after them, and
may be seen twice; a face that no list showed is looked up by its id before it is removed; and a new index is compared
twice, so that a face is missed only if it moves both times.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import numpy as np

from sparks.library import entity_types, keys
from sparks.library.face_log import OVERLAP, entries_between, faces_by_id
from sparks.library.records import read_items
from sparks.model.face import Face, FaceChange
from sparks.model.person import Person
from sparks.model.times import EPOCH
from sparks.table.port import Item, Table, every
from sparks.vectors.port import ANY, Neighbor, Vector, Vectors

SHORT_OVERLAP: Final = timedelta(seconds=10)
LONG_OVERLAP_EVERY: Final = timedelta(minutes=1)
BATCH_SIZE: Final = 2000  # faces
KEYS_ONLY: Final = frozenset[str]()
HALF: Final = np.dtype("<f2")


def listed_faces(
    person_ids: Iterable[str], *, only: frozenset[str] | None = None, page: int = 500, table: Table
) -> Iterator[Item]:
    """The rows of the faces of these persons, and of unassigned faces before and after them; with `only`, these
    attributes beside their keys. See [Note: faces that move between lists].
    """
    for person_id in (None, *person_ids, None):
        yield from every(table, entity_types.face(person_id), page=page, only=only)


class IndexedChange(NamedTuple):
    at: datetime
    face_id: str
    change: FaceChange


class FaceIndex:
    """`vectors` holds the faces whose embeddings `engine` made, and no others. It is thread-safe."""

    def __init__(self, vectors: Vectors, *, engine: str, table: Table) -> None:
        self._vectors = vectors
        self._engine = engine
        self._table = table
        self._processed: frozenset[IndexedChange] = frozenset()
        self._thorough_at = EPOCH
        self._lock = threading.RLock()

    @property
    def engine(self) -> str:
        return self._engine

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Neighbor]:
        """The nearest faces of those that are indexed by now. Their rows decide to whom they belong, and whether they
        still exist.
        """
        return self._vectors.nearest(vector, k, at_least, within=within)

    def count(self) -> int:
        """The number of indexed faces."""
        return self._vectors.count()

    def held(self, face_ids: Iterable[str]) -> set[str]:
        """Those of the faces that are indexed."""
        return self._vectors.ids() & set(face_ids)

    def forget(self, face_ids: Iterable[str]) -> None:
        """Removes these faces, whose rows are deleted, from memory and from the saved copy.

        Waits for a running `catch_up`, which may have read such a row before it was deleted.
        """
        with self._lock:
            for face_id in face_ids:
                self._vectors.remove(face_id)
            self._vectors.save()

    def catch_up(self, *, at: datetime) -> int:
        """Follows the face log up to `at`, which is now. Returns the number of faces that were looked up.

        It reads back a little each time, and far once a minute, for entries that appeared late.
        """
        with self._lock:
            return self._catch_up(at)

    def _catch_up(self, at: datetime) -> int:
        position = self._vectors.position()
        if position is None:
            return self.build(at=at)
        thorough = abs(at - self._thorough_at) >= LONG_OVERLAP_EVERY
        since = min(position, at) - (OVERLAP if thorough else SHORT_OVERLAP)
        found = entries_between(since, at + OVERLAP, table=self._table)
        entries = {IndexedChange(entry.indexed_at, entry.face_id, entry.change) for entry in found}
        news = {one.face_id for one in entries - self._processed}
        self._settle(news)
        self._processed = frozenset(one for one in self._processed | entries if one.at >= at - OVERLAP)
        self._thorough_at = at if thorough else self._thorough_at
        self._vectors.advance(at)
        return len(news)

    def build(self, *, at: datetime) -> int:
        """Reads all faces from the table; returns their number. `at` is now."""
        self.compare()
        self.compare()
        self._vectors.advance(at)
        self._vectors.save()
        return self._vectors.count()

    def compare(self) -> int:
        """Compares the index with all faces of the table, and corrects it. Returns the number of differences."""
        known, listed = self._vectors.ids(), set(self._listed())
        self._settle(known - listed)
        taken = [self._take(some) for some in _batches(listed - known)]
        return len(known - listed) + sum(map(len, taken))

    def _listed(self) -> Iterator[str]:
        persons = (each.person_id for each in read_items(Person, every(self._table, entity_types.PERSONS)))
        for item in listed_faces(persons, page=BATCH_SIZE, only=KEYS_ONLY, table=self._table):
            yield item["SK"].removeprefix(keys.FACES.text)

    def _settle(self, face_ids: Iterable[str]) -> None:
        """Makes the index hold each face exactly if its row exists."""
        for some in _batches(face_ids):
            for face_id in set(some) - self._take(some):
                self._vectors.remove(face_id)

    def _take(self, face_ids: Sequence[str]) -> set[str]:
        """Adds those of the faces that exist and fit the index; returns their ids."""
        faces = faces_by_id(face_ids, table=self._table)
        vectors = {face_id: self._vector_of(face) for face_id, face in faces.items()}
        fitting = {face_id: vector for face_id, vector in vectors.items() if vector is not None}
        if fitting:
            self._vectors.add_many(list(fitting), np.stack(list(fitting.values())))
        return set(fitting)

    def _vector_of(self, face: Face) -> Vector | None:
        """None where another engine made it, or it is not valid."""
        if face.embedding is None or face.engine != self._engine:
            return None
        return vector_of(face.embedding, self._vectors.dimensions)


def vector_of(embedding: bytes, dimensions: int) -> Vector | None:
    """The vector of the little-endian half floats of a face's row; None where their number is wrong, or it has no
    direction.
    """
    if len(embedding) != dimensions * HALF.itemsize:
        return None
    vector = np.frombuffer(embedding, HALF).astype(np.float32)
    return vector if np.isfinite(vector).all() and vector.any() else None


def _batches(face_ids: Iterable[str]) -> Iterator[Sequence[str]]:
    ids = sorted(face_ids)
    return (ids[start : start + BATCH_SIZE] for start in range(0, len(ids), BATCH_SIZE))
