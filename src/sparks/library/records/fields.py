"""The fields of a value as the attributes of a map. What the map holds beyond them is kept in `extra`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sparks.model.stored import Stored

Convert = Callable[[Any], Any]
T = TypeVar("T", bound=Stored)


@dataclass(frozen=True, slots=True)
class Attribute:
    """The attribute `name` of a map is the field `field` of a value.

    A value that is None or `absent` is not written; where the attribute is not there, the field has its own default.
    """

    name: str
    field: str
    write: Convert | None = None
    read: Convert | None = None
    absent: Any = None


class Fields(Generic[T]):
    """`derived` attributes are neither read nor kept: they can be told from the rest."""

    def __init__(self, kind: type[T], *attributes: Attribute, derived: frozenset[str] = frozenset()) -> None:
        self.kind = kind
        self.attributes = attributes
        self._known: dict[str, tuple[str, Convert | None]] = dict.fromkeys(derived, ("", None))
        self._known |= {attribute.name: (attribute.field, attribute.read) for attribute in attributes}

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
        """The fields that the map tells, by their names."""
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
