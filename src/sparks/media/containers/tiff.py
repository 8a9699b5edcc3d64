"""TIFF directories, the way EXIF and most RAW files keep what they know."""

import struct
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

Order = Literal["little", "big"]

CLASSIC: Final = 42
PANASONIC: Final = 0x55
OLYMPUS: Final = frozenset({0x4F52, 0x5352})  # RO and RS
MOST_ENTRIES: Final = 1024
MOST_BYTES: Final = 64 * 1024  # of a value
MOST_NUMBERS: Final = 16
MOST_SUBDIRECTORIES: Final = 8

_ORDERS: Final[dict[bytes, Order]] = {b"II": "little", b"MM": "big"}
_BYTE, _TEXT, _SHORT, _LONG, _RATIONAL, _SBYTE, _UNDEFINED, _SSHORT, _SLONG, _SRATIONAL, _FLOAT, _DOUBLE, _IFD = range(
    1, 14
)
_SIZES: Final = {
    _BYTE: 1, _TEXT: 1, _SHORT: 2, _LONG: 4, _RATIONAL: 8, _SBYTE: 1, _UNDEFINED: 1, _SSHORT: 2, _SLONG: 4,
    _SRATIONAL: 8, _FLOAT: 4, _DOUBLE: 8, _IFD: 4,
}  # fmt: skip
_RATIONALS: Final = frozenset({_RATIONAL, _SRATIONAL})
_SIGNED: Final = frozenset({_SBYTE, _SSHORT, _SLONG, _SRATIONAL})
_FLOATS: Final = {_FLOAT: "f", _DOUBLE: "d"}


class Entry(NamedTuple):
    type: int
    value: memoryview


@dataclass(frozen=True, slots=True)
class Directory:
    """The tags of one directory; every question is answered with None where there is no sensible answer."""

    view: memoryview  # the whole file: offsets count from its start
    order: Order
    entries: dict[int, Entry]

    def __contains__(self, tag: int) -> bool:
        return tag in self.entries

    def raw(self, tag: int, most: int = MOST_BYTES) -> bytes | None:
        """The bytes as they are, and no more than `most` of them."""
        entry = self.entries.get(tag)
        return bytes(entry.value[:most]) if entry is not None else None

    def numbers(self, tag: int) -> tuple[float | None, ...]:
        """As many numbers as there are; n/0 is None."""
        entry = self.entries.get(tag)
        if entry is None:
            return ()
        size = _SIZES[entry.type]
        count = min(len(entry.value) // size, MOST_NUMBERS)
        return tuple(self._number(entry.type, entry.value[at * size : (at + 1) * size]) for at in range(count))

    def number(self, tag: int) -> float | None:
        return next(iter(self.numbers(tag)), None)

    def whole(self, tag: int) -> int | None:
        number = self.number(tag)
        return int(number) if number is not None and number == number and abs(number) < 2**53 else None

    def subdirectory(self, tag: int) -> "Directory":
        """The directory that the tag points to: an empty one where it points to nothing."""
        return next(iter(self.subdirectories(tag)), Directory(self.view, self.order, {}))

    def subdirectories(self, tag: int) -> "list[Directory]":
        entry = self.entries.get(tag)
        if entry is None or entry.type not in (_LONG, _IFD):
            return []
        offsets = [int(offset) for offset in self.numbers(tag)[:MOST_SUBDIRECTORIES] if offset]
        return [_directory(self.view, offset, self.order) for offset in offsets]

    def _number(self, kind: int, value: memoryview) -> float | None:
        if kind in _FLOATS:
            number: float = struct.unpack(("<" if self.order == "little" else ">") + _FLOATS[kind], value)[0]
            return number
        signed = kind in _SIGNED
        if kind not in _RATIONALS:
            return int.from_bytes(value, self.order, signed=signed)
        upper, lower = (int.from_bytes(half, self.order, signed=signed) for half in (value[:4], value[4:]))
        return upper / lower if lower else None


def first_directory(view: memoryview) -> Directory | None:
    """The first directory of a TIFF file, or None where this is none."""
    order = _ORDERS.get(bytes(view[:2]))
    if order is None or len(view) < 8 or magic_of(view, order) not in {CLASSIC, PANASONIC, *OLYMPUS}:
        return None
    return _directory(view, int.from_bytes(view[4:8], order), order)


def magic_of(view: memoryview, order: Order) -> int:
    return int.from_bytes(view[2:4], order)


def order_of(view: memoryview) -> Order | None:
    return _ORDERS.get(bytes(view[:2]))


def _directory(view: memoryview, offset: int, order: Order) -> Directory:
    count = min(int.from_bytes(view[offset : offset + 2], order), MOST_ENTRIES)
    entries: dict[int, Entry] = {}
    for at in range(offset + 2, offset + 2 + 12 * count, 12):
        field = view[at : at + 12]
        if len(field) < 12:
            break
        tag, kind = int.from_bytes(field[:2], order), int.from_bytes(field[2:4], order)
        if kind in _SIZES and tag not in entries:
            entries[tag] = Entry(kind, _value(view, field, _SIZES[kind], order))
    return Directory(view, order, entries)


def _value(view: memoryview, field: memoryview, size: int, order: Order) -> memoryview:
    """What fits into four bytes stands in the entry itself."""
    length = size * int.from_bytes(field[4:8], order)
    if length <= 4:
        return field[8 : 8 + length]
    offset = int.from_bytes(field[8:12], order)
    return view[offset : offset + length]
