"""One month of a timeline as columns: encoded when it is built, and good for one version of its counter.

The photos are newest first, by the time they were taken; each column has one entry a photo, in that order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from sparks.library import entity_types, keys
from sparks.library.months import Month
from sparks.model.photo import AssetType
from sparks.table.port import Item, Table, every

READ_AT_ONCE: Final = 1000


class Columns(msgspec.Struct):
    """What is read back of an encoded month."""

    month: str
    count: int
    ids: list[str]
    ratios: list[float]
    version: int | None = None


@dataclass(frozen=True, slots=True)
class BuiltMonth:
    """`version` is None where the rows do not agree with the counter: the index is behind, or the month is changing.
    Such a month is shown, and kept nowhere.
    """

    version: int | None
    encoded: bytes

    @property
    def columns(self) -> Columns:
        return msgspec.json.decode(self.encoded, type=Columns)

    def with_more(self, more: bytes) -> bytes:
        """The month with what is the caller's own, `"name":value` and so on, in the same object."""
        return b"%b,%b}" % (self.encoded[:-1], more) if more else self.encoded

    def beginning(self, most: int) -> "BuiltMonth":
        """The month with its newest photos alone; `count` still tells of all."""
        told: dict[str, Any] = msgspec.json.decode(self.encoded)
        cut = {name: value[:most] if isinstance(value, list) else value for name, value in told.items()}
        return BuiltMonth(self.version, msgspec.json.encode(cut))


def build_month(month: Month, *, table: Table) -> BuiltMonth:
    """Good for the version that the counter had before and after."""
    before = counter_of(month, table=table)
    rows = _rows(month, table)
    settled = len(rows) == before.count and counter_of(month, table=table) == before
    version = before.version if settled else None
    return BuiltMonth(version, msgspec.json.encode(_columns(month.month, version, rows)))


def read_copy(month: Month, version: int, encoded: bytes) -> BuiltMonth | None:
    """The month out of its copy; None where the copy is not what it should be."""
    kept = BuiltMonth(version, encoded)
    try:
        columns = kept.columns
    except msgspec.DecodeError:
        return None
    is_whole = columns.count == len(columns.ids) == len(columns.ratios)
    return kept if is_whole and (columns.month, columns.version) == (month.month, version) else None


@dataclass(frozen=True, slots=True)
class Count:
    """What a month's counter says; 0 of version 0 where there is none, and no photo."""

    count: int = 0
    version: int = 0


def counter_of(month: Month, *, table: Table) -> Count:
    item = table.get(keys.month_counter(month.scope, month.month))
    return Count() if item is None else Count(item.get("count", 0), item.get("version", 0))


def _rows(month: Month, table: Table) -> list[Item]:
    """[Note: by key] The index tells which photos may be in the month; rows read by their keys, whether they are. So as
    many as are counted are the very ones that are counted, however far behind the index is.
    """
    listed = entity_types.month(month.scope, month.month)
    found = [keys.month_link(row["PK"], month.scope) for row in every(table, listed, page=READ_AT_ONCE)]
    rows = table.get_many(found).values()
    counted = (row for row in rows if row.get("entityType") == listed.value and row.get("counted"))
    return sorted(counted, key=_taken, reverse=True)


def _taken(row: Item) -> tuple[str, str]:
    return row.get("takenAt", ""), row["PK"]


def _columns(month: str, version: int | None, rows: Sequence[Item]) -> dict[str, Any]:
    return {
        "month": month,
        **({} if version is None else {"version": version}),
        "count": len(rows),
        "ids": [row["PK"] for row in rows],
        "ratios": [round(float(row.get("aspectRatio", 1)), 4) for row in rows],
        "thumbhashes": [row.get("thumbhash", b"") for row in rows],
        "times": [row.get("takenAt", "") for row in rows],
        "offsets": [row.get("takenOffset", "") for row in rows],
        "kinds": [row.get("assetType", AssetType.IMAGE.value) for row in rows],
        "durations": [round(float(row.get("duration", 0)), 3) for row in rows],
    }
