"""Any value of the model that could stand in the table, for hypothesis: `values_of(Photo)`."""

import string
import typing
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar

from hypothesis import strategies as st

from sparks.model import ids
from sparks.model.person import Person, PersonInPhoto
from sparks.model.photo import Renditions
from sparks.model.scope import COMMUNITY, scope_of_album, scope_of_owner
from sparks.model.share import who_is_guest

T = TypeVar("T")

FIRST = datetime(1970, 1, 1)  # noqa: DTZ001  hypothesis wants its bounds naive
LAST = datetime(9999, 12, 31)  # noqa: DTZ001

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
nasty_texts = st.text(st.sampled_from("#@.:ab"), min_size=1, max_size=8) | texts.filter(bool)
plain_ids = st.text(string.ascii_letters + string.digits + "-_", min_size=1, max_size=20)
times = st.datetimes(FIRST, LAST, timezones=st.just(UTC)).map(
    lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000)
)
whole_seconds = times.map(lambda time: time.replace(microsecond=0))
image_ids = times.map(ids.image_id_at) | st.uuids(version=4).map(str)
emails = st.builds(
    "{}@{}".format,
    st.text(string.ascii_lowercase + string.digits + "#.+-_'", min_size=1, max_size=12),
    st.sampled_from(["example.com", "example.org", "münchen.example"]),
)
whos = emails | plain_ids.map(who_is_guest)
scopes = st.just(COMMUNITY) | emails.map(scope_of_owner) | plain_ids.map(scope_of_album)
months = st.builds("{:04}-{:02}".format, st.integers(1, 9999), st.integers(1, 12))
numbers = st.floats(-1e9, 1e9).map(lambda number: number if abs(number) > 1e-100 else 0.0)
integers = st.integers(-(10**15), 10**15)
decimals = st.decimals(-(10**6), 10**6, places=5)

table_values = st.recursive(
    texts | integers | decimals | st.booleans() | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts.filter(bool), inner, max_size=3),
    max_leaves=6,
)
unknown_attributes = st.dictionaries(plain_ids.map("x-{}".format), table_values, max_size=3)

BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "extra": unknown_attributes,
    "image_id": image_ids,
    "owner": emails,
    "email": emails,
    "who": whos,
    "scope": scopes,
    "month": months,
    "ttl": whole_seconds,
    "original_key": plain_ids.map("originals/{}.jpg".format),
    "taken_offset": st.sampled_from(["+02:00", "-09:30", "+00:00"]),
    "latitude": st.floats(-90, 90).map(lambda degrees: degrees if abs(degrees) > 1e-100 else 0.0),
    "longitude": st.floats(-180, 180).map(lambda degrees: degrees if abs(degrees) > 1e-100 else 0.0),
    "tag": nasty_texts,
    "subject": nasty_texts,
    "old_id": nasty_texts,
    "sub": nasty_texts,
    "iss": st.sampled_from(["https://id.example.com", "https://id.example.com/realms/a"]),
    "digest": st.sampled_from(["0" * 64, "f" * 64, "0" * 40]),
} | dict.fromkeys(
    ["album_id", "person_id", "face_id", "guest_id", "link_id", "session_id", "key_id", "invitation_id", "token_id",
     "comment_id", "decision_id", "entry_id", "event_id", "job_name", "system"],
    plain_ids,
) | dict.fromkeys(["width", "height", "file_size", "processed_size", "face_count"], st.integers(0, 10**15))  # fmt: skip

BY_TYPE: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: integers,
    float: numbers,
    bool: st.booleans(),
    bytes: st.binary(max_size=40),
    datetime: times,
    Mapping[str, int]: st.dictionaries(plain_ids, integers, max_size=3),
    Mapping[str, str]: st.dictionaries(plain_ids, texts, max_size=4),
    Mapping[str, datetime]: st.dictionaries(plain_ids, times, max_size=3),
    Mapping[str, Any]: st.dictionaries(texts.filter(bool), table_values, max_size=3),
}


def values_of(kind: type[T]) -> st.SearchStrategy[T]:
    """Any value of this dataclass, all of its fields filled in every possible way."""
    any_kind: Any = kind
    return _values_of(any_kind)


def fields_of(kind: type[Any]) -> tuple[Field[Any], ...]:
    assert is_dataclass(kind)
    return fields(kind)


def _of_field(kind: type[Any], field: Field[Any], hint: Any) -> st.SearchStrategy[Any]:
    if field.name == "created_at" and kind in (Person, PersonInPhoto):
        return whole_seconds
    if isinstance(hint, UnionType):
        return st.none() | _of_type(field.name, next(part for part in typing.get_args(hint) if part is not type(None)))
    return _of_type(field.name, hint)


def _of_type(name: str, hint: Any) -> st.SearchStrategy[Any]:
    if name in BY_NAME:
        return BY_NAME[name]
    if hint in BY_TYPE:
        return BY_TYPE[hint]
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is tuple and ... not in inner:
        return st.tuples(*(_of_type("", each) for each in inner))
    if typing.get_origin(hint) is tuple:
        return st.lists(_of_type("", inner[0]), max_size=3).map(tuple)
    if typing.get_origin(hint) is frozenset:
        return st.frozensets(_of_type("", inner[0]))
    if issubclass(hint, StrEnum):
        return st.sampled_from(hint)
    return values_of(hint)


def _is_possible(value: Any) -> bool:
    return not (value.private and value.owner is None)


@cache
def _values_of(kind: Any) -> st.SearchStrategy[Any]:
    if kind is Renditions:
        keys = st.dictionaries(plain_ids.filter(lambda name: name != "processedAt"), texts, max_size=4)
        return st.builds(kind, keys, st.none() | times)
    hints = typing.get_type_hints(kind)
    strategy = st.builds(kind, **{field.name: _of_field(kind, field, hints[field.name]) for field in fields_of(kind)})
    return strategy.filter(_is_possible) if kind is PersonInPhoto else strategy
