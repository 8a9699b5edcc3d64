"""Fifty concurrent requests for the last photo of a limit: one gets it, however often each is repeated."""

import multiprocessing
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.errors import UploadLimitReached
from sparks.model.photo import Photo
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Table
from sparks.table.sqlite import SqliteTable
from tests.library.tables import a_reservation, check_sum, new_account, photo_in, recount

CALLERS = 50
PROCESSES = 3
BATCHES = [range(first, first + 5) for first in range(0, 20, 5)]
MORE_BATCHES = [range(first, first + 20) for first in range(20, 100, 20)]


def ids_of(seeds: range) -> str:
    return f"seeds {seeds.start} to {seeds.stop - 1}"


in_ci = pytest.mark.parametrize("seeds", BATCHES, ids=ids_of)
in_long_runs = pytest.mark.parametrize("seeds", MORE_BATCHES, ids=ids_of)


def all_at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results of the calls, made at the same moment on a thread each."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def wins(photo: Photo, table: Table) -> bool:
    try:
        reserve_photo(photo, table=table)
    except UploadLimitReached:
        return False
    return True


def wins_again(photo: Photo, table: Table, *, patient: bool) -> bool:
    """Repeated at once, as by a client without a response: the result is the same."""
    won = wins(photo, table)
    if won or patient:
        assert wins(photo, table) is won
    return won


def contenders(rng: Random, owner: str) -> list[Photo]:
    """A photo a caller; some have several callers, as when a client's first try is still on its way."""
    photos = [a_reservation(owner, rng.randrange(1000)) for _ in range(rng.randint(20, CALLERS))]
    return photos + rng.choices(photos, k=CALLERS - len(photos))


def race_for_the_last_photo(table: Table, seed: int) -> None:
    rng = Random(seed)
    owner = new_account(table, photos=1, bytes=1000)
    callers = contenders(rng, owner)
    calls = [partial(wins_again, photo, table, patient=rng.random() < 0.2) for photo in callers]
    check_race(table, owner, callers, all_at_once(calls))


def check_race(table: Table, owner: str, callers: Sequence[Photo], won: Sequence[bool]) -> None:
    [image_id] = {photo.image_id for photo, one in zip(callers, won, strict=True) if one}
    [winner, *_] = [photo for photo in callers if photo.image_id == image_id]
    assert photo_in(table, winner) == winner
    assert recount(table, owner) == (1, winner.file_size)
    check_sum(table, owner)


@in_ci
def test_one_of_fifty_concurrent_uploads_gets_the_last_photo_on_sqlite(sqlite: Table, seeds: range) -> None:
    for seed in seeds:
        race_for_the_last_photo(sqlite, seed)


@in_ci
def test_one_of_fifty_concurrent_uploads_gets_the_last_photo_on_dynamodb(dynamodb: Table, seeds: range) -> None:
    for seed in seeds:
        race_for_the_last_photo(dynamodb, seed)


@pytest.mark.parametrize("engine", ["sqlite", "dynamodb"])
def test_fifty_uploads_at_once_all_count(engine: str, request: pytest.FixtureRequest) -> None:
    table: Table = request.getfixturevalue(engine)
    owner = new_account(table, photos=CALLERS, bytes=CALLERS * 10)
    assert all(all_at_once([partial(wins, a_reservation(owner, 10), table) for _ in range(CALLERS)]))
    assert recount(table, owner) == (CALLERS, CALLERS * 10)
    check_sum(table, owner)


@pytest.mark.long
@in_long_runs
@pytest.mark.parametrize("engine", ["sqlite", "dynamodb"])
def test_one_of_fifty_gets_the_last_photo_time_and_again(
    engine: str, request: pytest.FixtureRequest, seeds: range
) -> None:
    for seed in seeds:
        race_for_the_last_photo(request.getfixturevalue(engine), seed)


# -- Several processes


def contend(path: Path, races: Sequence[Sequence[Photo]], start: Any, part: int) -> list[list[bool]]:
    """The work of one process: in each race, its callers begin together with those of the others."""
    with closing(SqliteFile(path)) as file:
        table = SqliteTable(file)
        won = []
        for callers in races:
            start.wait(60)
            won.append(
                all_at_once([partial(wins_again, photo, table, patient=True) for photo in callers[part::PROCESSES]])
            )
    return won


def test_one_of_several_processes_gets_the_last_photo(tmp_path: Path) -> None:
    path, spawn = tmp_path / "sparks.db", multiprocessing.get_context("spawn")
    with closing(SqliteFile(path)) as file, spawn.Manager() as shared, ProcessPoolExecutor(PROCESSES, spawn) as pool:
        table = SqliteTable(file)
        owners = [new_account(table, photos=1, bytes=1000) for _ in range(3)]
        races = [contenders(Random(seed), owner) for seed, owner in enumerate(owners)]
        parts = list(pool.map(partial(contend, path, races, shared.Barrier(PROCESSES)), range(PROCESSES)))
        for race, (owner, callers) in enumerate(zip(owners, races, strict=True)):
            won = [False] * len(callers)
            for part, answers in enumerate(parts):
                won[part::PROCESSES] = answers[race]
            check_race(table, owner, callers, won)
