"""Attributes of an item and how each converts to and from a field.

Other attributes of the item are kept in `extra`.
"""

import math
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from types import UnionType
from typing import Any, Final, Generic, TypeVar

from sparks.model import times
from sparks.model.errors import BadInput
from sparks.model.stored import Stored

Convert = Callable[[Any], Any]
Check = Callable[[Any], bool]
T = TypeVar("T", bound=Stored)
UNREADABLE: Final = (BadInput, KeyError, TypeError, ValueError, AttributeError)
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")
_PLAIN_TYPES: Final = frozenset({str, int, bool, bytes})
_TYPE_NAMES: Final = frozenset({"S", "N", "B", "BOOL", "M", "L"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """The attribute `name` of an item is the field `field` of a value.

    A value that is None or `absent` is not written; where the attribute is missing, the field has its own default.
    `check` tells quickly whether `read` can read a value. Without an attribute that `guards`, more would be allowed or
    shown: so a row in which it cannot be read is not read at all.
    """

    name: str
    field: str
    write: Convert | None = None
    read: Convert | None = None
    absent: Any = None
    check: Check | None = None
    guards: bool = False


class Fields(Generic[T]):
    """`derived` attributes are neither read nor kept: they follow from the others."""

    def __init__(self, kind: type[T], *attributes: Attribute, derived: frozenset[str] = frozenset()) -> None:
        self.kind = kind
        self.attributes = attributes
        types = _plain_types(kind)
        self._known: dict[str, tuple[str, Convert | None, type | None]] = dict.fromkeys(derived, ("", None, None))
        self._known |= {
            each.name: (each.field, each.read, types.get(each.field) if each.read is None else None)
            for each in attributes
        }
        self._checks = {each.name: each.check or self._readable(each) for each in attributes if each.read is not None}
        self._guards = frozenset(each.name for each in attributes if each.guards)
        optional = {each.name for each in fields(kind) if each.default is None}
        self.always_written = frozenset(
            each.name for each in attributes if each.absent is None and each.field not in optional
        )

    @property
    def known(self) -> frozenset[str]:
        return frozenset(self._known)

    def write(self, value: T) -> dict[str, Any]:
        written = dict(value.extra)
        for attribute in self.attributes:
            held = getattr(value, attribute.field)
            if held is not None and held != attribute.absent:
                written[attribute.name] = held if attribute.write is None else attribute.write(held)
        return written

    def read(self, attributes: Mapping[str, Any]) -> T:
        return self.kind(**self.values(attributes))

    def values(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the item, by their names; one of UNREADABLE where an attribute cannot be read."""
        extra: dict[str, Any] = {}
        values: dict[str, Any] = {"extra": extra}
        for name, held in attributes.items():
            known = self._known.get(name)
            if known is None:
                extra[name] = held
                continue
            field, read, kind = known
            if kind is not None and type(held) is not kind:
                raise TypeError(f"{name} is a {type(held).__name__}")
            if field:
                values[field] = held if read is None else read(held)
        return values

    def can_read(self, attributes: Mapping[str, Any]) -> bool:
        """Whether `values` can read all attributes; quicker than that."""
        try:
            for name, held in attributes.items():
                known = self._known.get(name)
                if known is None:
                    continue
                if known[2] is not None:
                    if type(held) is not known[2]:
                        return False
                elif name in self._checks and not self._checks[name](held):
                    return False
        except TypeError:  # a list or a map where a choice is expected
            return False
        return True

    def readable(self, attributes: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
        """The item with the attributes that can be read, and the names of those that cannot. A value in DynamoDB's
        typed form (`{"S": "text"}`) is read as the value, and a time with other digits or another zone as that time.
        ValueError where an attribute that guards cannot be read.
        """
        kept: dict[str, Any] = {}
        for name, held in attributes.items():
            for form in _forms(held):
                if self.can_read({name: form}):
                    kept[name] = form
                    break
        lost = attributes.keys() - kept.keys()
        if lost & self._guards:
            raise ValueError(f"{', '.join(sorted(lost & self._guards))} cannot be read")
        return kept, frozenset(lost)

    def _readable(self, attribute: Attribute) -> Check:
        """The check of an attribute that has none: it is read."""

        def check(held: Any) -> bool:
            try:
                self.values({attribute.name: held})
            except UNREADABLE:
                return False
            return True

        return check


def _plain_types(kind: type[Stored]) -> dict[str, type]:
    """The types of the fields that are a string, whole number, bool or bytes."""
    found: dict[str, type] = {}
    for name, hint in typing.get_type_hints(kind).items():
        is_union = isinstance(hint, UnionType)
        choices = set(typing.get_args(hint) if is_union else (getattr(hint, "__supertype__", hint),)) - {type(None)}
        if len(choices) == 1 and choices <= _PLAIN_TYPES:
            [found[name]] = choices
    return found


def _forms(held: Any) -> Iterator[Any]:
    """The value, and what another writer may mean by it."""
    yield held
    untyped = _untyped(held)
    yield untyped
    if isinstance(untyped, str):
        with suppress(ValueError, BadInput):
            yield times.iso(datetime.fromisoformat(untyped))


def _untyped(held: Any) -> Any:
    """The value of a map in DynamoDB's typed form; anything else as it is."""
    match held:
        case dict() if len(held) == 1 and held.keys() <= _TYPE_NAMES:
            [(kind, inner)] = held.items()
            return int(inner) if kind == "N" and isinstance(inner, str) and inner.isdecimal() else _untyped(inner)
        case dict():
            return {name: _untyped(inner) for name, inner in held.items()}
        case list():
            return [_untyped(inner) for inner in held]
        case _:
            return held


def plain(name: str, field: str = "", *, absent: Any = None, guards: bool = False) -> Attribute:
    """A string, whole number, bool or bytes, which is the same in both."""
    return Attribute(name, field or _snake(name), absent=absent, guards=guards)


def valid(name: str, is_valid: Check, field: str = "") -> Attribute:
    """A value that is the same in both, and is read only if it is valid."""

    def read(value: Any) -> Any:
        if not is_valid(value):
            raise ValueError(f"{name} is not valid")
        return value

    return Attribute(name, field or _snake(name), None, read, check=is_valid)


def count(name: str, field: str = "") -> Attribute:
    """A whole number that is not negative."""
    return valid(name, lambda value: type(value) is int and value >= 0, field)


def number(name: str, field: str = "") -> Attribute:
    """A float, stored with the fewest digits that restore it exactly."""
    return Attribute(name, field or _snake(name), _decimal, _float, check=_is_number)


def time(name: str, field: str = "", *, guards: bool = False) -> Attribute:
    """A time, in an item as text of fixed width."""
    return Attribute(name, field or _snake(name), times.iso, times.from_iso, check=times.is_iso, guards=guards)


def seconds(name: str, field: str = "") -> Attribute:
    """A time, in an item as Unix seconds."""
    return Attribute(name, field or _snake(name), times.unix, _from_unix)


def choice(name: str, kind: type[StrEnum], field: str = "", *, guards: bool = False) -> Attribute:
    values = frozenset(each.value for each in kind)
    return Attribute(name, field or _snake(name), _value, kind, check=values.__contains__, guards=guards)


def choices(name: str, kind: type[StrEnum], field: str = "") -> Attribute:
    """A frozenset of choices, in an item as a sorted list."""
    return Attribute(name, field or _snake(name), _sorted_values, lambda values: frozenset(map(kind, values)))


def names(name: str, field: str = "", *, absent: Any = None) -> Attribute:
    """A tuple of strings, in an item as a list."""
    return Attribute(name, field or _snake(name), list, _texts, absent, check=_are_texts)


def mapping(name: str, field: str = "") -> Attribute:
    """A map of any values that an item can hold."""
    return Attribute(name, field or _snake(name), dict)


def maps(name: str, field: str = "", *, absent: Any = None) -> Attribute:
    """A tuple of maps of any values that an item can hold, in an item as a list."""
    return Attribute(name, field or _snake(name), _dicts, tuple, absent)


def nested(name: str, fields: Fields[Any], field: str = "") -> Attribute:
    """A value of its own, in an item as a map."""
    return Attribute(name, field or _snake(name), fields.write, fields.read)


def each(name: str, fields: Fields[Any], field: str = "", *, absent: Any = None) -> Attribute:
    """A tuple of values, in an item as a list of maps."""

    def write(values: tuple[Any, ...]) -> list[Any]:
        return [fields.write(value) for value in values]

    def read(values: list[Mapping[str, Any]]) -> tuple[Any, ...]:
        return tuple(map(fields.read, values))

    return Attribute(name, field or _snake(name), write, read, absent)


def _decimal(value: float) -> Decimal:
    if not math.isfinite(value):
        raise BadInput(f"{value} is not a finite number")
    return Decimal(repr(float(value)))


def _float(value: Any) -> float:
    if not _is_number(value):
        raise TypeError("not a number")
    return float(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, Decimal)


def _from_unix(value: Any) -> datetime:
    if not _is_number(value):
        raise TypeError("not a number")
    return times.from_unix(value)


def _texts(values: Any) -> tuple[str, ...]:
    if not _are_texts(values):
        raise TypeError("not a list of texts")
    return tuple(values)


def _are_texts(values: Any) -> bool:
    return type(values) is list and all(type(value) is str for value in values)


def _dicts(values: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(value) for value in values]


def _value(choice: StrEnum) -> str:
    return choice.value


def _sorted_values(choices: frozenset[StrEnum]) -> list[str]:
    return sorted(choice.value for choice in choices)


def _snake(name: str) -> str:
    """`coverImageId` -> `cover_image_id`"""
    return _CAPITAL.sub("_", name).lower()
