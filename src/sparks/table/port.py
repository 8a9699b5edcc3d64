"""The table: items under (PK, SK), two indexes, conditional writes and small transactions.

An item is a dict with `PK` and `SK` (non-empty strings of at most 1,024 bytes of UTF-8). Values are strings,
bytes, bools, ints, Decimals, and lists and dicts of these, at most 32 deep; never None, float or a set. A number has at
most 38 digits; one without a fraction comes back as int, any other as Decimal. `entityType` and `uploadedBy`, where
present, are non-empty strings, because indexes are made of them; `limit`, where present, is a number, for the same
reason. Keys sort by their UTF-8 bytes. Items are the caller's own: an adapter neither keeps nor changes what it was
given, and what it returns may be changed freely.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple, Protocol

Item = dict[str, Any]
Number = int | Decimal

MOST_CHANGES: Final = 100
MOST_ITEM_BYTES: Final = 400 * 1024
MOST_WRITE_BYTES: Final = 4 * 1024 * 1024
TOKEN_SECONDS: Final = 600


class Key(NamedTuple):
    pk: str
    sk: str


# -- Where to look


@dataclass(frozen=True, slots=True)
class Partition:
    """All items with this PK, in the order of SK. Consistent: it sees every write that has returned."""

    pk: str


@dataclass(frozen=True, slots=True)
class EntityType:
    """All items with this `entityType`, in the order of PK; among equal PKs in the adapter's own. May lag behind."""

    value: str


@dataclass(frozen=True, slots=True)
class UploadedBy:
    """All items with this `uploadedBy`, in the order of PK. May lag behind, as `EntityType`."""

    value: str


Within = Partition | EntityType | UploadedBy


@dataclass(frozen=True, slots=True)
class Between:
    """Sort keys from `low` to `high`, both included; an end that is None is open."""

    low: str | None = None
    high: str | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """Sort keys that begin with `text` (not empty)."""

    text: str


Span = Between | Prefix
EVERYTHING: Final = Between()


@dataclass(frozen=True, slots=True)
class Page:
    """`after` continues behind the last item, and is None exactly when nothing follows."""

    items: list[Item]
    after: Key | None


# -- Conditions


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no item under the key."""


@dataclass(frozen=True, slots=True)
class Present:
    """There is an item under the key."""


@dataclass(frozen=True, slots=True)
class Equals:
    """The attribute is there, of the same type (1 is 1.0, but neither is True or "1") and equal."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class NotEquals:
    """The attribute is not there, or is of another type or value. Holds where there is no item."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The attribute is there, of the same type (numbers, or strings by their UTF-8 bytes) and not less."""

    name: str
    value: Number | str


@dataclass(frozen=True, slots=True)
class AttributeAbsent:
    """The attribute is not there. Holds where there is no item."""

    name: str


Condition = Absent | Present | Equals | NotEquals | AtLeast | AttributeAbsent
Conditions = tuple[Condition, ...]


# -- Changes


@dataclass(frozen=True, slots=True)
class Put:
    """Writes the whole item, over what is there."""

    item: Item
    when: Conditions = ()

    @property
    def key(self) -> Key:
        return Key(self.item["PK"], self.item["SK"])


@dataclass(frozen=True, slots=True)
class Set:
    """Sets and removes attributes, and makes the item where there is none. Removing what is not there is fine.

    One that only removes needs a Present, Equals or AtLeast: engines differ on whether it would make the item. One that
    neither sets nor removes anything is a Check.
    """

    key: Key
    values: Mapping[str, Any] = field(default_factory=dict)
    remove: frozenset[str] = frozenset()
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Add:
    """Adds to numbers, 0 where absent, and sets `values` beside them; makes the item where there is none.

    Adding to something that is not a number, or past 38 digits, is a BadInput.
    """

    key: Key
    amounts: Mapping[str, Number]
    values: Mapping[str, Any] = field(default_factory=dict)
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """Removes the item. Nothing there: nothing happens."""

    key: Key
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Changes nothing; the transaction goes through only if the conditions, at least one, hold."""

    key: Key
    when: Conditions


Change = Put | Set | Add | Delete | Check


class Table(Protocol):
    def get(self, key: Key) -> Item | None:
        """The item, or None. Sees every write that has returned."""

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """Those of the items that are there, each once, however many keys are asked for. Consistent, item by item."""

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
        """The next `limit` items (1 to a million) behind `after`, by ascending sort key or, newest first, descending.

        The span is of SK within a partition, of PK within an index. A page is full unless it is the last one. `after`
        is the `after` of an earlier page of the same query; the item it names may be gone since. With `only`, the items
        hold those of their attributes alone, and PK and SK: what is not asked for need not be unpacked or sent.
        """

    def write(self, *changes: Change, token: str | None = None) -> None:
        """One change is a conditional write, several are one transaction: all of it or nothing, durable when this
        returns.

        At most 100 changes of at most 4 MB, each on another item. The first change whose conditions fail raises
        ConditionFailed with its position and the item that stood there. A `token` (1 to 36 ASCII characters) makes a
        repeat of the same changes within ten minutes harmless, whatever has become of the items since; the same token
        with other changes is a Conflict. A write that failed leaves its token unused. A write with an Add that names
        no token is given one, so that a repeat inside the adapter counts once.
        """

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        """All items in the adapter's own order, for export and verification only."""

    def expire(self, at: datetime) -> int:
        """Drops the items whose `ttl` has passed by then, and tells how many: 0 where the engine does so by itself.

        `ttl` is a number, in Unix seconds; one that is more than five years past, as 0, says nothing. Nobody may rely
        on an item being gone: what is over is over by another attribute.
        """

    def check(self) -> None:
        """Raises Unavailable, saying why, unless the table can be read now; BadSetting where it is yet to be made."""

    def close(self) -> None:
        """Gives back files and connections. Closing twice is fine."""


def every(
    table: Table,
    within: Within,
    span: Span = EVERYTHING,
    *,
    newest_first: bool = False,
    page: int = 500,
    only: frozenset[str] | None = None,
) -> Iterator[Item]:
    """All items of a query, page by page."""
    after: Key | None = None
    while True:
        answer = table.query(within, span, limit=page, after=after, newest_first=newest_first, only=only)
        yield from answer.items
        if answer.after is None:
            return
        after = answer.after
