"""The vectors of one engine's faces, kept to what the table says.

They are built from the faces' rows the first time, and again where what was saved is lost; from then on they follow the
log of faces that came and went. Each process that has vectors of its own follows for itself.

[Note: lists that move] A face that becomes somebody's while the lists of faces are read may be in none of them when
they are looked at. So what is missing from the lists is looked up by its id before it goes, and to build all of it they
are read twice: a face would have to move both times to be missed.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import numpy as np

from sparks.library import entity_types, keys
from sparks.library.face_lists import listed_faces
from sparks.library.face_log import OVERLAP, entries_between, faces_by_id
from sparks.library.records import from_item
from sparks.model.face import Face, FaceChange
from sparks.model.person import Person
from sparks.model.times import EPOCH
from sparks.table.port import Table, every
from sparks.vectors.port import ANY, Near, Vector, Vectors

GLANCE: Final = timedelta(seconds=10)
THOROUGH_EVERY: Final = timedelta(minutes=1)
AT_ONCE: Final = 2000  # faces
KEYS_ONLY: Final = frozenset[str]()
HALF: Final = np.dtype("<f2")


class Heard(NamedTuple):
    at: datetime
    face_id: str
    change: FaceChange


class FaceIndex:
    """`vectors` holds the faces that `engine` made the embeddings of, and no others. Any thread may use this."""

    def __init__(self, vectors: Vectors, *, engine: str, table: Table) -> None:
        self._vectors = vectors
        self._engine = engine
        self._table = table
        self._heard: frozenset[Heard] = frozenset()
        self._thorough_at = EPOCH
        self._following = threading.RLock()

    @property
    def engine(self) -> str:
        return self._engine

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Near]:
        """As far as this has caught up. The rows of the faces tell whose they are, and whether they are still there."""
        return self._vectors.nearest(vector, k, at_least, within=within)

    def count(self) -> int:
        """How many it has heard of."""
        return self._vectors.count()

    def held(self, face_ids: Iterable[str]) -> set[str]:
        """Those of the faces that are here."""
        return self._vectors.ids() & set(face_ids)

    def forget(self, face_ids: Iterable[str]) -> None:
        """Nothing of these faces, whose rows are gone, is left here, nor in what is kept on the disk.

        Whoever catches up right now, and has read such a row before it went, comes first.
        """
        with self._following:
            for face_id in face_ids:
                self._vectors.remove(face_id)
            self._vectors.save()

    def catch_up(self, *, at: datetime) -> int:
        """Hears of what came and went, up to `at`, which is now. Tells how many faces it looked at.

        Looks back a little each time, and far once a minute, for entries that appeared late.
        """
        with self._following:
            return self._catch_up(at)

    def _catch_up(self, at: datetime) -> int:
        position = self._vectors.position()
        if position is None:
            return self.build(at=at)
        thorough = abs(at - self._thorough_at) >= THOROUGH_EVERY
        since = min(position, at) - (OVERLAP if thorough else GLANCE)
        found = entries_between(since, at + OVERLAP, table=self._table)
        heard = {Heard(entry.indexed_at, entry.face_id, entry.change) for entry in found}
        news = {one.face_id for one in heard - self._heard}
        self._settle(news)
        self._heard = frozenset(one for one in self._heard | heard if one.at >= at - OVERLAP)
        self._thorough_at = at if thorough else self._thorough_at
        self._vectors.advance(at)
        return len(news)

    def build(self, *, at: datetime) -> int:
        """Takes all faces from the table; tells how many there are. `at` is now."""
        self.compare()
        self.compare()
        self._vectors.advance(at)
        self._vectors.save()
        return self._vectors.count()

    def compare(self) -> int:
        """Looks at all faces of the table, and puts right what is missing here and what may be too much. Tells how many
        these were.
        """
        known, listed = self._vectors.ids(), set(self._listed())
        self._settle(known - listed)
        taken = [self._take(some) for some in _some_at_once(listed - known)]
        return len(known - listed) + sum(map(len, taken))

    def _listed(self) -> Iterator[str]:
        persons = (from_item(Person, item).person_id for item in every(self._table, entity_types.PERSONS))
        for item in listed_faces(persons, page=AT_ONCE, only=KEYS_ONLY, table=self._table):
            yield item["SK"].removeprefix(keys.FACES.text)

    def _settle(self, face_ids: Iterable[str]) -> None:
        """Each of the faces is here if it is there, as its row says."""
        for some in _some_at_once(face_ids):
            for face_id in set(some) - self._take(some):
                self._vectors.remove(face_id)

    def _take(self, face_ids: Sequence[str]) -> set[str]:
        """Those of the faces that are there, and belong here."""
        faces = faces_by_id(face_ids, table=self._table)
        vectors = {face_id: self._vector_of(face) for face_id, face in faces.items()}
        fitting = {face_id: vector for face_id, vector in vectors.items() if vector is not None}
        if fitting:
            self._vectors.add_many(list(fitting), np.stack(list(fitting.values())))
        return set(fitting)

    def _vector_of(self, face: Face) -> Vector | None:
        """None where it was made by another engine, or makes no sense."""
        if face.embedding is None or face.engine != self._engine:
            return None
        return vector_of(face.embedding, self._vectors.dimensions)


def vector_of(embedding: bytes, dimensions: int) -> Vector | None:
    """The little-endian half floats of a face's row; None where it is another number of them, or no direction."""
    if len(embedding) != dimensions * HALF.itemsize:
        return None
    vector = np.frombuffer(embedding, HALF).astype(np.float32)
    return vector if np.isfinite(vector).all() and vector.any() else None


def _some_at_once(face_ids: Iterable[str]) -> Iterator[Sequence[str]]:
    ids = sorted(face_ids)
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
