"""Attributes of an item and how each converts to and from a field.

Other attributes of the item are kept in `extra`.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from sparks.model import times
from sparks.model.errors import BadInput
from sparks.model.stored import Stored

Convert = Callable[[Any], Any]
T = TypeVar("T", bound=Stored)
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Attribute:
    """The attribute `name` of an item is the field `field` of a value.

    A value that is None or `absent` is not written; where the attribute is missing, the field has its own default.
    """

    name: str
    field: str
    write: Convert | None = None
    read: Convert | None = None
    absent: Any = None


class Fields(Generic[T]):
    """`derived` attributes are neither read nor kept: they follow from the others."""

    def __init__(self, kind: type[T], *attributes: Attribute, derived: frozenset[str] = frozenset()) -> None:
        self.kind = kind
        self.attributes = attributes
        self._known: dict[str, tuple[str, Convert | None]] = dict.fromkeys(derived, ("", None))
        self._known |= {attribute.name: (attribute.field, attribute.read) for attribute in attributes}

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
        """The fields of the item, by their names."""
        extra: dict[str, Any] = {}
        values: dict[str, Any] = {"extra": extra}
        for name, held in attributes.items():
            known = self._known.get(name)
            if known is None:
                extra[name] = held
                continue
            field, read = known
            if field:
                values[field] = held if read is None else read(held)
        return values


def plain(name: str, field: str = "", *, absent: Any = None) -> Attribute:
    """A string, whole number, bool or bytes, which is the same in both."""
    return Attribute(name, field or _snake(name), absent=absent)


def number(name: str, field: str = "") -> Attribute:
    """A float, stored with the fewest digits that restore it exactly."""
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


def _dicts(values: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(value) for value in values]


def _value(choice: StrEnum) -> str:
    return choice.value


def _sorted_values(choices: frozenset[StrEnum]) -> list[str]:
    return sorted(choice.value for choice in choices)


def _snake(name: str) -> str:
    """`coverImageId` -> `cover_image_id`"""
    return _CAPITAL.sub("_", name).lower()
