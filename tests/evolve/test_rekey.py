"""Re-keying: rows get other keys while they are written, on every engine, and no write is lost."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import pytest

from sparks.evolve.rekey import RekeyResult, run_rekeyings
from sparks.evolve.rekeyed_table import RekeyedTable
from sparks.library.leases import REKEYING, job_state
from sparks.library.migration_state import MigrationState
from sparks.library.records import to_item
from sparks.library.schema import Registry, Rekeying, Version
from sparks.library.schema_state import read_schema_state
from sparks.library.throttle import Throttle
from sparks.model import times
from sparks.model.errors import BadInput, BadSetting, Conflict, Unavailable
from sparks.model.ids import new_image_id
from sparks.model.migration import MigrationPhase
from sparks.model.schema_state import Place, RekeyPhase
from sparks.table.port import Delete, Item, Key, Put, Set
from tests.evolve.places import AFTER, BEFORE, ENGINES, HOLD, Processes, opened, rows_of, two_tables
from tests.evolve.writer import Writer
from tests.servers.process import wait_until

OLD_ROWS: Final = 60
LIMIT_NAME: Final = Rekeying("limit-name", "LIMIT#", "QUOTA#")
LATER: Final = Registry(
    (*AFTER.versions, Version(AFTER.current.number + 1, date(2027, 2, 1), "limits", 4, (LIMIT_NAME,)))
)


@pytest.fixture(params=ENGINES)
def processes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Processes]:
    with two_tables(request.param, tmp_path) as processes:
        yield processes


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Processes]:
    with two_tables("memory", tmp_path) as processes:
        yield processes


def fill(processes: Processes, *, rows: int = OLD_ROWS) -> dict[Key, Item]:
    """Rows that a Sparks of the version before has written, by their keys in the new form."""
    table = opened(processes, BEFORE)
    made: dict[Key, Item] = {}
    for _ in range(rows // 2):
        image = new_image_id()
        for sk in ("UPLOADED_BY#ann@example.com", "MONTH#ALL"):
            made[Key(f"IMAGE#{image}", sk)] = {"PK": image, "SK": sk, "entityType": f"OLD {sk}", "owner": "ann"}
    other = {"PK": "LIMIT#ann@example.com", "SK": "ann@example.com", "limit": 7}
    made[Key(other["PK"], other["SK"])] = other  # type: ignore[arg-type]
    items = list(made.values())
    for start in range(0, len(items), 60):
        table.write(*map(Put, items[start : start + 60]))
    return {key: {**item, "PK": key.pk} for key, item in made.items()}


def run(table: RekeyedTable) -> RekeyResult | None:
    return run_rekeyings(table, at=times.now(), throttle=Throttle(None), on_progress=lambda *_: None, settle=1.5 * HOLD)


def test_rows_get_their_new_keys_while_processes_write_and_no_write_is_lost(processes: Processes) -> None:
    expected = fill(processes)
    with ExitStack() as stack:
        writers = [stack.enter_context(Writer(opened(processes), f"writer{number}")) for number in range(2)]
        wait_until(lambda: all(writer.writes > 5 for writer in writers), what="the writers to write")
        result = run(opened(processes))
        writes = [writer.writes for writer in writers]
        wait_until(
            lambda: all(now.writes > before + 5 for now, before in zip(writers, writes, strict=True)),
            what="the writers to write to the new table",
        )
    assert result is not None
    assert result.copied >= OLD_ROWS
    for writer in writers:
        expected |= writer.expected
        assert writer.longest < 10
    tables = processes()
    assert rows_of(tables(Place.SECOND)) == expected
    assert rows_of(tables(Place.FIRST)) == {}
    state = read_schema_state(tables(Place.FIRST))
    assert state is not None
    assert (state.place, state.phase, state.rekeyed) == (Place.SECOND, None, ("image-prefix",))


def test_a_runner_that_is_killed_while_it_copies_is_completed_by_the_next_one(tmp_path: Path) -> None:
    with two_tables("sqlite", tmp_path) as processes:
        expected = fill(processes, rows=1200)
        first = processes()(Place.FIRST)
        with Writer(opened(processes), "writer") as writer:
            runner = subprocess.Popen([sys.executable, "-m", "tests.evolve.rekey_process", str(tmp_path), "100"])
            wait_until(
                lambda: "after" in (job_state(REKEYING, table=first).stats or {}), what="the first page to be copied"
            )
            runner.kill()
            runner.wait()
            state = read_schema_state(first)
            assert state is not None
            assert state.phase is RekeyPhase.COPYING
            writes = writer.writes
            wait_until(lambda: writer.writes > writes + 10, what="the writer to write on")
            result = run_rekeyings(
                opened(processes),
                at=times.now() + timedelta(minutes=2),
                throttle=Throttle(None),
                on_progress=lambda *_: None,
                settle=1.5 * HOLD,
            )
        assert result is not None
        assert rows_of(processes()(Place.SECOND)) == expected | writer.expected
        assert rows_of(first) == {}


def test_rows_that_were_not_captured_are_found_by_the_verification(in_memory: Processes) -> None:
    """As when the engine expires a row by itself, or a process was suspended for long in a write."""
    expected = fill(in_memory)
    raw = in_memory()(Place.FIRST)
    gone, kept = list(expected)[:2]
    late = Key(f"IMAGE#{new_image_id()}", "late")

    def meddle(what: str, _done: int) -> None:
        if what == "rows copied":
            raw.write(
                Put({"PK": late.pk.removeprefix("IMAGE#"), "SK": late.sk}),
                Set(Key(kept.pk.removeprefix("IMAGE#"), kept.sk), {"owner": "bob"}),
                Delete(Key(gone.pk.removeprefix("IMAGE#"), gone.sk)),
            )

    result = run_rekeyings(
        opened(in_memory), at=times.now(), throttle=Throttle(None), on_progress=meddle, settle=1.5 * HOLD
    )
    assert result is not None
    assert result.again == 3
    del expected[gone]
    expected[kept]["owner"] = "bob"
    assert rows_of(in_memory()(Place.SECOND)) == expected | {late: {"PK": late.pk, "SK": late.sk}}


def test_a_sparks_of_the_version_before_refuses_rows_that_have_new_keys(in_memory: Processes) -> None:
    fill(in_memory)
    before = opened(in_memory, BEFORE)
    run(opened(in_memory))
    with pytest.raises(BadSetting, match=r"version 3, and this Sparks knows versions up to 2: start the Sparks"):
        opened(in_memory, BEFORE)
    wait_until(lambda: _is_refused(before), what="a process that runs to refuse, too")


def _is_refused(table: RekeyedTable) -> bool:
    try:
        table.get(Key("a", "b"))
    except Unavailable as error:
        return "upgrade this one" in str(error)
    return False


def test_a_process_that_does_not_know_the_re_keying_writes_nothing_that_would_be_lost(in_memory: Processes) -> None:
    fill(in_memory)
    before = RekeyedTable(in_memory(), BEFORE, hold=0)
    before.open()
    started = opened(in_memory)

    def stop_after_begin(seconds: float) -> None:
        raise KeyboardInterrupt(seconds)

    with pytest.raises(KeyboardInterrupt):
        run_rekeyings(
            started, at=times.now(), throttle=Throttle(None), on_progress=lambda *_: None, sleep=stop_after_begin
        )
    with pytest.raises(Unavailable, match="upgrade this one"):
        before.write(Put({"PK": "a", "SK": "b"}))
    assert before.get(Key("LIMIT#ann@example.com", "ann@example.com")) is not None


def test_a_malformed_change_is_bad_input_before_the_rows_are_moved_too(in_memory: Processes) -> None:
    fill(in_memory)
    with pytest.raises(BadInput):
        opened(in_memory).write(Put({"PK": "a"}))


def test_new_data_have_the_new_keys_from_the_beginning(in_memory: Processes) -> None:
    table = opened(in_memory)
    key = Key(f"IMAGE#{new_image_id()}", "a")
    table.write(Put({"PK": key.pk, "SK": key.sk}))
    assert key in rows_of(in_memory()(Place.FIRST))
    assert run(table) is None


def test_a_row_that_has_the_new_form_already_stops_the_re_keying_before_it_begins(in_memory: Processes) -> None:
    opened(in_memory, BEFORE).write(Put({"PK": f"IMAGE#{new_image_id()}", "SK": "a"}))
    table = opened(in_memory)
    with pytest.raises(Conflict, match="has the new form already"):
        run(table)
    assert table.open().phase is None


def test_a_re_keying_waits_for_the_end_of_a_migration(in_memory: Processes) -> None:
    fill(in_memory)
    table = opened(in_memory)
    table.write(Put(to_item(MigrationState(source="a", objects="b", visibility="c", phase=MigrationPhase.CAPTURED))))
    with pytest.raises(Conflict, match="migration is under way"):
        run(table)


def test_rows_move_back_to_the_first_table_with_the_next_re_keying(in_memory: Processes) -> None:
    expected = fill(in_memory)
    run(opened(in_memory))
    with Writer(opened(in_memory, LATER), "writer", others="QUOTA#") as writer:
        run(opened(in_memory, LATER))
    assert rows_of(in_memory()(Place.FIRST)) == with_quotas(expected) | writer.expected
    assert rows_of(in_memory()(Place.SECOND)) == {}


def test_data_that_are_two_re_keyings_behind_are_moved_once(in_memory: Processes) -> None:
    expected = fill(in_memory)
    with Writer(opened(in_memory, LATER), "writer", others="QUOTA#") as writer:
        run(opened(in_memory, LATER))
    assert rows_of(in_memory()(Place.SECOND)) == with_quotas(expected) | writer.expected
    assert opened(in_memory, LATER).open().rekeyed == ("image-prefix", "limit-name")


def with_quotas(rows: dict[Key, Item]) -> dict[Key, Item]:
    renamed = {Key(key.pk.replace("LIMIT#", "QUOTA#"), key.sk): item for key, item in rows.items()}
    return {key: {**item, "PK": key.pk} for key, item in renamed.items()}
