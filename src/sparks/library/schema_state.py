"""State of the stored data: reading it, changing it, and taking older data on.

The row is always in the first table, also after a re-keying has moved the rows to the second one: an older Sparks finds
it there, and refuses.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.records import as_read, changes, from_item, to_item
from sparks.library.schema import Registry
from sparks.model.errors import BadSetting, Busy, ConditionFailed
from sparks.model.schema_state import SchemaState
from sparks.table.port import Absent, Put, Table

_TRIES: Final = 20
_UNCHANGED: Final = ("version", "epoch", "oldestReader", "removed")
_BEFORE_ROWS: Final = 1  # the version of data that have no such row


def read_schema_state(table: Table) -> SchemaState | None:
    """None where no Sparks that counts versions has opened the data."""
    item = table.get(keys.SCHEMA_STATE)
    return None if item is None else from_item(SchemaState, item)


def take_on(table: Table, registry: Registry, *, at: datetime) -> SchemaState:
    """The state of the data, brought to the version of this Sparks. `table` is the first table.

    BadSetting where the data are newer, and this Sparks cannot work with them.
    """
    for _ in range(_TRIES):
        state = read_schema_state(table)
        if state is None:
            made = _new_state(table, registry, at)
            try:
                table.write(Put(to_item(made), when=(Absent(),)))
            except ConditionFailed:
                continue
            return made
        check_readable(state, registry)
        if state.version >= registry.current.number:
            return state
        change_schema_state(table, lambda before: _raised(before, registry, at))
    raise Busy("other processes are changing the state of the data: try again")


def check_readable(state: SchemaState, registry: Registry) -> None:
    """BadSetting where this Sparks is too old for the data."""
    known = registry.current.number
    if state.version > known and state.oldest_reader > known:
        raise BadSetting(
            f"the data are of version {state.version}, and this Sparks knows versions up to {known}: start the Sparks "
            "that wrote them or a newer one, or restore a backup from before the upgrade"
        )


def change_schema_state(table: Table, change: Callable[[SchemaState], SchemaState | None]) -> SchemaState | None:
    """The state after the change; None, and nothing is changed, where `change` returns None for the present state."""
    for _ in range(_TRIES):
        item = table.get(keys.SCHEMA_STATE)
        if item is None:
            return None
        before = from_item(SchemaState, item)
        after = change(before)
        if after is None or after == before:
            return after
        try:
            table.write(changes(before, after, when=as_read(item, _UNCHANGED)))
        except ConditionFailed:
            continue
        return after
    raise Busy("other processes are changing the state of the data: try again")


def _new_state(table: Table, registry: Registry, at: datetime) -> SchemaState:
    """New data have the new keys from the beginning."""
    is_empty = bool(registry.rekeyings) and not table.scan(limit=1).items
    state = SchemaState(
        version=_BEFORE_ROWS,
        oldest_reader=_BEFORE_ROWS,
        taken_on={str(_BEFORE_ROWS): at},
        rekeyed=tuple(rekeying.name for rekeying in registry.rekeyings) if is_empty else (),
    )
    return _raised(state, registry, at)


def _raised(state: SchemaState, registry: Registry, at: datetime) -> SchemaState:
    reached = (version for version in registry.versions if version.number > state.version)
    current = registry.current
    return replace(
        state,
        version=max(state.version, current.number),
        oldest_reader=max(state.oldest_reader, current.oldest_reader),
        taken_on={**state.taken_on, **{str(version.number): at for version in reached}},
    )
