"""Lease of the migration: one command at a time, and no write of a command that has lost it.

The holder raises a number, the beat, every second. A command that waits takes the lease when the beat has stood still
for ten seconds by its own clock, so that clocks need not agree. Taking it raises the epoch. Every write of the migrator
checks the epoch (`LeasedTable`): a process that was stopped and wakes up changes nothing any more.
"""

import os
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from sparks.library import keys
from sparks.library.records import as_read
from sparks.model.errors import Busy, ConditionFailed, SparksError
from sparks.model.ids import random_id
from sparks.table.port import Absent, Change, Check, Conditions, Equals, Item, Put, Set, Table
from sparks.table.wrapper import TableWrapper

BEAT_EVERY: Final = 1.0  # seconds
DEAD_AFTER: Final = 10.0
WAIT: Final = 30.0
POLL: Final = 0.2
SHARDS: Final = 8  # rows of the epoch, so that parallel writes do not all check the same one
LOST: Final = "another `sparks migrate` command has taken over: this one has stopped"
_SEEN: Final = ("holder", "epoch")


@dataclass(frozen=True, slots=True)
class Holder:
    """The command that holds the lease."""

    command: str
    pid: int
    host: str


class Lease:
    """A held lease. `is_wanted`: another command asks for it; `is_lost`: another one has it."""

    def __init__(self, holder: str, epoch: int, *, table: Table) -> None:
        self.epoch = epoch
        self.is_wanted = False
        self.is_lost = False
        self._holder = holder
        self._table = table
        self._released = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="migration lease", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Busy where the lease is lost."""
        if self.is_lost:
            raise Busy(LOST)

    def _beat(self) -> None:
        beat = 0
        while not self._released.wait(BEAT_EVERY):
            beat += 1
            mine = (Equals("holder", self._holder),)
            try:
                self._table.write(Set(keys.MIGRATION_LEASE, {"beat": beat}, when=mine))
                row = self._table.get(keys.MIGRATION_LEASE) or {}
                self.is_wanted = "wanted" in row
            except ConditionFailed:
                self.is_lost = True
                return
            except SparksError:
                continue  # the store is busy or away; the next beat comes soon

    def release(self) -> None:
        """Nothing happens where it is lost; where the store is away, the lease ends by itself."""
        self._released.set()
        self._thread.join()
        mine = (Equals("holder", self._holder),)
        gone = frozenset({"holder", "command", "pid", "host", "wanted"})
        try:
            self._table.write(Set(keys.MIGRATION_LEASE, remove=gone, when=mine))
        except SparksError:
            return


class LeasedTable(TableWrapper):
    """The table, each write of which fails once the lease is lost."""

    def __init__(self, table: Table, lease: Lease) -> None:
        super().__init__(table)
        self._lease = lease

    def write(self, *changes: Change, token: str | None = None) -> None:
        """Busy where the lease is lost."""
        shard = random.randrange(SHARDS)  # noqa: S311  not a secret
        holds = Check(keys.migration_epoch(shard), (Equals("epoch", self._lease.epoch),))
        try:
            self._table.write(*changes, holds, token=token)
        except ConditionFailed as failed:
            if failed.position == len(changes):
                raise Busy(LOST) from failed
            raise


@contextmanager
def held_lease(command: str, *, over: frozenset[str] = frozenset(), table: Table) -> Iterator[Lease]:
    """The lease, until the end of the block. A command named in `over` is asked to stop; any other is waited for.

    Busy where another command still holds it after half a minute.
    """
    lease = _acquire(command, over, table)
    try:
        yield lease
    finally:
        lease.release()


def current_holder(*, table: Table) -> Holder | None:
    """The command that holds the lease. One of this host that has died is none."""
    row = table.get(keys.MIGRATION_LEASE)
    if row is None or "holder" not in row:
        return None
    holder = Holder(row["command"], row["pid"], row["host"])
    return None if holder.host == socket.gethostname() and not _is_alive(holder.pid) else holder


def remove_lease(*, table: Table) -> None:
    """Clears the row, so that no command is shown. The epochs stay: they end those that sleep."""
    table.write(Put({"PK": keys.MIGRATION_LEASE.pk, "SK": keys.MIGRATION_LEASE.sk, "epoch": _epoch(table) + 1}))


def _acquire(command: str, over: frozenset[str], table: Table) -> Lease:
    began = seen_at = time.monotonic()
    seen: tuple[str, int] | None = None
    while True:
        row = table.get(keys.MIGRATION_LEASE)
        now = time.monotonic()
        beat = None if row is None or "holder" not in row else (row["holder"], row.get("beat", 0))
        if beat != seen:
            seen, seen_at = beat, now
        if row is None or beat is None or _is_dead(row) or now - seen_at >= DEAD_AFTER:
            taken = _take(command, row, table)
            if taken is not None:
                return taken
        elif row["command"] in over and "wanted" not in row:
            _ask(command, row, table)
        if now - began >= WAIT:
            raise Busy(_held_by(row))
        time.sleep(POLL)


def _is_dead(row: Item) -> bool:
    return bool(row["host"] == socket.gethostname() and not _is_alive(row["pid"]))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _take(command: str, row: Item | None, table: Table) -> Lease | None:
    """None where another command was faster."""
    holder, epoch = random_id(), _epoch(table) + 1
    mine = {"holder": holder, "command": command, "pid": os.getpid(), "host": socket.gethostname()}
    as_seen: Conditions = (Absent(),) if row is None else as_read(row, _SEEN)
    taken = Set(keys.MIGRATION_LEASE, {**mine, "beat": 0, "epoch": epoch}, frozenset({"wanted"}), as_seen)
    epochs = [Set(keys.migration_epoch(shard), {"epoch": epoch}) for shard in range(SHARDS)]
    try:
        table.write(taken, *epochs)
    except ConditionFailed:
        return None
    return Lease(holder, epoch, table=table)


def _epoch(table: Table) -> int:
    """The highest so far: that of the lease's row, or of the epochs where that row was removed."""
    rows = table.get_many([keys.MIGRATION_LEASE, *map(keys.migration_epoch, range(SHARDS))])
    return max((row.get("epoch", 0) for row in rows.values()), default=0)


def _ask(command: str, row: Item, table: Table) -> None:
    try:
        table.write(Set(keys.MIGRATION_LEASE, {"wanted": command}, when=(Equals("holder", row["holder"]),)))
    except ConditionFailed:
        return


def _held_by(row: Item | None) -> str:
    what = "another command" if row is None else f"`sparks migrate {row.get('command')}` (process {row.get('pid')})"
    return f"{what} is running: wait until it ends, or end it, then try again"
