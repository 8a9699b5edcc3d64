"""TIFF directories, as used by EXIF and most RAW formats."""

import struct
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

ByteOrder = Literal["little", "big"]

CLASSIC: Final = 42
PANASONIC: Final = 0x55
OLYMPUS: Final = frozenset({0x4F52, 0x5352})  # RO and RS
MAX_ENTRIES: Final = 1024
MAX_BYTES: Final = 64 * 1024  # of a value
MAX_NUMBERS: Final = 16
MAX_SUBDIRECTORIES: Final = 8

_ORDERS: Final[dict[bytes, ByteOrder]] = {b"II": "little", b"MM": "big"}
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


class TiffEntry(NamedTuple):
    type: int
    value: memoryview


@dataclass(frozen=True, slots=True)
class TiffDirectory:
    """The tags of one directory; every method returns None or an empty value for a missing or senseless tag."""

    view: memoryview  # the whole file: offsets count from its start
    order: ByteOrder
    entries: dict[int, TiffEntry]

    def __contains__(self, tag: int) -> bool:
        return tag in self.entries

    def raw(self, tag: int, max_bytes: int = MAX_BYTES) -> bytes | None:
        """The bytes of the value, at most `max_bytes`."""
        entry = self.entries.get(tag)
        return bytes(entry.value[:max_bytes]) if entry is not None else None

    def numbers(self, tag: int) -> tuple[float | None, ...]:
        """The numbers of the value; n/0 is None."""
        entry = self.entries.get(tag)
        if entry is None:
            return ()
        size = _SIZES[entry.type]
        count = min(len(entry.value) // size, MAX_NUMBERS)
        return tuple(self._number(entry.type, entry.value[at * size : (at + 1) * size]) for at in range(count))

    def number(self, tag: int) -> float | None:
        return next(iter(self.numbers(tag)), None)

    def integer(self, tag: int) -> int | None:
        number = self.number(tag)
        return int(number) if number is not None and number == number and abs(number) < 2**53 else None

    def subdirectory(self, tag: int) -> "TiffDirectory":
        """The directory that the tag points to, or an empty one."""
        return next(iter(self.subdirectories(tag)), TiffDirectory(self.view, self.order, {}))

    def subdirectories(self, tag: int) -> "list[TiffDirectory]":
        entry = self.entries.get(tag)
        if entry is None or entry.type not in (_LONG, _IFD):
            return []
        offsets = [int(offset) for offset in self.numbers(tag)[:MAX_SUBDIRECTORIES] if offset]
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


def first_directory(view: memoryview) -> TiffDirectory | None:
    """The first directory of a TIFF file; None where this is no TIFF file."""
    order = _ORDERS.get(bytes(view[:2]))
    if order is None or len(view) < 8 or magic_of(view, order) not in {CLASSIC, PANASONIC, *OLYMPUS}:
        return None
    return _directory(view, int.from_bytes(view[4:8], order), order)


def magic_of(view: memoryview, order: ByteOrder) -> int:
    return int.from_bytes(view[2:4], order)


def byte_order_of(view: memoryview) -> ByteOrder | None:
    return _ORDERS.get(bytes(view[:2]))


def _directory(view: memoryview, offset: int, order: ByteOrder) -> TiffDirectory:
    count = min(int.from_bytes(view[offset : offset + 2], order), MAX_ENTRIES)
    entries: dict[int, TiffEntry] = {}
    for at in range(offset + 2, offset + 2 + 12 * count, 12):
        field = view[at : at + 12]
        if len(field) < 12:
            break
        tag, kind = int.from_bytes(field[:2], order), int.from_bytes(field[2:4], order)
        if kind in _SIZES and tag not in entries:
            entries[tag] = TiffEntry(kind, _value(view, field, _SIZES[kind], order))
    return TiffDirectory(view, order, entries)


def _value(view: memoryview, field: memoryview, size: int, order: ByteOrder) -> memoryview:
    """The value of an entry; up to four bytes are stored in the entry itself."""
    length = size * int.from_bytes(field[4:8], order)
    if length <= 4:
        return field[8 : 8 + length]
    offset = int.from_bytes(field[8:12], order)
    return view[offset : offset + length]
