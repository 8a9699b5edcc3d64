"""Pure rules shared by the adapters: checks of arguments, conditions, changes and expiry."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Context, Decimal
from hashlib import sha256
from typing import Any, Final

from sparks.model.errors import BadInput, ConditionFailed, TooLarge
from sparks.model.times import unix
from sparks.table.port import (
    MAX_CHANGES,
    MAX_WRITE_BYTES,
    Absent,
    Add,
    AtLeast,
    AttributeAbsent,
    Between,
    Change,
    Check,
    Condition,
    Conditions,
    Delete,
    EntityType,
    Equals,
    Item,
    Key,
    NotEquals,
    Number,
    Partition,
    Prefix,
    Present,
    Put,
    Set,
    Span,
    UploadedBy,
    Within,
)
from sparks.table.values import (
    MAX_KEY_BYTES,
    check_size,
    clean,
    clean_attributes,
    clean_item,
    clean_key,
    clean_key_text,
    clean_name,
    clean_number,
    same_value,
    size_of,
)

MAX_TOKEN_CHARACTERS: Final = 36
MAX_ITEMS: Final = 1_000_000
MAX_INTEGER: Final = 2**63 - 1
TTL_IGNORED_AFTER: Final = 5 * 365 * 24 * 3600  # seconds
KEY: Final = frozenset({"PK", "SK"})
_EXACT: Final = Context(prec=300)


def check_changes(changes: Sequence[Change], token: str | None) -> tuple[Change, ...]:
    """Clean copies of the changes, or BadInput or TooLarge."""
    if not 1 <= len(changes) <= MAX_CHANGES:
        raise BadInput(f"a write has 1 to {MAX_CHANGES} changes, not {len(changes)}")
    if token is not None and not (token.isascii() and 1 <= len(token) <= MAX_TOKEN_CHARACTERS):
        raise BadInput(f"a token has 1 to {MAX_TOKEN_CHARACTERS} characters of ASCII")
    copies = tuple(map(_clean_change, changes))
    if len({change.key for change in copies}) < len(copies):
        raise BadInput("a write changes each item once: two of its changes have the same key")
    if len(copies) > 1 and (size := sum(map(_change_size, copies))) > MAX_WRITE_BYTES:
        raise TooLarge(f"the write has {size:,} bytes, more than {MAX_WRITE_BYTES:,}")
    return copies


def check_increment(change: Add) -> Add:
    """A clean copy, or BadInput."""
    return _clean_add(change, ())


def check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_ITEMS:
        raise BadInput(f"a page has 1 to {MAX_ITEMS:,} items, not {limit}")


def check_query(within: Within, span: Span, *, limit: int, after: Key | None) -> None:
    check_limit(limit)
    if span == Prefix(""):
        raise BadInput("a prefix is not empty")
    name, value, sort = attributes_of(within)
    clean_key_text(name, value)
    for text in (span.text,) if isinstance(span, Prefix) else (span.low, span.high):
        if text:
            clean_key_text(sort, text)
    if after is not None:
        clean_key(after)


def projected(item: Item, only: frozenset[str]) -> Item:
    """The item with only these attributes and its key."""
    return {name: value for name, value in item.items() if name in only or name in KEY}


def attributes_of(within: Within) -> tuple[str, str, str]:
    """The attribute to look up, its value, and the attribute to sort by."""
    match within:
        case Partition(pk):
            return "PK", pk, "SK"
        case EntityType(value):
            return "entityType", value, "PK"
        case UploadedBy(value):
            return "uploadedBy", value, "PK"


def apply_change(position: int, change: Change, found: Item | None) -> Item | None:
    """The item after the change (None: no item), or ConditionFailed."""
    if not all(holds(condition, found) for condition in change.when):
        raise ConditionFailed(position, found)
    match change:
        case Put():
            return change.item
        case Delete():
            return None
        case Check():
            return found
        case Set() | Add():
            return updated(change, found)


def holds(condition: Condition, item: Item | None) -> bool:
    match condition:
        case Absent():
            return item is None
        case Present():
            return item is not None
        case Equals(name, value):
            return item is not None and name in item and same_value(item[name], value)
        case NotEquals(name, value):
            return item is None or name not in item or not same_value(item[name], value)
        case AttributeAbsent(name):
            return item is None or name not in item
        case AtLeast(name, value):
            return item is not None and name in item and _is_at_least(item[name], value)


def bounds(span: Span) -> tuple[str, str | None]:
    """The first sort key of the span and the first one after it; None where the span has no end.

    In the order of bytes, the text that directly follows `x` is `x` + NUL.
    """
    match span:
        case Between(low, high):
            return low or "", None if high is None else high + "\0"
        case Prefix(text):
            return text, _past_prefix(text)


def digest(changes: Sequence[Change]) -> bytes:
    """A hash that is equal for equal changes, in any order of their attributes."""
    return sha256(repr([_canonical(change) for change in changes]).encode()).digest()


def _clean_change(change: Change) -> Change:
    when = tuple(map(_clean_condition, change.when))
    match change:
        case Put():
            return Put(clean_item(change.item), when)
        case Set():
            values = _clean_values(change.values)
            if not values and not change.remove:
                return _clean_change(Check(change.key, change.when))
            if not values and not any(isinstance(condition, Present | Equals | AtLeast) for condition in when):
                raise BadInput("a Set that only removes attributes needs a condition that requires the item")
            if not values.keys().isdisjoint(change.remove) or not {"PK", "SK"}.isdisjoint(change.remove):
                raise BadInput("an attribute is either set or removed, and a key is neither")
            return Set(clean_key(change.key), values, frozenset(map(clean_name, change.remove)), when)
        case Add():
            return _clean_add(change, when)
        case Delete() | Check():
            if isinstance(change, Check) and not when:
                raise BadInput("a Check, and a Set that changes nothing, needs a condition")
            return replace(change, key=clean_key(change.key), when=when)


def _clean_add(change: Add, when: Conditions) -> Add:
    values = _clean_values(change.values)
    if not change.amounts or not values.keys().isdisjoint(change.amounts):
        raise BadInput("an Add needs at least one amount, and cannot set an attribute that it adds to")
    if not MAX_KEY_BYTES.keys().isdisjoint(change.amounts):
        raise BadInput("nothing can be added to a key")
    for name, amount in change.amounts.items():
        if isinstance(amount, bool) or not isinstance(amount, Number):
            raise BadInput(f"a {type(amount).__name__} cannot be added to {clean_name(name)}")
    amounts = {name: clean_number(amount, name) for name, amount in change.amounts.items()}
    return Add(clean_key(change.key), amounts, values, when)


def _clean_values(values: Any) -> Item:
    if not {"PK", "SK"}.isdisjoint(values):
        raise BadInput("the key of an item does not change")
    return clean_attributes(values)


def _clean_condition(condition: Condition) -> Condition:
    match condition:
        case Absent() | Present():
            return condition
        case AttributeAbsent(name):
            return AttributeAbsent(clean_name(name))
        case AtLeast(name, value):
            if isinstance(value, bool) or not isinstance(value, Number | str):
                raise BadInput(f"{name}: only numbers and strings have an order")
            return AtLeast(clean_name(name), clean(value, name))
        case Equals(name, value) | NotEquals(name, value):
            return type(condition)(clean_name(name), clean(value, name))


def _change_size(change: Change) -> int:
    match change:
        case Put(item):
            return size_of(item)
        case Set(values=values) | Add(values=values):
            return size_of(values)
        case _:
            return 0


def sum_in(item: Item, name: str) -> Number:
    """The number to which an increment has added."""
    total: Number = item[name]
    return total


def updated(change: Set | Add, found: Item | None) -> Item:
    """The item after a Set or an Add, whose conditions hold; TooLarge or BadInput where it cannot be stored."""
    item: Item = dict(found) if found is not None else {"PK": change.key.pk, "SK": change.key.sk}
    item.update(change.values)
    if isinstance(change, Add):
        for name, amount in change.amounts.items():
            item[name] = _sum(name, item.get(name, 0), amount)
    else:
        for name in change.remove:
            item.pop(name, None)
    check_size(item)
    return item


def _sum(name: str, held: Any, amount: Number) -> Number:
    if isinstance(held, bool) or not isinstance(held, Number):
        raise BadInput(f"{name} is not a number: nothing can be added to it")
    return clean_number(_EXACT.add(Decimal(held), Decimal(amount)), name)


def _is_at_least(held: Any, value: Number | str) -> bool:
    if isinstance(value, str):
        return isinstance(held, str) and held >= value
    return isinstance(held, Number) and not isinstance(held, bool) and held >= value


def _past_prefix(text: str) -> str | None:
    """The first text that sorts after all texts beginning with `text`."""
    while text and text[-1] == "\U0010ffff":
        text = text[:-1]
    if not text:
        return None
    following = 0xE000 if text[-1] == "\ud7ff" else ord(text[-1]) + 1
    return text[:-1] + chr(following)


def _canonical(value: Any) -> Any:
    match value:
        case Key():
            return tuple(value)
        case dict():
            return "dict", sorted((name, _canonical(inner)) for name, inner in value.items())
        case list() | tuple():
            return [_canonical(inner) for inner in value]
        case frozenset():
            return sorted(value)
        case Put() | Set() | Add() | Delete() | Check() | Equals() | NotEquals() | AtLeast() | AttributeAbsent():
            return [type(value).__name__, *(_canonical(getattr(value, name)) for name in value.__slots__)]
        case _:
            return value


def ttl_of(item: Mapping[str, Any]) -> int | None:
    """The Unix second from which the item may be dropped; None where it never expires."""
    ttl = item.get("ttl")
    if isinstance(ttl, bool) or not isinstance(ttl, int | Decimal):
        return None
    return math.ceil(ttl) if -MAX_INTEGER <= ttl <= MAX_INTEGER else None


def expired_range(at: datetime) -> tuple[int, int]:
    """The lowest and the highest `ttl` that has expired at that time."""
    return unix(at) - TTL_IGNORED_AFTER, unix(at)


def is_expired(item: Mapping[str, Any], at: datetime) -> bool:
    ttl = ttl_of(item)
    first, last = expired_range(at)
    return ttl is not None and first <= ttl <= last
