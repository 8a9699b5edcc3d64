"""The face index follows the table: built from the rows, and kept current by the log, in any order of its entries."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparks.library import keys
from sparks.library.face_index import LONG_OVERLAP_EVERY, SHORT_OVERLAP, FaceIndex, vector_of
from sparks.library.face_log import OVERLAP
from sparks.library.records import key_of, to_item
from sparks.model.face import Box, Face, FaceById, FaceChange, FaceLogEntry
from sparks.table.port import Delete, Item, Key, Put, Table
from sparks.vectors.embedded import EmbeddedVectors
from sparks.vectors.memory import MemoryVectors
from sparks.vectors.port import Vectors
from tests.factories import NOON, a_face, a_person, a_photo
from tests.library.tables import Meddled

ENGINE = "test-1"
SECOND = timedelta(seconds=1)


class FaceTable:
    """A table to which faces are added and from which they are removed."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def come(self, number: int, *, at: datetime = NOON, **changes: Any) -> Face:
        said = {"embedding": embedded(number), "indexed_at": at, **changes}
        face = a_face(a_photo(), Box(0.1, 0.1, 0.2, 0.2), **said)
        self.write(face)
        return face

    def write(self, face: Face) -> None:
        assert face.indexed_at is not None
        by_id = FaceById(face_id=face.face_id, image_id=face.image_id, owner=face.owner)
        entry = FaceLogEntry(indexed_at=face.indexed_at, face_id=face.face_id, image_id=face.image_id, owner=face.owner)
        self.table.write(*(Put(to_item(row)) for row in (face, by_id, entry)))

    def go(self, face: Face, *, at: datetime) -> None:
        entry = FaceLogEntry(indexed_at=at, face_id=face.face_id, change=FaceChange.REMOVED)
        rows = (key_of(face), keys.face_by_id(face.face_id), keys.face_log_entry(NOON, face.face_id))
        self.table.write(*map(Delete, rows), Put(to_item(entry)))


def embedded(number: int, dimensions: int = 8) -> bytes:
    numbers = np.random.default_rng(number).standard_normal(dimensions)
    return bytes((numbers / np.linalg.norm(numbers)).astype("<f2").tobytes())


@pytest.fixture
def face_table(table: Table) -> FaceTable:
    return FaceTable(table)


@pytest.fixture
def vectors() -> Vectors:
    return MemoryVectors(8)


@pytest.fixture
def index(vectors: Vectors, table: Table) -> FaceIndex:
    return FaceIndex(vectors, engine=ENGINE, table=table)


def test_all_faces_of_the_table_are_taken_at_first(face_table: FaceTable, index: FaceIndex, vectors: Vectors) -> None:
    face_table.table.write(Put(to_item(a_person(7))))
    waiting, somebodys = face_table.come(1), face_table.come(2, person_id="person7")
    assert index.catch_up(at=NOON) == 2
    assert vectors.ids() == {waiting.face_id, somebodys.face_id}
    assert vectors.position() == NOON
    vector = vector_of(embedded(2), 8)
    assert vector is not None
    assert vectors.nearest(vector, 1, 0.99)[0].face_id == somebodys.face_id


def test_faces_that_are_added_later_are_indexed(face_table: FaceTable, index: FaceIndex, vectors: Vectors) -> None:
    index.catch_up(at=NOON)
    face = face_table.come(1, at=NOON + SECOND)
    assert index.catch_up(at=NOON + 2 * SECOND) == 1
    assert vectors.ids() == {face.face_id}
    assert index.catch_up(at=NOON + 3 * SECOND) == 0


def test_removed_faces_leave_the_index(face_table: FaceTable, index: FaceIndex, vectors: Vectors) -> None:
    face = face_table.come(1)
    index.catch_up(at=NOON)
    face_table.go(face, at=NOON + SECOND)
    index.catch_up(at=NOON + 2 * SECOND)
    assert vectors.ids() == set()


def test_a_face_erased_during_a_catch_up_does_not_come_back(face_table: FaceTable, vectors: Vectors) -> None:
    """The row was read before it was deleted, and is indexed after."""
    forgetting: list[threading.Thread] = []

    class Slow(Meddled):
        def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
            found = super().get_many(keys)
            if not forgetting and any("embedding" in item for item in found.values()):
                face_table.go(face, at=NOON + SECOND)
                forgetting.append(threading.Thread(target=index.forget, args=([face.face_id],)))
                forgetting[0].start()
                forgetting[0].join(timeout=0.2)
            return found

    index = FaceIndex(vectors, engine=ENGINE, table=Slow(face_table.table))
    vectors.advance(NOON)
    face = face_table.come(1)
    index.catch_up(at=NOON)
    forgetting[0].join()
    assert vectors.ids() == set()


def test_a_face_that_is_removed_and_added_again_is_indexed(
    face_table: FaceTable, index: FaceIndex, vectors: Vectors
) -> None:
    face = face_table.come(1)
    index.catch_up(at=NOON)
    face_table.go(face, at=NOON + 2 * SECOND)
    face_table.write(replace(face, indexed_at=NOON + SECOND))
    index.catch_up(at=NOON + 3 * SECOND)
    assert vectors.ids() == {face.face_id}


