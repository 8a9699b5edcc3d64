"""One kind of row: its key, its `entityType`, its attributes, and how all of it is read back."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic

from sparks.library.records.fields import Attribute, Fields, T
from sparks.library.records.pattern import Pattern
from sparks.model.errors import BadInput, Damaged
from sparks.table.port import EntityType, Item, Key

NOTHING: Final[Mapping[str, str]] = {}


class Shape(Generic[T]):
    """`pk` and `sk` are the patterns by which a key made by `key` is read. `read_type` tells what `entityType` says
    beyond them. `copies` are attributes that repeat what the value tells elsewhere: written, never read.
    """

    def __init__(
        self,
        kind: type[T],
        *attributes: Attribute,
        pk: str,
        sk: str,
        key: Callable[[T], Key],
        entity_type: Callable[[T], EntityType] | None = None,
        read_type: Callable[[str], Mapping[str, Any]] | None = None,
        copies: Mapping[str, str] = NOTHING,
    ) -> None:
        self.kind = kind
        self.fields = Fields(kind, *attributes, derived=frozenset({"PK", "SK", "entityType", *copies}))
        self.key = key
        self._entity_type = entity_type
        self._read_type = read_type
        self._copies = copies
        self._pk = Pattern(pk)
        self._sk = Pattern(sk)

    def write(self, value: T) -> Item:
        pk, sk = self.key(value)
        item: Item = {"PK": pk, "SK": sk}
        if self._entity_type is not None:
            item["entityType"] = self._entity_type(value).value
        for name, field in self._copies.items():
            if (held := getattr(value, field)) is not None:
                item[name] = held
        return self.fields.write(value) | item

    def read(self, item: Mapping[str, Any]) -> T:
        """Damaged where the item is of another kind, or holds what no version of Sparks wrote."""
        try:
            values = self.fields.values(item)
            values.update(self._pk.read(item["PK"]))
            values.update(self._sk.read(item["SK"]))
            if self._read_type is not None:
                values.update(self._read_type(item["entityType"]))
            return self.kind(**values)
        except (BadInput, KeyError, TypeError, ValueError, AttributeError) as error:
            raise Damaged(f"a row that is no {self.kind.__name__}: {error}") from error
