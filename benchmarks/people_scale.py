"""Persons in large libraries: 1,000 new faces thought over, and all faces; on demand, with a million of them.

The jobs are the real ones, on SQLite; the library was made straight in the table. Each part runs in a process of its
own, whose CPU and memory are measured.
"""

import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import log
from multiprocessing import get_context
from pathlib import Path
from typing import Final, TypeVar

from benchmarks.crowd import Crowd, fill_with, grown, labelled_crowd, photo_and_face
from benchmarks.frame import Figure, cpu_seconds, run
from sparks.journey import Stores
from sparks.library.face_index import FaceIndex
from sparks.library.people.face_rows import store_face
from sparks.library.records import to_item
from sparks.model.events import FacesFound
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.model.times import now
from sparks.people.assign_faces import place_faces
from sparks.people.group_new_faces import regroup_faces
from sparks.people.rebuild import rebuild_all
from sparks.settings import Settings
from sparks.table.port import Put
from sparks.wiring import open_index, open_stores

SIZES: Final = (25_000, 100_000)
MILLION: Final = 1_000_000
NEW: Final = 1_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scale:
    """Cost of a library of so many faces: seconds of CPU, and bytes."""

    faces: int
    indexing: float
    placing: float
    regrouping: float
    thinking: float
    moving: float
    moves: int
    memory: int


def measure(*, million: bool = False) -> list[Figure]:
    real = in_a_process(labelled_crowd)
    scales = [scale_of(real, size) for size in (*SIZES, *((MILLION,) if million else ()))]
    return [*(figure for scale in scales for figure in figures_of(scale)), *growth(scales[-2:])]


def figures_of(scale: Scale) -> Iterable[Figure]:
    size = f"{scale.faces // 1000}k" if scale.faces < MILLION else "1m"
    yield Figure(
        f"incremental_{size}_s", scale.regrouping, f"{NEW:,} new faces thought over among {scale.faces:,}: CPU, s"
    )
    yield Figure(
        f"place_{size}_ms", scale.placing / NEW * 1000, "one of them compared, and placed if it is clear: CPU, ms"
    )
    yield Figure(f"full_{size}_s", scale.thinking, "a full rebuild, until its plan is made: CPU, s")
    yield Figure(f"full_{size}_moves", scale.moves, "steps of the plan: faces that go from one person to another, ..")
    yield Figure(f"full_{size}_moving_s", scale.moving, "carrying it out: CPU, s")
    yield Figure(f"full_{size}_rss_mb", scale.memory / 1e6, "most memory of that process, MB")
    yield Figure(f"index_{size}_s", scale.indexing, "the index built from the table: CPU, s")


def growth(scales: Sequence[Scale]) -> Iterable[Figure]:
    """1 where the time grows as n log n."""
    few, many = scales
    expected = (many.faces * log(many.faces)) / (few.faces * log(few.faces))
    between = f"from {few.faces:,} to {many.faces:,} faces, by n log n"
    yield Figure("growth_full", many.thinking / few.thinking / expected, f"growth of a rebuild {between}", "<= 1.3")
    yield Figure("growth_incremental", many.regrouping / few.regrouping, "growth of the incremental step")
    yield Figure("growth_rss", many.memory / few.memory / (many.faces / few.faces), "growth of memory, by n")


def scale_of(real: Crowd, size: int) -> Scale:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as place:
        data = Path(place)
        indexing = in_a_process(partial(make_library, real, size, data))
        placing, regrouping = in_a_process(partial(take_new_faces, real, size, data))
        thinking, moving, moves, memory = in_a_process(partial(rebuild, data))
    return Scale(size, indexing, placing, regrouping, thinking, moving, moves, memory)


def in_a_process(work: Callable[[], T]) -> T:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work).result()


def make_library(real: Crowd, size: int, data: Path) -> float:
    """The CPU that the index took."""
    settings = Settings(data=data)
    with open_stores(settings) as stores:
        pipeline = terms_of(stores)
    fill_with(grown(real, size + NEW).part(0, size), settings.database, pipeline)
    with open_stores(settings) as stores:
        return cpu_seconds(lambda: build_index(settings, stores))


def build_index(settings: Settings, stores: Stores) -> None:
    with open_index(settings, stores) as index:
        assert index is not None
        index.catch_up(at=now())


def take_new_faces(real: Crowd, size: int, data: Path) -> tuple[float, float]:
    """The CPU that it took to place them, and to think them over."""
    settings = Settings(data=data)
    with open_stores(settings) as stores, open_index(settings, stores) as index:
        assert index is not None
        work = partial(regroup_faces, table=stores.table, index=index, pipeline=stores.pipeline)
        work(at=now())  # nothing is left to do
        coming = keep_faces(grown(real, size + NEW).part(size, size + NEW), size, stores)
        index.catch_up(at=now())
        placing = cpu_seconds(lambda: place_all(coming, stores, index))
        return placing, cpu_seconds(lambda: work(at=now()))


def keep_faces(crowd: Crowd, first: int, stores: Stores) -> list[FacesFound]:
    """As the engine's step does."""
    found = []
    for number, vector in enumerate(crowd.vectors, first):
        photo, face = photo_and_face(vector, number, terms_of(stores))
        stores.table.write(Put(to_item(photo)))
        store_face(replace(face, indexed_at=now()), at=now(), table=stores.table)
        found.append(FacesFound(photo.image_id, photo.owner))
    return found


def place_all(coming: Iterable[FacesFound], stores: Stores, index: FaceIndex) -> None:
    for event in coming:
        place_faces(event, table=stores.table, index=index, pipeline=stores.pipeline)


def rebuild(data: Path) -> tuple[float, float, int, int]:
    """CPU until the plan was made and until it was carried out, its steps, and the most memory."""
    settings = Settings(data=data)
    began, planned = time.process_time(), []

    def progress(_: int, steps: int) -> None:
        planned.append((time.process_time(), steps))

    with open_stores(settings) as stores, open_index(settings, stores) as index:
        rebuild_all(table=stores.table, blobs=stores.blobs, index=index, pipeline=stores.pipeline, progress=progress)
        ended = time.process_time()
    made_at, steps = planned[0]
    return made_at - began, ended - made_at, steps, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def terms_of(stores: Stores) -> FacePipelineSettings:
    assert stores.pipeline.faces is not None
    return stores.pipeline.faces


if __name__ == "__main__":
    run("people_scale", measure, million="a library of a million faces too: takes hours")
