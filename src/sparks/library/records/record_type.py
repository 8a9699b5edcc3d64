"""Record type: key pattern, entity type and attributes of one kind of row."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic

from sparks.library.records.attributes import UNREADABLE, Attribute, Fields, T
from sparks.library.records.foreign_rows import report_once
from sparks.model.errors import BadInput, Damaged
from sparks.model.times import from_iso
from sparks.table.port import EntityType, Item, Key

_PIECE: Final = re.compile(r"\{(?P<name>\w*)(?P<how>|\.\.|:time|:uuid|:email)\}")
_EXPRESSIONS: Final = {
    "": "[^#]+",
    "..": ".*",
    ":time": "[^#]{24}",
    ":uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ":email": "[^@A-Z]+@[^@#A-Z]+",
}
NOTHING: Final[Mapping[str, str]] = {}
NO_VERSIONS: Final[Mapping[str, int]] = {}


class KeyPattern:
    """`ALBUM#{album_id}#PERSON#{person_id..}`: a piece holds no `#`, unless it ends in dots.

    `{at:time}` is a time, `{id:uuid}` a UUID, `{who:email}` an address in lower case, and `{}` a piece that is ignored.
    """

    def __init__(self, text: str) -> None:
        self._pattern = re.compile(_expression(text), re.DOTALL)
        self._times = [piece["name"] for piece in _PIECE.finditer(text) if piece["how"] == ":time"]

    def read(self, text: str) -> Mapping[str, Any]:
        """The pieces by name; ValueError where the text does not match."""
        match = self._pattern.fullmatch(text)
        if match is None:
            raise ValueError("a key of another kind")
        pieces: dict[str, Any] = match.groupdict()
        for name in self._times:
            pieces[name] = from_iso(pieces[name])
        return pieces


def _expression(text: str) -> str:
    expression, end = "", 0
    for piece in _PIECE.finditer(text):
        group = f"?P<{piece['name']}>" if piece["name"] else "?:"
        expression += f"{re.escape(text[end : piece.start()])}({group}{_EXPRESSIONS[piece['how']]})"
        end = piece.end()
    return expression + re.escape(text[end:])


class RecordType(Generic[T]):
    """`pk` and `sk` are the patterns that read a key made by `key`. `read_type` returns the fields that `entityType`
    holds. `copies` are attributes that repeat other fields: written, never read. `since` is the data version that
    brought the kind (`library/schema.py`). `added` and `retired` are the versions since which an attribute is written,
    and no longer written. A retired attribute is not read either, and goes when the row is put anew.

    Rows of a kind with `missing` may come from other writers. Of these, attributes that cannot be read are left out and
    reported, and `missing` returns the required fields that the row lacks, from its other fields.
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
        missing: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
        since: int = 1,
        added: Mapping[str, int] = NO_VERSIONS,
        retired: Mapping[str, int] = NO_VERSIONS,
    ) -> None:
        self.kind = kind
        self.fields = Fields(kind, *attributes, derived=frozenset({"PK", "SK", "entityType", *copies, *retired}))
        self.written = frozenset({*(attribute.name for attribute in attributes), *copies})
        self.since = since
        self.added = added
        self.retired = retired
        self.key = key
        self._entity_type = entity_type
        self._read_type = read_type
        self._copies = copies
        self._missing = missing
        self._pk = KeyPattern(pk)
        self._sk = KeyPattern(sk)
        self._always_written = self.fields.always_written | copies.keys() - {"uploadedBy"}

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
        """Damaged where the item is of another kind, or holds values that no version of Sparks writes."""
        try:
            return self.kind(**{**self.fields.values(item), **self._read_key(item)})
        except UNREADABLE as error:
            if self._missing is None:
                raise Damaged(f"a row that is no {self.kind.__name__}: {error}") from error
        return self._read_foreign(item, self._missing)

    def rewritten(self, item: Item, *, only: frozenset[str] | None = None) -> Item:
        """The item as Sparks would have written it: itself in most cases. `only` are the attributes that it was read
        with. Damaged as in `read`.
        """
        needed = self._always_written if only is None else self._always_written & only
        if needed <= item.keys() and self._has_own_key(item) and self.fields.can_read(item):
            return item
        return self.write(self.read(item))

    def _read_foreign(self, item: Mapping[str, Any], missing: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> T:
        try:
            readable, lost = self.fields.readable(item)
            values = {**self.fields.values(readable), **self._read_key(item)}
            value = self.kind(**{**missing(values), **values})
        except UNREADABLE as error:
            raise Damaged(f"a row that is no {self.kind.__name__}: {error}") from error
        if lost:
            report_once(self.kind.__name__, item["PK"], f"left out {', '.join(sorted(lost))}, which cannot be read")
        return value

    def _read_key(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that PK, SK and `entityType` hold."""
        pieces = {**self._pk.read(item["PK"])}
        others = {} if self._read_type is None else self._read_type(item["entityType"])
        for name, piece in (*self._sk.read(item["SK"]).items(), *others.items()):
            if pieces.setdefault(name, piece) != piece:
                raise ValueError(f"the keys do not agree about {name}")
        return pieces

    def _has_own_key(self, item: Mapping[str, Any]) -> bool:
        try:
            self._read_key(item)
        except UNREADABLE:
            return False
        return True

    def matches(self, item: Mapping[str, Any]) -> bool:
        """Whether this is a row of the kind: its key is the one that its own values give."""
        try:
            return self.key(self.read(item)) == (item["PK"], item["SK"])
        except (BadInput, Damaged):
            return False
