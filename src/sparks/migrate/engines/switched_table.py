"""Table that notes its changes during a migration between engines, and changes over to the other one.

Row writes wait while neither side takes them. Reads go on.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sparks.library.records import key_of
from sparks.migrate.engines import gate, outbox
from sparks.migrate.engines.switch import EngineSwitch, View
from sparks.model.errors import Busy, ConditionFailed, SparksError, Unavailable
from sparks.table.port import (
    EVERYTHING,
    MAX_CHANGES,
    Change,
    Check,
    Delete,
    Item,
    Key,
    Number,
    Page,
    Present,
    Set,
    Span,
    Within,
)
from sparks.table.wrapper import increment_by_write

TRIES: Final = 20
MOVED_MEANWHILE: Final = "the library was moved to other engines while this was written: look at it, and try again"


class SwitchedTable:
    def __init__(self, switch: EngineSwitch) -> None:
        self._switch = switch

    def get(self, key: Key) -> Item | None:
        return self._switch.view().stores.table.get(key)

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        return self._switch.view().stores.table.get_many(keys)

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
        table = self._switch.view().stores.table
        return table.query(within, span, limit=limit, after=after, newest_first=newest_first, only=only)

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        return self._switch.view().stores.table.scan(limit=limit, after=after)

    def write(self, *changes: Change, token: str | None = None) -> None:
        """Busy where neither side takes writes for ten seconds."""
        for _ in range(TRIES):
            view = self._switch.writable()
            if not view.moves_rows:
                return self._write_plain(view, changes, token)
            try:
                return self._write_captured(view, changes, token)
            except ConditionFailed as failed:
                if failed.position < len(changes):
                    raise
                self._switch.look_again()
        raise Busy("the library is being moved to other engines at this moment: try again in some seconds")

    def increment(self, key: Key, name: str, amount: int = 1, *, values: Mapping[str, Any] | None = None) -> Number:
        view = self._switch.writable()
        if view.moves_rows:
            return increment_by_write(self, key, name, amount, values=values)
        number = view.stores.table.increment(key, name, amount, values=values)
        if self._switch.is_late(view):
            self._note_late(view, [Set(key, {name: number})])
        return number

    def expire(self, at: datetime) -> int:
        """0 while rows are moved: the other side would keep what is dropped without an entry in the outbox."""
        view = self._switch.view()
        return 0 if view.moves_rows else view.stores.table.expire(at)

    def check(self) -> None:
        self._switch.view().stores.table.check()

    def close(self) -> None:
        self._switch.close()
        self._switch.view().stores.table.close()

    def _write_plain(self, view: View, changes: Sequence[Change], token: str | None) -> None:
        view.stores.table.write(*changes, token=token)
        if self._switch.is_late(view):
            self._note_late(view, changes)

    def _note_late(self, view: View, changes: Sequence[Change]) -> None:
        """The write ended after a migration may have begun: it is noted, or it does not count."""
        entry = outbox.new_entry(rows=_changed(changes))
        fresh = self._switch.writable()
        if fresh.stores.table is not view.stores.table:
            raise Unavailable(MOVED_MEANWHILE)
        if fresh.moves_rows and not self._switch.note(fresh, entry):
            raise Unavailable(MOVED_MEANWHILE)

    def _write_captured(self, view: View, changes: Sequence[Change], token: str | None) -> None:
        """ConditionFailed behind the caller's changes where this side does not take writes any more."""
        assert view.migration is not None  # noqa: S101  the caller has looked
        is_open = gate.gate_is_open(view.migration)
        rows = _changed(changes)
        if token is None and len(changes) + 2 <= MAX_CHANGES:
            entries = [outbox.put(outbox.new_entry(rows=rows))] if rows else []
            view.stores.table.write(*changes, *entries, is_open)
        else:
            self._write_around(view, changes, token)

    def _write_around(self, view: View, changes: Sequence[Change], token: str | None) -> None:
        """A write with a token must be equal when it is repeated, and a full one has no space. So an entry announces
        it, which keeps the migrator from deciding until it is replaced by one that says that the rows have changed.
        """
        rows, table = _changed(changes), view.stores.table
        pending = outbox.new_entry(rows=rows, pending=True)
        if not self._switch.note(view, pending):
            raise ConditionFailed(len(changes), None)
        try:
            table.write(*changes, token=token)
        except SparksError:
            table.write(Delete(key_of(pending)))
            raise
        try:
            table.write(Delete(key_of(pending), when=(Present(),)), outbox.put(outbox.new_entry(rows=rows)))
        except ConditionFailed as failed:
            raise Unavailable(MOVED_MEANWHILE) from failed


def _changed(changes: Sequence[Change]) -> list[Key]:
    return [change.key for change in changes if not isinstance(change, Check)]
