"""One run of `sparks faces rebuild`."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from sparks.cli.local_workers import POLL_SECONDS, AwaitedPhotos, local_workers
from sparks.cli.progress_bar import ProgressBar
from sparks.faces.index_library import is_unindexed, unindexed
from sparks.journey import Journey, Stores
from sparks.model import times
from sparks.model.errors import Busy
from sparks.people.group_new_faces import regroup_faces
from sparks.people.rebuild import rebuild_all
from sparks.settings import Settings
from sparks.wiring import open_index

BUSY_TIMEOUT: Final = 120.0  # seconds

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FaceScanResult:
    """Photos in which faces were looked for, and those in which that failed."""

    photos: int = 0
    failed: int = 0


def scan_faces(settings: Settings, stores: Stores) -> FaceScanResult:
    """Looks for faces in all photos that the engine has not searched yet."""
    faces = stores.pipeline.faces
    events = [] if faces is None else list(unindexed(faces.engine, table=stores.table))
    if faces is None or not events:
        return FaceScanResult()
    engine = faces.engine
    with ProgressBar(len(events), noun="photos") as progress, local_workers(settings, stores) as workers:
        awaited = AwaitedPhotos(workers, is_finished=lambda photo: photo is None or not is_unindexed(photo, engine))
        for event in events:
            Journey().send_after(event, jobs=stores.jobs)
            awaited.add(event)
        failed = 0
        while awaited:
            failed += sum(photo is not None and is_unindexed(photo, engine) for _, photo in awaited.poll())
            progress.show(len(events) - len(awaited))
            time.sleep(POLL_SECONDS)
        workers.wait_until_idle(timeout=0)
    return FaceScanResult(len(events) - failed, failed)


def regroup(settings: Settings, stores: Stores, *, full: bool, max_faces: int | None) -> dict[str, Any]:
    """Groups faces, and returns the counts as `--json` prints them."""
    table, pipeline = stores.table, stores.pipeline
    with open_index(settings, stores) as index:
        if full:
            with ProgressBar(0, noun="moves") as bar:
                show = partial(_show, bar)
                rebuild = partial(
                    rebuild_all, table=table, blobs=stores.blobs, index=index, pipeline=pipeline, progress=show
                )
                done = [_retry_while_busy(rebuild)]
        else:
            group = partial(regroup_faces, table=table, index=index, pipeline=pipeline, max_faces=max_faces)
            done = []
            while not done or (done[-1].more and max_faces is None):
                done.append(_retry_while_busy(group))
    return {
        "processedFaces": sum(each.processed_faces for each in done),
        "createdPersons": sum(each.created_persons for each in done),
        "updatedPersons": sum(each.updated_persons for each in done),
        "checkpoint": None if done[-1].checkpoint is None else times.iso(done[-1].checkpoint),
    }


def _show(bar: ProgressBar, done: int, moves: int) -> None:
    bar.show(done, of=moves)


def _retry_while_busy(run: Callable[[], T]) -> T:
    """A server may be grouping faces at the same time: tries again for BUSY_TIMEOUT seconds."""
    until = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            return run()
        except Busy:
            if time.monotonic() > until:
                raise
            time.sleep(1)
