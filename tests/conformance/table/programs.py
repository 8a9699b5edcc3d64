"""Random programs: writes and reads of few keys, so that they interact."""

from decimal import Decimal
from typing import Any, Final

from hypothesis import strategies as st

from sparks.table.port import (
    EVERYTHING,
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

TEXTS: Final = ["a", "a#1", "b", "é", "\uffff", "\U00010000"]  # no NUL and no capitals: see the prefixes of dynoxide
NAMES: Final = ["a", "b.c", "limit", "ttl"]
NUMBERS: Final[list[Number]] = [0, 1, -1, 5, Decimal("0.5"), int("9" * 38), Decimal("1E-20")]

texts = st.sampled_from(TEXTS)
keys = st.builds(Key, st.sampled_from(TEXTS[:3]), st.sampled_from(TEXTS[1::2]))
names = st.sampled_from(NAMES)
numbers = st.sampled_from(NUMBERS)
scalars = st.one_of(numbers, texts, st.sampled_from(["", b"", b"\xff", True, False]))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2), max_leaves=4
)


def fitting(name: str) -> st.SearchStrategy[Any]:
    """A value that the attribute may have; `limit` is a number."""
    return numbers if name == "limit" else values


indexed = st.fixed_dictionaries({}, optional={"entityType": texts, "uploadedBy": texts})
plain = st.fixed_dictionaries({}, optional={name: fitting(name) for name in NAMES})
attributes = st.builds(lambda one, other: one | other, plain, indexed)
conditions: st.SearchStrategy[Condition] = st.one_of(
    st.just(Absent()),
    st.just(Present()),
    st.builds(AttributeAbsent, names),
    st.builds(Equals, names, values),
    st.builds(NotEquals, names, values),
    st.builds(AtLeast, names, st.one_of(numbers, texts)),
)
whens: st.SearchStrategy[Conditions] = st.just(()) | st.lists(conditions, max_size=2).map(tuple)


def item_of(key: Key, more: Item) -> Item:
    return {"PK": key.pk, "SK": key.sk, **more}


libraries = st.dictionaries(keys, attributes, min_size=1, max_size=6).map(
    lambda items: [item_of(key, more) for key, more in items.items()]
)


@st.composite
def sets(draw: st.DrawFn, key: Key) -> Set:
    """A Set that only removes requires the item, because servers differ on what it does otherwise."""
    new = draw(attributes)
    remove = draw(st.frozensets(st.sampled_from([*NAMES, "entityType", "uploadedBy"]), min_size=1, max_size=2))
    when = draw(whens)
    return Set(key, new, remove - new.keys(), when if new else (Present(), *when))


@st.composite
def adds(draw: st.DrawFn, key: Key) -> Add:
    amounts = draw(st.dictionaries(names, numbers, min_size=1, max_size=2))
    new = {name: value for name, value in draw(attributes).items() if name not in amounts}
    return Add(key, amounts, new, draw(whens))


def changes_of(key: Key) -> st.SearchStrategy[Change]:
    return st.one_of(
        st.builds(lambda more, when: Put(item_of(key, more), when), attributes, whens),
        sets(key),
        adds(key),
        st.builds(Delete, st.just(key), whens),
        st.builds(Check, st.just(key), st.lists(conditions, min_size=1, max_size=2).map(tuple)),
    )


@st.composite
def writes(draw: st.DrawFn) -> tuple[Change, ...]:
    """Mostly one change, sometimes a transaction, rarely one that names an item twice."""
    several = draw(st.lists(keys, min_size=1, max_size=4, unique=draw(st.integers(0, 9)) > 0))
    return tuple(draw(changes_of(key)) for key in several)


spans: st.SearchStrategy[Span] = st.one_of(
    st.just(EVERYTHING),
    st.builds(Between, st.none() | texts, st.none() | texts),
    st.builds(Prefix, texts),
)
places: st.SearchStrategy[Within] = st.one_of(
    st.builds(Partition, texts), st.builds(EntityType, texts), st.builds(UploadedBy, texts)
)
