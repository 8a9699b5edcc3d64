"""One run of `sparks faces rebuild`: photos that nobody has looked at, then the persons in all of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from sparks.cli.crew import LOOK_EVERY, Awaited, crew
from sparks.cli.progress import Progress
from sparks.faces.library import is_unindexed, unindexed
from sparks.journey import Journey, Stores
from sparks.model import times
from sparks.model.errors import Busy
from sparks.people.full import rebuild_all
from sparks.people.incremental import regroup_faces
from sparks.settings import Settings
from sparks.wiring import open_index

PATIENCE: Final = 120.0  # seconds

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Looked:
    """Photos in which faces were looked for, and those in which they could not be."""

    at: int = 0
    in_vain: int = 0


def look_for_faces(settings: Settings, stores: Stores) -> Looked:
    """In all photos that nobody had looked at."""
    known = stores.terms.faces
    lacking = [] if known is None else list(unindexed(known.engine, table=stores.table))
    if known is None or not lacking:
        return Looked()
    engine = known.engine
    with Progress(len(lacking), noun="photos") as progress, crew(settings, stores) as hands:
        awaited = Awaited(hands, is_finished=lambda photo: photo is None or not is_unindexed(photo, engine))
        for event in lacking:
            Journey().send_after(event, jobs=stores.jobs)
            awaited.add(event)
        given_up = 0
        while awaited:
            given_up += sum(photo is not None and is_unindexed(photo, engine) for _, photo in awaited.look())
            progress.show(len(lacking) - len(awaited))
            time.sleep(LOOK_EVERY)
        hands.settle(patience=0)
    return Looked(len(lacking) - given_up, given_up)


def regroup(settings: Settings, stores: Stores, *, full: bool, max_faces: int | None) -> dict[str, Any]:
    """What was done, as scripts are told it."""
    table, terms = stores.table, stores.terms
    with open_index(settings, stores) as index:
        if full:
            with Progress(0, noun="moves") as bar:
                tell = partial(_show, bar)
                run = partial(rebuild_all, table=table, blobs=stores.blobs, index=index, terms=terms, progress=tell)
                done = [_in_turn(run)]
        else:
            done = []
            while not done or (done[-1].more and max_faces is None):
                done.append(_in_turn(lambda: regroup_faces(table=table, index=index, terms=terms, max_faces=max_faces)))
    return {
        "processedFaces": sum(each.processed_faces for each in done),
        "createdPersons": sum(each.created_persons for each in done),
        "updatedPersons": sum(each.updated_persons for each in done),
        "checkpoint": None if done[-1].checkpoint is None else times.iso(done[-1].checkpoint),
    }


def _show(bar: Progress, done: int, moves: int) -> None:
    bar.show(done, of=moves)


def _in_turn(run: Callable[[], T]) -> T:
    """A server may be at it right now: waits for its turn, within reason."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return run()
        except Busy:
            if time.monotonic() > until:
                raise
            time.sleep(1)
