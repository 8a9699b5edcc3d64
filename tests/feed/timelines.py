"""Timelines over a table that is watched, or whose index is behind."""

from collections.abc import Callable
from typing import Any, Final

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import Blobs
from sparks.feed.month_columns import BuiltMonth
from sparks.feed.timeline import Timeline
from sparks.library.timeline_blobs import ScopeMonth
from sparks.model.keyring import Keyring
from sparks.model.scope import COMMUNITY, Scope
from sparks.table.port import EVERYTHING, EntityType, Item, Page, Span, Table, Within
from tests.library.tables import Meddled

KEYRING: Final = Keyring("test", {"test": b"t" * 32})


class Watched(Meddled):
    """Tells which months were built: their rows are asked for once each time."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.table = table
        self.built: list[str] = []

    def query(self, within: Within, span: Span = EVERYTHING, **more: Any) -> Page:
        if isinstance(within, EntityType) and within.value.startswith("MONTH#"):
            self.built.append(within.value.rpartition("#")[2])
        return self.table.query(within, span, **more)

    def take_built(self) -> list[str]:
        built, self.built = self.built, []
        return built


class Behind(Watched):
    """An index that shows what was there at `fall_behind`, until `catch_up`."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._seen: dict[str, list[Item]] | None = None

    def fall_behind(self, *lists: EntityType) -> None:
        self._seen = {each.value: self.table.query(each, limit=1000).items for each in lists}

    def catch_up(self) -> None:
        self._seen = None

    def query(self, within: Within, span: Span = EVERYTHING, **more: Any) -> Page:
        if self._seen is not None and isinstance(within, EntityType) and within.value in self._seen:
            return Page(self._seen[within.value], None)
        return super().query(within, span, **more)


class Changing(Watched):
    """A table in which something happens right after the rows of a month were asked for."""

    def __init__(self, table: Table, happening: Callable[[], object]) -> None:
        super().__init__(table)
        self._happening = happening

    def query(self, within: Within, span: Span = EVERYTHING, **more: Any) -> Page:
        page = super().query(within, span, **more)
        if isinstance(within, EntityType) and within.value.startswith("MONTH#"):
            self._happening()
        return page


def timeline_of(table: Table, blobs: Blobs | None = None, **more: Any) -> Timeline:
    """As a process has it that has just begun."""
    return Timeline(table=table, blobs=MemoryBlobs() if blobs is None else blobs, keyring=KEYRING, **more)


def month_in(timeline: Timeline, month: str, scope: Scope = COMMUNITY) -> BuiltMonth:
    return timeline.month(ScopeMonth(scope, month))


def ids_in(timeline: Timeline, month: str, scope: Scope = COMMUNITY) -> list[str]:
    return month_in(timeline, month, scope).columns.ids


def copies_in(blobs: Blobs) -> list[str]:
    return [blob.key for blob in blobs.list("derived/").blobs]
