"""Port of a source: its rows, the capture of their changes, and the switch of its writes.

Rows are mappings of the gallery's columns (see `gallery`), whatever the source holds itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sparks.migrate.records import Row


@dataclass(frozen=True, slots=True)
class Captured:
    """A row that was inserted, updated or deleted. Without a key it stands for every row that the table ever had: see
    [Note: truncated in an older snapshot].
    """

    entry: int
    table: str
    key: str | None


class MigrationSource(Protocol):
    """The tables of the service that Sparks replaces."""

    @property
    def tables(self) -> Sequence[str]:
        """The tables that it has, parents first."""

    @property
    def has_way_back(self) -> bool:
        """Whether its writes can be refused, and changes written back to it."""

    def check_tables(self) -> None:
        """BadInput where this is no source that Sparks knows."""

    def count(self, table: str) -> int: ...

    def page(self, table: str, after: str | None, limit: int) -> Sequence[Row]:
        """At most `limit` rows in the order of their ids, from the first one after `after`."""

    def rows(self, table: str, ids: Sequence[str]) -> Mapping[str, Row]:
        """The rows with these ids as they are now; an id without a row is left out."""

    def ids_naming(self, table: str, column: str, ids: Sequence[str]) -> list[str]:
        """The ids of rows whose column names one of these."""

    def close(self) -> None: ...


class ChangeCapture(Protocol):
    def install(self) -> None:
        """Captures every change from now on. A repeat completes what is missing."""

    def is_installed(self) -> bool: ...

    def poll(self, *, at_once: bool = False) -> bool:
        """Looks for changes, in a source that does not report them by itself, and returns whether it looked. Unless
        `at_once`, it may wait for another call.
        """

    def read(self, limit: int = 1000) -> list[Captured]:
        """Entries that wait to be applied."""

    def pending(self, keys: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of the pairs of table and key that have an entry."""

    def drop(self, entries: Sequence[int]) -> None:
        """Deletes exactly these entries; one that is not there is passed over."""

    def lag(self) -> tuple[int, float]:
        """The number of entries, and the age of the oldest one in seconds; (0, 0.0) for none."""

    def remove(self) -> None:
        """Removes what capturing added."""


class WriteFreeze(Protocol):
    def begin(self, seconds: float) -> None:
        """Refuses writes from now on, for so many seconds, where the source can."""

    def decide(self) -> None:
        """The target is to take the changes. Conflict where the outbox holds an entry."""

    def is_decided(self) -> bool: ...

    def is_frozen(self) -> bool:
        """Whether writes are refused now."""

    def lift(self) -> None:
        """Takes the decision back, and allows writes again."""
