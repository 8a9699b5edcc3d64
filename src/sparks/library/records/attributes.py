"""The ways in which a field of a value becomes an attribute of an item, and back."""

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from sparks.library.records.fields import Attribute, Fields
from sparks.model import times
from sparks.model.errors import BadInput

_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


def plain(name: str, field: str = "", *, absent: Any = None) -> Attribute:
    """A string, whole number, bool or bytes: the same in both."""
    return Attribute(name, field or _snake(name), absent=absent)


def number(name: str, field: str = "") -> Attribute:
    """A float, in an item by the fewest digits that give it back exactly."""
    return Attribute(name, field or _snake(name), _decimal, float)


def time(name: str, field: str = "") -> Attribute:
    """A time, in an item as text of fixed width."""
    return Attribute(name, field or _snake(name), times.iso, times.from_iso)


def seconds(name: str, field: str = "") -> Attribute:
    """A time, in an item as Unix seconds."""
    return Attribute(name, field or _snake(name), times.unix, times.from_unix)


def choice(name: str, kind: type[StrEnum], field: str = "") -> Attribute:
    return Attribute(name, field or _snake(name), _value, kind)


def choices(name: str, kind: type[StrEnum], field: str = "") -> Attribute:
    """A frozenset of choices, in an item as a sorted list."""
    return Attribute(name, field or _snake(name), _sorted_values, lambda values: frozenset(map(kind, values)))


def names(name: str, field: str = "", *, absent: Any = None) -> Attribute:
    """A tuple of strings, in an item as a list."""
    return Attribute(name, field or _snake(name), list, tuple, absent)


def mapping(name: str, field: str = "") -> Attribute:
    """A map of whatever an item can hold."""
    return Attribute(name, field or _snake(name), dict)


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
        raise BadInput(f"{value} is no number to keep")
    return Decimal(repr(float(value)))


def _value(choice: StrEnum) -> str:
    return choice.value


def _sorted_values(choices: frozenset[StrEnum]) -> list[str]:
    return sorted(choice.value for choice in choices)


def _snake(name: str) -> str:
    """`coverImageId` -> `cover_image_id`"""
    return _CAPITAL.sub("_", name).lower()
