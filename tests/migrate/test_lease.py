"""Lease of the migration: one command at a time, and no write of one that has lost it."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from sparks.library import keys
from sparks.migrate import lease as lease_module
from sparks.migrate.lease import LeasedTable, current_holder, held_lease, remove_lease
from sparks.model.errors import Busy, ConditionFailed
from sparks.table.memory import MemoryTable
from sparks.table.port import Absent, Equals, Key, Put, Set, Table
from tests.servers.process import wait_until

ROW = {"PK": "a", "SK": "b"}


@pytest.fixture
def table() -> Table:
    return MemoryTable()


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"BEAT_EVERY": 0.05, "DEAD_AFTER": 0.5, "WAIT": 1.0, "POLL": 0.02}.items():
        monkeypatch.setattr(lease_module, name, seconds)


@pytest.fixture
def ended_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def hold_as_another(table: Table, *, pid: int = 1, host: str = "elsewhere", command: str = "follow") -> None:
    """The lease of a process that does not beat."""
    row = {"PK": "MIGRATION", "SK": "LEASE", "holder": "other", "command": command, "pid": pid, "host": host}
    table.write(Put({**row, "beat": 1, "epoch": 7}))


def test_the_holder_is_shown_while_it_holds_the_lease(table: Table) -> None:
    with held_lease("backfill", table=table):
        holder = current_holder(table=table)
        assert holder is not None
        assert (holder.command, holder.pid, holder.host) == ("backfill", os.getpid(), socket.gethostname())
    assert current_holder(table=table) is None


def test_a_second_command_waits_and_then_says_which_one_runs(table: Table) -> None:
    with (
        held_lease("backfill", table=table),
        pytest.raises(Busy, match=rf"`sparks migrate backfill` \(process {os.getpid()}\) is running"),
        held_lease("verify", table=table),
    ):
        pass


def test_a_command_that_waits_goes_on_when_the_other_one_ends(table: Table) -> None:
    with held_lease("backfill", table=table) as first:
        waiting = threading.Thread(target=_hold_once, args=(table,))
        waiting.start()
    waiting.join()
    with held_lease("verify", table=table) as later:
        assert later.epoch == first.epoch + 2


def _hold_once(table: Table) -> None:
    with held_lease("follow", table=table):
        pass


def test_a_follower_is_asked_to_stop_and_other_commands_are_not(table: Table) -> None:
    with held_lease("follow", table=table) as follower:
        with (
            pytest.raises(Busy),
            held_lease("cutover", over=frozenset({"mirror"}), table=table),
        ):
            pass
        assert not follower.is_wanted
        with pytest.raises(Busy), held_lease("cutover", over=frozenset({"follow"}), table=table):
            pass
        wait_until(lambda: follower.is_wanted, what="the wish for the lease", seconds=5)


def test_the_lease_of_a_dead_process_of_this_host_is_taken_at_once(
    table: Table, ended_pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "WAIT", 0.0)
    hold_as_another(table, pid=ended_pid, host=socket.gethostname())
    assert current_holder(table=table) is None
    with held_lease("backfill", table=table) as lease:
        assert lease.epoch == 8


def test_the_lease_of_another_host_ends_when_its_beat_stands_still(table: Table) -> None:
    hold_as_another(table)
    with held_lease("backfill", table=table) as lease:
        assert lease.epoch == 8


def test_a_process_that_beats_keeps_its_lease(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    with held_lease("backfill", table=table) as lease:
        monkeypatch.setattr(lease_module, "WAIT", 2.0)
        with pytest.raises(Busy), held_lease("follow", table=table):
            pass
        lease.check()


def lose(table: Table) -> None:
    """Another process takes over."""
    table.write(Set(keys.MIGRATION_LEASE, {"holder": "other", "epoch": 99}))
    table.write(*(Set(keys.migration_epoch(shard), {"epoch": 99}) for shard in range(lease_module.SHARDS)))


@pytest.fixture
def lost(table: Table) -> Iterator[LeasedTable]:
    with held_lease("backfill", table=table) as lease:
        leased = LeasedTable(table, lease)
        leased.write(Put(ROW))
        lose(table)
        yield leased


def test_no_write_succeeds_once_the_lease_is_lost(table: Table, lost: LeasedTable) -> None:
    with pytest.raises(Busy, match="another `sparks migrate` command has taken over"):
        lost.write(Put({**ROW, "late": True}))
    assert table.get(Key("a", "b")) == ROW


def test_a_lost_lease_is_noticed_by_the_next_beat_and_not_released(table: Table) -> None:
    with held_lease("backfill", table=table) as lease:
        lose(table)
        wait_until(lambda: lease.is_lost, what="the loss", seconds=5)
        with pytest.raises(Busy):
            lease.check()
    row = table.get(keys.MIGRATION_LEASE)
    assert row is not None
    assert row["holder"] == "other"


def test_a_condition_of_the_caller_keeps_its_position(table: Table) -> None:
    with held_lease("backfill", table=table) as lease:
        leased = LeasedTable(table, lease)
        with pytest.raises(ConditionFailed) as failed:
            leased.write(Put(ROW), Set(Key("x", "y"), {"a": 1}, when=(Equals("a", 2),)))
        assert failed.value.position == 1
        leased.write(Put(ROW, when=(Absent(),)))


def test_after_the_lease_was_removed_the_epochs_go_on_rising(table: Table) -> None:
    with held_lease("finish", table=table) as lease:
        remove_lease(table=table)
    assert current_holder(table=table) is None
    with held_lease("capture", table=table) as later:
        assert later.epoch > lease.epoch


def test_of_many_commands_that_begin_at_once_one_holds_the_lease(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "WAIT", 30.0)
    inside, most = 0, 0
    turn = threading.Lock()

    def run() -> None:
        nonlocal inside, most
        with held_lease("backfill", table=table):
            with turn:
                inside += 1
                most = max(most, inside)
            with turn:
                inside -= 1

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1)
