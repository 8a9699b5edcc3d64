"""The nearest of 100,000 faces, of all and within an album, against comparing one by one; and what keeping costs."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.frame import Figure, run, seconds
from sparks.vectors.embedded import EmbeddedVectors
from sparks.vectors.memory import MemoryVectors
from sparks.vectors.port import Neighbor, Vector, Vectors

FACES: Final = 100_000
PERSONS: Final = 10_000
IN_ALBUM: Final = 2_000
DIMENSIONS: Final = 128
SPREAD: Final = 0.06  # two faces of one person are alike by about .7
K: Final = 50
AT_LEAST: Final = 0.4
ASKED: Final = 200
ROUNDS: Final = 7

Ask = Callable[[Vector], list[Neighbor]]


def measure() -> list[Figure]:
    faces = drawn_faces()
    ids = [f"{number:08x}-0000-7000-8000-000000000000" for number in range(FACES)]
    asked = faces[np.random.default_rng(2).choice(FACES, ASKED, replace=False)] + noise(ASKED, seed=3)
    exact = MemoryVectors(DIMENSIONS)
    exact.add_many(ids, faces)
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as name:
        vectors = EmbeddedVectors(DIMENSIONS, Path(name) / "vectors", erase_after=3600, save_after=3600)
        building = seconds(lambda: vectors.add_many(ids, faces))
        vectors.advance(datetime.now(UTC))
        return [
            *times_of(vectors, exact, asked, album=frozenset(ids[:: FACES // IN_ALBUM])),
            Figure("nearest_adds_per_s", FACES / building, "faces added a second, one thread"),
            *costs(vectors, Path(name) / "vectors", ids[0]),
        ]


def drawn_faces() -> Vector:
    random = np.random.default_rng(1)
    persons = random.standard_normal((PERSONS, DIMENSIONS)).astype(np.float32)
    persons /= np.linalg.norm(persons, axis=1, keepdims=True)
    return np.asarray(persons[random.integers(0, PERSONS, FACES)] + noise(FACES, seed=4), np.float32)


def noise(count: int, *, seed: int) -> Vector:
    return SPREAD * np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)


def times_of(vectors: Vectors, exact: Vectors, asked: Vector, *, album: frozenset[str]) -> list[Figure]:
    def among_all(vector: Vector, of: Vectors = vectors) -> list[Neighbor]:
        return of.nearest(vector, K, AT_LEAST)

    def in_album(vector: Vector, of: Vectors = vectors) -> list[Neighbor]:
        return of.nearest(vector, K, within=album)

    exactly, exactly_in_album = partial(among_all, of=exact), partial(in_album, of=exact)
    what = f"the {K} nearest of {FACES:,} faces"
    scoped = f"the {K} nearest within an album of {IN_ALBUM:,} faces"
    return [
        Figure("nearest_100k_p95_ms", p95(among_all, asked), f"{what}: p95, ms", "<= 2"),
        Figure("nearest_100k_cpu_p95_ms", p95(among_all, asked, time.thread_time), "the same in CPU time"),
        Figure("nearest_100k_recall", recall(among_all, exactly, asked), "found of these", ">= 0.995"),
        Figure("nearest_100k_exact_p95_ms", p95(exactly, asked[:40]), "one by one (numpy): p95, ms"),
        Figure("nearest_scoped_p95_ms", p95(in_album, asked), f"{scoped}: p95, ms", "<= 3"),
        Figure("nearest_scoped_cpu_p95_ms", p95(in_album, asked, time.thread_time), "the same in CPU time"),
        Figure("nearest_scoped_recall", recall(in_album, exactly_in_album, asked), "found of these", "1"),
    ]


def costs(vectors: EmbeddedVectors, path: Path, face_id: str) -> Iterable[Figure]:
    """Of one erasure with its new file, and of opening that."""
    vectors.save()
    erasing = seconds(lambda: erase(vectors, face_id))
    yield Figure("nearest_erase_s", erasing, "a face removed and the file written anew, s")
    yield Figure("nearest_file_mb", path.stat().st_size / 1e6, "the file, MB")
    opening = statistics.median(seconds(lambda: EmbeddedVectors(DIMENSIONS, path)) for _ in range(3))
    yield Figure("nearest_open_s", opening, "opening it, s")
    vectors.close()


def erase(vectors: Vectors, face_id: str) -> None:
    vectors.remove(face_id)
    vectors.save()


def p95(ask: Ask, asked: Vector, clock: Callable[[], float] = time.perf_counter) -> float:
    """In ms: the median over several rounds, because others may work on this machine too."""
    rounds = [[taken_by(ask, vector, clock) for vector in asked] for _ in range(ROUNDS)]
    return statistics.median(statistics.quantiles(taken, n=20)[18] for taken in rounds) * 1000


def taken_by(ask: Ask, vector: Vector, clock: Callable[[], float]) -> float:
    began = clock()
    ask(vector)
    return clock() - began


def recall(ask: Ask, ask_exactly: Ask, asked: Vector) -> float:
    found = [({face_id for face_id, _ in ask(vector)}, ask_exactly(vector)) for vector in asked]
    return float(np.mean([face_id in some for some, wanted in found for face_id, _ in wanted]))


if __name__ == "__main__":
    run("nearest", measure)
