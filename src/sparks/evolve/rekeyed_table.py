"""The table in the keys of this Sparks, whichever of the two tables holds the rows.

[Note: how a re-keying keeps every write] Until the switch, the rows are in the old table, and this wrapper translates
(`KeyView`). While they are copied, each transaction also leaves the keys that it writes (`CapturedKeys`), and checks a
fence row for the epoch that it was planned for. The runner reads those rows again and writes them to the new table: so
each write reaches both, whatever happens to the process. To switch, the runner raises the fences: no write of the old
epoch can follow. It applies what was captured, and the state then names the new table. Writes wait meanwhile, and for
as long afterwards as a process may hold an older state, so that no process reads the old table while another one
writes to the new one.

No clock is compared with another one: a process that has seen the same waiting phase for longer than it may last moves
the state on by itself. So a runner that is killed stops writes for ten seconds at most.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sparks.evolve.key_view import KeyView
from sparks.library import keys
from sparks.library.records import to_item
from sparks.library.schema import Registry
from sparks.library.schema_state import change_schema_state, read_schema_state, take_on
from sparks.model import times
from sparks.model.errors import Busy, ConditionFailed, TooLarge, Unavailable
from sparks.model.ids import new_event_id
from sparks.model.schema_state import FENCES, CapturedKeys, Place, RekeyPhase, SchemaState
from sparks.table.port import (
    EVERYTHING,
    MAX_CHANGES,
    Absent,
    Change,
    Check,
    Conditions,
    Equals,
    Item,
    Key,
    Number,
    Page,
    Put,
    Set,
    Span,
    Table,
    Within,
)
from sparks.table.rules import check_changes
from sparks.table.wrapper import increment_by_write

SECONDS_HELD: Final = 1.0
POLL: Final = 0.05
LONGEST_SWITCH: Final = 9.0  # seconds until a process ends a switch that is not completed
LONGEST_SWITCHED: Final = 2.0
MAX_WAIT: Final = 15.0
WAITING: Final = {RekeyPhase.SWITCHING: LONGEST_SWITCH, RekeyPhase.SWITCHED: LONGEST_SWITCHED}
CAPTURING: Final = frozenset({RekeyPhase.COPYING, *WAITING})
ROOM: Final = MAX_CHANGES - 2  # beside the captured keys and the fence

Tables = Callable[[Place], Table]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class View:
    """The place of the rows and the form of their keys, as of a state. `problem` is why this Sparks cannot write."""

    state: SchemaState
    table: Table
    keys: KeyView
    held_since: float
    problem: str | None = None


class RekeyedTable:
    def __init__(
        self,
        tables: Tables,
        registry: Registry,
        *,
        create: Callable[[Place], None] = lambda _: None,
        hold: float = SECONDS_HELD,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`create` makes a table that does not exist yet, where opening does not. `hold` is for how many seconds a
        process may go by the state that it has read.
        """
        self.registry = registry
        self.create = create
        self.hold = hold
        self._open_table = tables
        self._opened: dict[Place, Table] = {}
        self._clock = clock
        self._sleep = sleep
        self._view: View | None = None
        self._seen: tuple[int, float] = (-1, 0.0)  # an epoch, and since when this process has seen it

    def open(self) -> SchemaState:
        """Takes older data on. BadSetting where the data are too new for this Sparks."""
        state, known = self._refreshed().state, self.registry.current.number
        if state.version > known:
            log.warning(
                "the data are of version %d, newer than this Sparks (%d), which can use them", state.version, known
            )
        return state

    def tables(self, place: Place) -> Table:
        """The table itself, whose keys are not translated."""
        if place not in self._opened:
            self._opened[place] = self._open_table(place)
        return self._opened[place]

    def get(self, key: Key) -> Item | None:
        view = self._current()
        item = view.table.get(view.keys.old_key(key))
        return None if item is None else view.keys.new_item(item)

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        view = self._current()
        if not view.keys.rekeyings:
            return view.table.get_many(keys)
        found = view.table.get_many([view.keys.old_key(key) for key in keys])
        return {view.keys.new_key(key): view.keys.new_item(item) for key, item in found.items()}

    def query(
        self,
        within: Within,
        span: Span = EVERYTHING,
        *,
        limit: int = 100,
        after: Key | None = None,
        newest_first: bool = False,
        only: frozenset[str] | None = None,
    ) -> Page:
        view = self._current()
        old_within, old_span = view.keys.old_query(within, span)
        start = None if after is None else view.keys.old_key(after)
        page = view.table.query(old_within, old_span, limit=limit, after=start, newest_first=newest_first, only=only)
        return view.keys.new_page(page)

    def write(self, *changes: Change, token: str | None = None) -> None:
        """Waits for at most some ten seconds while the rows are switched to the other table."""
        deadline = self._clock() + MAX_WAIT
        while True:
            view = self._current()
            if view.state.phase in WAITING:
                self._wait(view, deadline)
            elif self._write(view, changes, token):
                return

    def increment(self, key: Key, name: str, amount: int = 1, *, values: Mapping[str, Any] | None = None) -> Number:
        view = self._current()
        if view.state.phase in CAPTURING:
            return increment_by_write(self, key, name, amount, values=values)
        return view.table.increment(view.keys.old_key(key), name, amount, values=values)

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        view = self._current()
        return view.keys.new_page(
            view.table.scan(limit=limit, after=None if after is None else view.keys.old_key(after))
        )

    def expire(self, at: datetime) -> int:
        return self._current().table.expire(at)

    def check(self) -> None:
        self._current().table.check()

    def close(self) -> None:
        for table in self._opened.values():
            table.close()

    # -- State

    def _current(self) -> View:
        view = self._view
        if view is None or self._clock() - view.held_since >= self.hold:
            return self._refreshed()
        return view

    def _refreshed(self) -> View:
        at = self._clock()
        state = self._read_state()
        known = {rekeying.name: rekeying for rekeying in self.registry.rekeyings}
        if not known.keys() >= set(state.rekeyed):
            raise Unavailable("a newer Sparks has given the rows other keys: upgrade this one")
        waiting = tuple(each for name, each in known.items() if name not in state.rekeyed)
        is_known = state.phase is not RekeyPhase.COPYING or known.keys() >= set(state.rekeying)
        problem = None if is_known else "a newer Sparks is giving the rows other keys: upgrade this one"
        if state.epoch != self._seen[0]:
            self._seen = state.epoch, at
        self._view = View(state, self.tables(state.place), KeyView(waiting), at, problem)
        return self._view

    def _read_state(self) -> SchemaState:
        """Only the first look refuses data that are too new: a running Sparks works on while others are upgraded."""
        first = self.tables(Place.FIRST)
        state = None if self._view is None else read_schema_state(first)
        return take_on(first, self.registry, at=times.now()) if state is None else state

    def _wait(self, view: View, deadline: float) -> None:
        """Moves the state on where the process that should do so seems to be dead."""
        epoch, since = self._seen
        state = view.state
        if state.phase is not None and state.epoch == epoch and self._clock() - since >= WAITING[state.phase]:
            following = RekeyPhase.COPYING if state.phase is RekeyPhase.SWITCHING else RekeyPhase.CLEARING
            move_on(self.tables, state, phase=following)
        elif self._clock() >= deadline:
            raise Busy("the rows are being moved to other keys at this moment: try again later")
        else:
            self._sleep(POLL)
        self._refreshed()

    # -- Writes

    def _write(self, view: View, changes: Sequence[Change], token: str | None) -> bool:
        """False where the state is another one by now."""
        if view.problem is not None:
            raise Unavailable(view.problem)
        old = changes
        if view.keys.rekeyings:
            old = [view.keys.old_change(change) for change in check_changes(changes, token)]
        try:
            if view.state.phase is RekeyPhase.COPYING:
                view.table.write(*old, *_captured(view.state, old, token), token=token)
            else:
                view.table.write(*old, token=token)
        except ConditionFailed as failed:
            if failed.position < len(changes):
                raise view.keys.new_failure(failed) from failed
            current = self._refreshed().state
            if current.phase is RekeyPhase.COPYING and current.epoch == view.state.epoch:
                raise_fences(view.table, current.epoch)  # the process that moved the state on has ended before this
            return False
        return True


