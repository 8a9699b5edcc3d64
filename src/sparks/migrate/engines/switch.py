"""Switch of one process: the engines that it uses now, as the state of a migration says.

[Note: held state] A process holds the state for a second, so that it costs one small read a second. A write during a
migration checks the state again, in its transaction: see [Note: gate]. A write of a process that knows of no migration
yet does not; it counts only if it ended within `VALID` seconds after the state was read, and `capture` waits for longer
than that before it relies on what is captured. A slower write looks at the state again before it is reported as done.

[Note: reads at the change-over] Reads go on at the old side while neither side takes writes. By then every process
looks at the state every tenth of a second, and the new side takes its first write `GRACE` seconds after the decision.
So no process reads from the old side what was changed at the new one.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sparks.library import keys
from sparks.library.migration_state import read_engine_migration
from sparks.migrate.engines import gate, outbox
from sparks.migrate.engines.sides import Engines, OpenStores, same_engines, same_place, shown, variables
from sparks.model.engine_migration import EngineMigration, EngineOutboxEntry, other_side
from sparks.model.errors import Busy, ConditionFailed, SparksError, Unavailable
from sparks.model.migration import WriteSide
from sparks.model.times import iso, now
from sparks.table.port import Change, Put

HELD: Final = 1.0  # seconds for which the state is held
FROZEN_HELD: Final = 0.1  # .. while neither side takes writes
VALID: Final = 2.0
GRACE: Final = 0.3
PATIENCE: Final = 10.0  # seconds that a write waits
MAX_MOVES: Final = 4  # finished migrations that follow each other
PREPARE_EVERY: Final = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class View:
    """The state as it was read at the monotonic time `at`. `migration` is None where none is under way. `waits`: no
    write may be made now. `passive` are the stores of the other side after a change-over.
    """

    at: float
    stores: OpenStores
    migration: EngineMigration | None = None
    waits: bool = False
    passive: OpenStores | None = None

    @property
    def moves_rows(self) -> bool:
        return self._moves("table")

    @property
    def moves_blobs(self) -> bool:
        return self._moves("blobs")

    @property
    def moves_jobs(self) -> bool:
        return self._moves("jobs")

    def _moves(self, kind: str) -> bool:
        moved = self.migration
        return moved is not None and not same_place(kind, moved.source, moved.target)


class EngineSwitch:
    """`home` are the stores that the settings name, `engines`. `open_stores` opens those of other engines, each store
    once. Unavailable where the library has moved to engines that cannot be reached.
    """

    def __init__(
        self,
        home: OpenStores,
        engines: Engines,
        open_stores: Callable[[Engines], OpenStores],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.home: Final = home
        self._engines = engines
        self._open_stores = open_stores
        self._clock = clock
        self._lock = threading.RLock()
        self._held: View | None = None
        self._decided: tuple[int, float] | None = None
        self._preparing: str | None = None
        self._told: set[str] = set()
        self._closed = threading.Event()

    def begin(self) -> None:
        """Unavailable where the library has moved and cannot be reached. A table that is away may come back."""
        try:
            has_state = read_engine_migration(self.home.table) is not None
        except SparksError:
            return
        if has_state:
            self._look()

    def view(self) -> View:
        """The state for a read. Where the table cannot be read, the last one."""
        held = self._held
        if held is not None and not self._is_over(held):
            return held
        try:
            return self._look()
        except SparksError:
            if held is None:
                raise
            return held

    def writable(self) -> View:
        """The state by which a write may be planned, once a side takes writes. Busy where none does in time."""
        held = self._held
        view = self._look() if held is None or self._is_over(held) else held
        deadline = self._clock() + PATIENCE
        while view.waits:
            if self._clock() > deadline:
                raise Busy("the library is being moved to other engines at this moment: try again in some seconds")
            self._lift_if_over(view)
            time.sleep(FROZEN_HELD)
            view = self._look(fresh=True)
        return view

    def is_late(self, view: View) -> bool:
        """Whether a write that was planned without capturing it ended too late to count: see [Note: held state]. The
        state is read again then.
        """
        if self._clock() - view.at <= VALID:
            return False
        self.look_again()
        return True

    def look_again(self) -> View:
        return self._look(fresh=True)

    def note(self, view: View, entry: EngineOutboxEntry, *others: Change) -> bool:
        """Writes the entry while this side takes writes; False where it does not any more."""
        assert view.migration is not None  # noqa: S101  callers note only during a migration
        try:
            view.stores.table.write(outbox.put(entry), *others, gate.gate_is_open(view.migration))
        except ConditionFailed:
            self.look_again()
            return False
        return True

    def close(self) -> None:
        """Ends the preparation of the other side."""
        self._closed.set()

    # -- Looking

    def _is_over(self, held: View) -> bool:
        return self._clock() - held.at >= (FROZEN_HELD if held.waits else HELD)

    def _look(self, *, fresh: bool = False) -> View:
        asked = self._clock()
        with self._lock:
            held = self._held
            if held is not None and (held.at >= asked if fresh else not self._is_over(held)):
                return held  # another thread has looked meanwhile
            self._held = view = self._resolve(self._clock())
            return view

    def _resolve(self, at: float) -> View:
        stores, engines = self.home, self._engines
        for _ in range(MAX_MOVES):
            state = read_engine_migration(stores.table)
            if state is not None and state.is_under_way:
                return self._under_way(at, state, stores, engines)
            if state is None or state.writes is not WriteSide.TARGET or not _names_source(engines, state):
                return View(at, stores)
            self._tell_of_move(state)
            stores, engines = self._opened(state.target), state.target
        raise Unavailable("the library was moved in a circle: name the engines that hold it in the settings")

    def _under_way(self, at: float, state: EngineMigration, stores: OpenStores, engines: Engines) -> View:
        if same_place("table", state.source, state.target):
            side = state.frozen_side or state.writes
            return self._at(at, state, side, waits=state.writes is WriteSide.NEITHER)
        here = WriteSide.SOURCE if same_place("table", engines, state.source) else WriteSide.TARGET
        if state.writes in (here, WriteSide.NEITHER):
            return self._at(at, state, here, waits=state.writes is WriteSide.NEITHER)
        there = other_side(here)
        other = self._opened(state.engines(there))
        found = read_engine_migration(other.table)
        if found is None or found.migration_id != state.migration_id:
            raise Unavailable(f"the library has moved to {shown(state.engines(there))}, which does not know of it")
        if not found.is_under_way:
            return View(at, other)
        if found.turn < state.turn:
            return self._activated(at, found, state, other, active=there)
        if found.turn > state.turn and found.writes is here:
            return self._activated(at, state, found, stores, active=here)
        self._tell_of_move(state)
        return self._at(at, found, there, waits=found.writes is WriteSide.NEITHER)

    def _activated(
        self, at: float, waiting: EngineMigration, decided: EngineMigration, stores: OpenStores, *, active: WriteSide
    ) -> View:
        """Lets a side take writes for which that was decided, in case the migrator was killed before it could."""
        if self._decided is None or self._decided[0] != decided.turn:
            self._decided = decided.turn, at
        if at - self._decided[1] < GRACE:
            return self._at(at, decided, other_side(active), waits=True)
        gate.activate(waiting, decided, table=stores.table)
        state = read_engine_migration(stores.table) or decided
        return self._at(at, state, active, waits=state.writes is not active)

    def _at(self, at: float, state: EngineMigration, side: WriteSide, *, waits: bool) -> View:
        self._prepare(state)
        passive = None if state.turn == 0 else self._opened_if_possible(state.engines(other_side(side)))
        return View(at, self._opened(state.engines(side)), state, waits, passive)

    def _lift_if_over(self, view: View) -> None:
        state = view.migration
        if state is not None and state.frozen_until is not None and now() > state.frozen_until:
            gate.lift(state, table=view.stores.table)

    # -- Opening

    def _opened(self, engines: Engines) -> OpenStores:
        return self.home if same_engines(engines, self._engines) else self._open_stores(engines)

    def _opened_if_possible(self, engines: Engines) -> OpenStores | None:
        try:
            return self._opened(engines)
        except SparksError as error:
            self._tell_once(f"the other engines of the migration cannot be opened: {error}")
            return None

    def _prepare(self, state: EngineMigration) -> None:
        """Opens the other side in a thread of its own, since that takes long; tells the migrator if it fails."""
        if self._preparing == state.migration_id:
            return
        self._preparing = state.migration_id
        threading.Thread(target=self._try_to_open, args=(state,), name="engines", daemon=True).start()

    def _try_to_open(self, state: EngineMigration) -> None:
        obstacle = keys.engine_obstacle(f"{socket.gethostname()}:{os.getpid()}")
        while not self._closed.is_set():
            try:
                for side in (WriteSide.SOURCE, WriteSide.TARGET):
                    stores = self._opened(state.engines(side))
                    for store in (stores.table, stores.blobs, stores.jobs):
                        store.check()
            except SparksError as error:
                self._tell_once(f"this process cannot use the other engines of the migration: {error}")
                row = {"PK": obstacle.pk, "SK": obstacle.sk, "reason": str(error)[:500], "at": iso(now())}
                self._write_obstacle(Put(row))
                self._closed.wait(PREPARE_EVERY)
            else:
                return

    def _write_obstacle(self, change: Change) -> None:
        try:
            self.home.table.write(change)
        except SparksError as error:
            log.warning("the migrator cannot be told of an obstacle: %s", error)

    def _tell_of_move(self, state: EngineMigration) -> None:
        if state.writes is WriteSide.TARGET and not same_engines(self._engines, state.target):
            changed = variables(state.target, self._engines)
            self._tell_once(f"the library has moved to {shown(state.target)}: set {changed}")

    def _tell_once(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            log.warning(message)


def _names_source(engines: Engines, state: EngineMigration) -> bool:
    """Whether the settings still name what the library has left. Its table alone tells that, if it was left."""
    if same_place("table", state.source, state.target):
        return same_engines(engines, state.source)
    return same_place("table", engines, state.source)