def test_a_face_with_another_embedding_is_where_it_is_now(
    face_table: FaceTable, index: FaceIndex, vectors: Vectors
) -> None:
    face = face_table.come(1)
    index.catch_up(at=NOON)
    face_table.write(replace(face, embedding=embedded(2), indexed_at=NOON + SECOND))
    index.catch_up(at=NOON + 2 * SECOND)
    vector = vector_of(embedded(2), 8)
    assert vector is not None
    assert [near.face_id for near in vectors.nearest(vector, 1, 0.99)] == [face.face_id]


def test_only_embeddings_of_the_engine_are_indexed(face_table: FaceTable, index: FaceIndex, vectors: Vectors) -> None:
    face_table.come(1, engine="other-2")
    face_table.come(2, embedding=None)
    face_table.come(3, embedding=b"\x00" * 16)
    face_table.come(4, embedding=embedded(4, dimensions=9))
    index.catch_up(at=NOON)
    index.catch_up(at=NOON + SECOND)
    assert vectors.ids() == set()


def test_a_face_with_an_embedding_of_another_engine_leaves_the_index(
    face_table: FaceTable, index: FaceIndex, vectors: Vectors
) -> None:
    face = face_table.come(1)
    index.catch_up(at=NOON)
    face_table.write(replace(face, engine="other-2", indexed_at=NOON + SECOND))
    index.catch_up(at=NOON + 2 * SECOND)
    assert vectors.ids() == set()


def test_an_entry_that_appears_late_is_indexed_within_a_minute(
    face_table: FaceTable, index: FaceIndex, vectors: Vectors
) -> None:
    for second in range(5):
        index.catch_up(at=NOON + second * SECOND)
    face = face_table.come(1, at=NOON - OVERLAP + LONG_OVERLAP_EVERY + 5 * SECOND)
    for second in range(5, 66):
        index.catch_up(at=NOON + second * SECOND)
    assert vectors.ids() == {face.face_id}


def test_an_entry_of_a_clock_that_is_ahead_is_processed_once(face_table: FaceTable, index: FaceIndex) -> None:
    index.catch_up(at=NOON)
    face_table.come(1, at=NOON + OVERLAP - SECOND)
    seconds = range(0, int((2 * OVERLAP).total_seconds()), 5)
    assert sum(index.catch_up(at=NOON + second * SECOND) for second in seconds) == 1


def test_a_clock_that_is_set_back_loses_nothing(face_table: FaceTable, index: FaceIndex, vectors: Vectors) -> None:
    index.catch_up(at=NOON)
    face = face_table.come(1, at=NOON - timedelta(days=1))
    index.catch_up(at=NOON - timedelta(days=1) + SHORT_OVERLAP)
    assert vectors.ids() == {face.face_id}


def test_superfluous_and_missing_faces_are_corrected(face_table: FaceTable, index: FaceIndex, vectors: Vectors) -> None:
    face = face_table.come(1)
    vectors.add("stranger", np.ones(8, np.float32))
    assert index.compare() == 2
    assert vectors.ids() == {face.face_id}
    assert index.compare() == 0


def test_a_table_of_many_machines_is_followed_alike(dynamodb: Table, vectors: Vectors) -> None:
    face_table, index = FaceTable(dynamodb), FaceIndex(vectors, engine="many-1", table=dynamodb)
    first = face_table.come(1, engine="many-1")
    index.catch_up(at=NOON)
    second = face_table.come(2, engine="many-1", at=NOON + SECOND)
    index.catch_up(at=NOON + 2 * SECOND)
    assert vectors.ids() == {first.face_id, second.face_id}
    face_table.go(first, at=NOON + 3 * SECOND)
    index.catch_up(at=NOON + 4 * SECOND)
    assert vectors.ids() == {second.face_id}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "faces" / "vectors"


def test_a_process_that_starts_again_reads_on_where_the_last_one_stopped(face_table: FaceTable, path: Path) -> None:
    gone, stays = face_table.come(1), face_table.come(2)
    first = EmbeddedVectors(8, path)
    FaceIndex(first, engine=ENGINE, table=face_table.table).catch_up(at=NOON)
    first.close()
    later = NOON + timedelta(days=3)
    face_table.go(gone, at=later - timedelta(days=1))
    new = face_table.come(3, at=later)
    second = EmbeddedVectors(8, path)
    assert second.ids() == {gone.face_id, stays.face_id}
    assert FaceIndex(second, engine=ENGINE, table=face_table.table).catch_up(at=later) == 3
    second.close()
    third = EmbeddedVectors(8, path)
    assert third.ids() == {stays.face_id, new.face_id}
    assert embedded(1)[:8] not in path.read_bytes()
    assert embedded(2)[:8] in path.read_bytes()
    third.close()