def move_on(tables: Tables, state: SchemaState, *, phase: RekeyPhase | None, **changed: object) -> SchemaState | None:
    """The next state; None where the present state is another one than `state` by now."""

    def change(before: SchemaState) -> SchemaState | None:
        if before.epoch != state.epoch:
            return None
        return replace(before, phase=phase, epoch=before.epoch + 1, **changed)  # type: ignore[arg-type]

    moved = change_schema_state(tables(Place.FIRST), change)
    if moved is not None and moved.place is state.place:
        raise_fences(tables(moved.place), moved.epoch)
    return moved


def raise_fences(table: Table, epoch: int) -> None:
    """No write that checks for a lower epoch is made from now on. Fences never go down."""
    fences = [keys.schema_fence(shard) for shard in range(FENCES)]
    while True:
        found = table.get_many(fences)
        held = {key: found[key]["epoch"] if key in found else None for key in fences}
        low = {key: at for key, at in held.items() if at is None or at < epoch}
        if not low:
            return
        with suppress(ConditionFailed):
            table.write(*(Set(key, {"epoch": epoch}, when=_fence_is(at)) for key, at in low.items()))


def _fence_is(epoch: int | None) -> Conditions:
    return (Absent(),) if epoch is None else (Equals("epoch", epoch),)


def _captured(state: SchemaState, changes: Sequence[Change], token: str | None) -> tuple[Put, Check]:
    """A write with a token must be equal when it is repeated."""
    written = tuple(change.key for change in changes if not isinstance(change, Check))
    if len(changes) > ROOM:
        raise TooLarge(f"while rows get other keys, a write has at most {ROOM} changes")
    shard = threading.get_ident() % FENCES
    entry = CapturedKeys(shard=0 if token else shard, entry_id=token or new_event_id(), written=written)
    fence = keys.schema_fence(0 if token else shard)
    return Put(to_item(entry)), Check(fence, (Equals("epoch", state.epoch),))
