"""Conversion between model values and table items, with the registry of record types.

Each kind of row is a record type in this folder.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sparks.library.records import (
    account,
    album,
    archive,
    biometric_erasure,
    engine_migration,
    migration,
    person,
    photo,
    photo_index,
    schema_state,
    share,
    system_records,
)
from sparks.library.records.attributes import T
from sparks.library.records.foreign_rows import report_once
from sparks.library.records.record_type import RecordType
from sparks.model.errors import BadInput, Damaged
from sparks.model.stored import Stored
from sparks.table.port import AttributeAbsent, Conditions, Equals, Item, Key, Present, Set
from sparks.table.values import same_value

RECORD_TYPES: Final[dict[type[Stored], RecordType[Any]]] = {
    record_type.kind: record_type
    for module in (
        account,
        album,
        archive,
        biometric_erasure,
        engine_migration,
        migration,
        person,
        photo,
        photo_index,
        schema_state,
        share,
        system_records,
    )
    for record_type in vars(module).values()
    if isinstance(record_type, RecordType)
}
EXISTS: Final[Conditions] = (Present(),)


def key_of(value: Stored) -> Key:
    return _record_type(type(value)).key(value)


def to_item(value: Stored) -> Item:
    return _record_type(type(value)).write(value)


def attribute_names(kind: type[Stored]) -> frozenset[str]:
    """The attributes of such a row that Sparks knows."""
    return _record_type(kind).fields.known


def from_item(kind: type[T], item: Item) -> T:
    """Damaged where the item is not a row of this kind."""
    value: T = _record_type(kind).read(item)
    return value


def read_item(kind: type[T], item: Item) -> T | None:
    """The value of a row that another writer may have written; None where it is not a row of this kind."""
    try:
        return from_item(kind, item)
    except Damaged as error:
        _report(kind, item, error)
        return None


def read_items(kind: type[T], items: Iterable[Item]) -> Iterator[T]:
    """The values of all rows that are of this kind: no other row ends a walk over many."""
    return (value for item in items if (value := read_item(kind, item)) is not None)


def read_row(kind: type[Stored], item: Item, *, only: frozenset[str] | None = None) -> Item | None:
    """The row as Sparks would have written it, so that its attributes may be shown; None where it is not a row of this
    kind. `only` are the attributes with which it was read.
    """
    try:
        return _record_type(kind).rewritten(item, only=only)
    except Damaged as error:
        _report(kind, item, error)
        return None


def _report(kind: type[Stored], item: Item, error: Damaged) -> None:
    report_once(kind.__name__, item["PK"], f"passed over: {error}")


def changes(before: T, after: T, *, when: Conditions = EXISTS) -> Set:
    """The write by which the row of `before` becomes that of `after`; other attributes are not touched."""
    old, new = to_item(before), to_item(after)
    key = key_of(before)
    if key_of(after) != key:
        raise BadInput("a row keeps its key: a value with another key is another row")
    values = {name: value for name, value in new.items() if name not in old or not same_value(old[name], value)}
    return Set(key, values, frozenset(old.keys() - new.keys()), when)


def as_read(item: Item, names: Iterable[str]) -> Conditions:
    """The conditions that the item exists, and that these attributes are as they were read."""
    same = (Equals(name, item[name]) if name in item else AttributeAbsent(name) for name in names)
    return (Present(), *same)


def _record_type(kind: type[Stored]) -> RecordType[Any]:
    record_type = RECORD_TYPES.get(kind)
    if record_type is None:
        raise BadInput(f"a {kind.__name__} has no row of its own")
    return record_type
