"""A runner that is killed before or after any of its writes: processes write on, and the next run completes the move.

All happens on one thread, with one clock that moves only by sleeping: between two writes of the runner another process
writes, with a state that is as old as it may be.
"""

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from itertools import product
from typing import Final

import pytest

from sparks.evolve.rekey import run_rekeyings
from sparks.evolve.rekeyed_table import WAITING, RekeyedTable
from sparks.library.schema_state import read_schema_state
from sparks.library.throttle import Throttle
from sparks.model.errors import Busy
from sparks.model.ids import new_image_id
from sparks.model.schema_state import Place
from sparks.table.memory import MemoryTable
from sparks.table.port import Change, Item, Key, Put, Table
from sparks.table.wrapper import TableWrapper
from tests.evolve.places import AFTER, BEFORE, Clock, Killed, rows_of
from tests.evolve.writer import Writer
from tests.factories import NOON

OLD_ROWS: Final = 5
AFTER_THE_LEASE: Final = NOON + timedelta(minutes=5)


class Site:
    """Two tables, a process that writes, one that reads, and runners. `write_between` is called between two writes of
    a runner.
    """

    def __init__(self) -> None:
        self.clock = Clock()
        self.tables = {place: MemoryTable() for place in Place}
        self.expected: dict[Key, Item] = {}
        before = RekeyedTable(self.tables.__getitem__, BEFORE, clock=self.clock)
        for _ in range(OLD_ROWS):
            key = Key(new_image_id(), "UPLOADED_BY#ann@example.com")
            before.write(Put({"PK": key.pk, "SK": key.sk, "entityType": "IMAGE"}))
            self.expected[Key(f"IMAGE#{key.pk}", key.sk)] = {
                "PK": f"IMAGE#{key.pk}",
                "SK": key.sk,
                "entityType": "IMAGE",
            }
        self.writer = Writer(self.process(*self.tables.values()), "writer")
        self.reader = self.process(*self.tables.values())

    def process(self, first: Table, second: Table) -> RekeyedTable:
        both = {Place.FIRST: first, Place.SECOND: second}
        return RekeyedTable(both.__getitem__, AFTER, clock=self.clock, sleep=self.clock.sleep)

    def write_between(self) -> None:
        """Another process sees each write at once, although its state is old."""
        state = read_schema_state(self.tables[Place.FIRST])
        if state is not None and state.phase not in WAITING:
            self.writer.step()
            assert self.reader.get_many(list(self.writer.expected)) == self.writer.expected

    def run(self, life: "Life", *, again: bool = False) -> None:
        table = self.process(*(MortalTable(self.tables[place], life, self) for place in Place))
        run_rekeyings(
            table,
            at=AFTER_THE_LEASE if again else NOON,
            throttle=Throttle(None, clock=self.clock, sleep=self.clock.sleep),
            on_progress=lambda *_: None,
            sleep=self.clock.sleep,
        )

    def check(self) -> None:
        """All rows are in the second table, as the writer was told, and none are in the first."""
        assert rows_of(self.tables[Place.SECOND]) == self.expected | self.writer.expected
        assert rows_of(self.tables[Place.FIRST]) == {}
        state = read_schema_state(self.tables[Place.FIRST])
        assert state is not None
        assert (state.place, state.phase) == (Place.SECOND, None)


class Life:
    """The writes of one runner, of which the last one is made (`completes`) or not; None: it is never killed.

    Before the write `stops_at`, the process is suspended while `meanwhile` is done.
    """

    def __init__(
        self,
        last_write: int | None = None,
        *,
        completes: bool = True,
        stops_at: int = 0,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        self.writes = 0
        self._stops_at = stops_at
        self._meanwhile = meanwhile
        self._last = last_write
        self._completes = completes

    def begin_write(self) -> None:
        self.writes += 1
        if self._last is not None and (self.writes > self._last or (self.writes == self._last and not self._completes)):
            raise Killed
        if self.writes == self._stops_at:
            self._meanwhile()

    def end_write(self) -> None:
        if self.writes == self._last:
            raise Killed


class MortalTable(TableWrapper):
    def __init__(self, table: Table, life: Life, site: Site) -> None:
        super().__init__(table)
        self._life = life
        self._site = site

    def write(self, *changes: Change, token: str | None = None) -> None:
        self._site.write_between()
        self._life.begin_write()
        self._table.write(*changes, token=token)
        self._life.end_write()


def writes_of_a_whole_run() -> int:
    site, life = Site(), Life()
    site.run(life)
    site.check()
    return life.writes


@pytest.mark.parametrize("completes", [False, True])
def test_a_runner_may_be_killed_at_any_write(*, completes: bool) -> None:
    total = writes_of_a_whole_run()
    assert total > 20
    for last_write in range(1, total + 1):
        site = Site()
        with pytest.raises(Killed):
            site.run(Life(last_write, completes=completes))
        for _ in range(4):
            site.writer.step()
        site.run(Life(), again=True)
        for _ in range(4):
            site.writer.step()
        site.check()


def test_writes_go_on_ten_seconds_after_a_runner_was_killed_in_the_switch() -> None:
    waits = []
    for last_write in range(1, writes_of_a_whole_run() + 1):
        site = Site()
        with pytest.raises(Killed):
            site.run(Life(last_write))
        began = site.clock()
        site.writer.step()
        waits.append(site.clock() - began)
    assert 9 <= max(waits) <= 10


def test_a_runner_that_was_suspended_at_any_write_changes_nothing_after_another_one_has_taken_over() -> None:
    for stops_at in range(1, writes_of_a_whole_run() + 1):
        site = Site()

        def work(site: Site = site) -> None:
            """Another runner moves the rows, and processes write on."""
            site.run(Life(), again=True)
            for _ in range(8):
                site.writer.step()

        with suppress(Busy):
            site.run(Life(stops_at=stops_at, meanwhile=work))
        site.check()


def test_two_runners_that_wake_each_other_at_any_writes_lose_nothing() -> None:
    total = writes_of_a_whole_run()
    chosen = random.Random(29)
    early = product(range(1, total + 1, 4), (2, 3, 5))  # the second one has read the state, and is about to claim it
    others = [(chosen.randrange(1, total + 1), chosen.randrange(1, total + 1)) for _ in range(12)]
    for first_stop, second_stop in (*early, *others):
        site = Site()
        run_in_turns(site, first_stop, second_stop)
        for _ in range(5):
            site.writer.step()
        site.run(Life(), again=True)
        site.check()


def run_in_turns(site: Site, first_stop: int, second_stop: int) -> None:
    """One runner until a write, another one until a write, the first one until its end, then the other one."""
    turn, other_began = threading.Semaphore(0), threading.Event()
    failures: list[BaseException] = []

    def run(life: Life, *, again: bool) -> None:
        try:
            site.run(life, again=again)
        except Busy:
            pass
        except BaseException as error:  # noqa: BLE001  raised in the test
            failures.append(error)
        finally:
            back.release()

    back = threading.Semaphore(0)

    def let_the_first_end() -> None:
        back.release()
        turn.acquire()

    second = threading.Thread(
        target=run, args=(Life(stops_at=second_stop, meanwhile=let_the_first_end),), kwargs={"again": True}
    )

    def start_the_second() -> None:
        other_began.set()
        second.start()
        back.acquire()

    with suppress(Busy):
        site.run(Life(stops_at=first_stop, meanwhile=start_the_second))
    turn.release()
    if other_began.is_set():
        second.join()
    assert not failures, failures
