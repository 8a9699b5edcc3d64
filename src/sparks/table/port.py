"""Port of the table: items, indexes, conditional writes and transactions.

An item is a dict with `PK` and `SK` (non-empty strings of at most 1,024 bytes of UTF-8). Values are strings, bytes,
bools, ints, Decimals, and lists and dicts of these, at most 32 deep; never None, float or a set. A number has at most
38 digits; one without a fraction is read back as int, any other as Decimal. Indexes use `entityType`, `uploadedBy` and
`limit`: where present, the first two are non-empty strings and the last is a number. Keys sort by their UTF-8 bytes.
Items belong to the caller: an adapter neither keeps nor changes an item that it was given, and the caller may change an
item that it got.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple, Protocol

Item = dict[str, Any]
Number = int | Decimal

MAX_CHANGES: Final = 100
MAX_ITEM_BYTES: Final = 400 * 1024
MAX_WRITE_BYTES: Final = 4 * 1024 * 1024
TOKEN_SECONDS: Final = 600


class Key(NamedTuple):
    pk: str
    sk: str


# -- Partitions, indexes and spans


@dataclass(frozen=True, slots=True)
class Partition:
    """All items with this PK, in the order of SK. Consistent: it sees every write that has returned."""

    pk: str


@dataclass(frozen=True, slots=True)
class EntityType:
    """All items with this `entityType`, in the order of PK; the adapter orders equal PKs. May lag behind."""

    value: str


@dataclass(frozen=True, slots=True)
class UploadedBy:
    """All items with this `uploadedBy`, in the order of PK. May lag behind, like `EntityType`."""

    value: str


Within = Partition | EntityType | UploadedBy


@dataclass(frozen=True, slots=True)
class Between:
    """Sort keys from `low` to `high`, both included; None means no bound."""

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
    """`after` is the place at which the next page starts, and None exactly when nothing follows."""

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
    """The attribute exists, has the same type (1 equals 1.0, but not True or "1") and is equal."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class NotEquals:
    """The attribute is absent or has another type or value. Holds where there is no item."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The attribute exists, has the same type (numbers, or strings by their UTF-8 bytes) and is not less."""

    name: str
    value: Number | str


@dataclass(frozen=True, slots=True)
class AttributeAbsent:
    """The attribute is absent. Holds where there is no item."""

    name: str


Condition = Absent | Present | Equals | NotEquals | AtLeast | AttributeAbsent
Conditions = tuple[Condition, ...]


# -- Changes


@dataclass(frozen=True, slots=True)
class Put:
    """Writes the whole item and replaces an existing one."""

    item: Item
    when: Conditions = ()

    @property
    def key(self) -> Key:
        return Key(self.item["PK"], self.item["SK"])


@dataclass(frozen=True, slots=True)
class Set:
    """Sets and removes attributes, and creates a missing item. Removing an absent attribute is allowed.

    A Set that only removes needs a Present, Equals or AtLeast, because engines differ on whether it would create the
    item. A Set that neither sets nor removes anything is a Check.
    """

    key: Key
    values: Mapping[str, Any] = field(default_factory=dict)
    remove: frozenset[str] = frozenset()
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Add:
    """Adds to numbers (0 where absent), sets `values`, and creates a missing item.

    BadInput where the attribute is not a number, or the sum has more than 38 digits.
    """

    key: Key
    amounts: Mapping[str, Number]
    values: Mapping[str, Any] = field(default_factory=dict)
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """Removes the item. A missing item is no error."""

    key: Key
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Changes nothing; the transaction is written only if these conditions (at least one) hold."""

    key: Key
    when: Conditions


Change = Put | Set | Add | Delete | Check


class Table(Protocol):
    def get(self, key: Key) -> Item | None:
        """The item, or None. Sees every write that has returned."""

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """The existing items of these keys, each once, for any number of keys. Consistent for each item by itself."""

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
        """The next `limit` items (1 to a million) after `after`, by ascending sort key, or descending with
        `newest_first`.

        The span is one of SK within a partition, and of PK within an index. Every page but the last is full. `after`
        comes from an earlier page of the same query; its item may have been deleted since. With `only`, the items hold
        only these attributes, PK and SK, so that the others need not be decoded or sent.
        """

    def write(self, *changes: Change, token: str | None = None) -> None:
        """Writes all changes in one transaction, or none; durable when it returns.

        At most 100 changes of at most 4 MB, each of another item. The first change whose conditions fail raises
        ConditionFailed with its position and the item that was found. A repeat of the same changes with the same
        `token` (1 to 36 ASCII characters) within ten minutes does nothing, even where the items have changed since;
        Conflict for the same token with other changes. A failed write leaves its token unused. Within the adapter, a
        retried Add counts once, also without a token.
        """

    def increment(self, key: Key, name: str, amount: int = 1, *, values: Mapping[str, Any] | None = None) -> Number:
        """Adds `amount` to a number (0 where absent) in one atomic step, sets `values`, creates a missing item, and
        returns the sum: no two calls get the same one. Durable when it returns.

        Where a response is lost, the amount may be added twice: it is for counters in which gaps are normal. BadInput
        as for Add.
        """

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        """All items in an order of the adapter, for export and verification only."""

    def expire(self, at: datetime) -> int:
        """Drops the items whose `ttl` has passed and returns their number; 0 where the engine expires items itself.

        `ttl` is a number of Unix seconds; a value more than five years in the past, such as 0, is ignored. Callers must
        not rely on an expired item being gone: another attribute says that it is over.
        """

    def check(self) -> None:
        """Raises Unavailable, with the reason, where the table cannot be read; BadSetting where it does not exist."""

    def close(self) -> None:
        """Closes files and connections. Closing twice is allowed."""


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
