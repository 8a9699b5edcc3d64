"""One month of a timeline as encoded columns, for one counter version.

The photos are in the order of the time they were taken, newest first. Each column has one entry for each photo.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from sparks.library import entity_types, keys
from sparks.library.timeline_blobs import ScopeMonth
from sparks.model.photo import AssetType
from sparks.table.port import Item, Table, every

BATCH_SIZE: Final = 1000


class MonthColumns(msgspec.Struct):
    """The columns that are decoded from an encoded month."""

    month: str
    count: int
    ids: list[str]
    ratios: list[float]
    version: int | None = None


@dataclass(frozen=True, slots=True)
class BuiltMonth:
    """`version` is None where the rows do not agree with the counter: the index is behind, or the month is changing.
    Such a month is shown, but not stored.
    """

    version: int | None
    encoded: bytes

    @property
    def columns(self) -> MonthColumns:
        return msgspec.json.decode(self.encoded, type=MonthColumns)

    def with_more(self, more: bytes) -> bytes:
        """The JSON object with more members, given as `"name":value,..`: those that depend on the caller."""
        return b"%b,%b}" % (self.encoded[:-1], more) if more else self.encoded

    def beginning(self, most: int) -> "BuiltMonth":
        """The month with only its newest photos; `count` still counts all."""
        columns: dict[str, Any] = msgspec.json.decode(self.encoded)
        cut = {name: value[:most] if isinstance(value, list) else value for name, value in columns.items()}
        return BuiltMonth(self.version, msgspec.json.encode(cut))


def build_month(month: ScopeMonth, *, table: Table) -> BuiltMonth:
    """The month at the version that the counter had before and after the rows were read."""
    before = read_month_state(month, table=table)
    rows = _rows(month, table)
    settled = len(rows) == before.count and read_month_state(month, table=table) == before
    version = before.version if settled else None
    return BuiltMonth(version, msgspec.json.encode(_columns(month.month, version, rows)))


def read_copy(month: ScopeMonth, version: int, encoded: bytes) -> BuiltMonth | None:
    """The month from its stored copy. None where the copy is damaged or of another version."""
    stored = BuiltMonth(version, encoded)
    try:
        columns = stored.columns
    except msgspec.DecodeError:
        return None
    is_whole = columns.count == len(columns.ids) == len(columns.ratios)
    return stored if is_whole and (columns.month, columns.version) == (month.month, version) else None


@dataclass(frozen=True, slots=True)
class MonthState:
    """The counter of a month; 0 photos at version 0 where there is none."""

    count: int = 0
    version: int = 0


def read_month_state(month: ScopeMonth, *, table: Table) -> MonthState:
    item = table.get(keys.month_counter(month.scope, month.month))
    return MonthState() if item is None else MonthState(item.get("count", 0), item.get("version", 0))


def _rows(month: ScopeMonth, table: Table) -> list[Item]:
    """The rows of the month's photos, newest first. The index lists the candidates; rows read by key decide. So if as
    many rows are found as are counted, they are the counted ones, however far behind the index is.
    """
    listed = entity_types.month(month.scope, month.month)
    found = [keys.month_link(row["PK"], month.scope) for row in every(table, listed, page=BATCH_SIZE)]
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
