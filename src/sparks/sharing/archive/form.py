"""The form of a zip file (PKWARE's APPNOTE 6.3.9), as far as an archive of photos needs it.

Entries are stored, not packed: pictures do not get smaller. So the length of everything is known before a byte is read,
and only the checksums are not: they follow behind each entry's bytes (bit 3), and stand in the list at the end.

slot          header, bytes, checksum: of each entry, one behind the other, up to `slots_end`
filler        zeros in the slots of entries that are gone. Readers go by the list, and never look there
_missing.txt  which ones that are, where there are any: in the place that the list does not need any more
list          a record of each entry that is there
end           where the list is; twice, where 32 bits do not hold it (zip64)

[Note: reserve] Some bytes between the slots and the list are kept free, so that `_missing.txt` has room even where a
single short name is to be told. With every other one that is gone, the list gets shorter by more than a line.
"""

import struct
from typing import Final, Protocol

MOST_32: Final = 0xFFFFFFFF
MOST_16: Final = 0xFFFF
RESERVE: Final = 512

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_SUM: Final = struct.Struct("<4s3L")
_SUM_64: Final = struct.Struct("<4sL2Q")
_RECORD: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")
_TIME: Final = struct.Struct("<2HBl")  # the extended timestamp, of which all that unpacks on Unix reads the time
_TIME_SIZE: Final = 5

_STORED: Final = 0
_SUM_FOLLOWS: Final = 1 << 3
_UTF8: Final = 1 << 11
_PLAIN, _BIG = 20, 45  # the versions of the form that a reader needs
_MADE_ON_UNIX: Final = 3 << 8
_READABLE: Final = 0o100644 << 16


class Entry(Protocol):
    """What is told of a file: its time by the clock of whoever took it, and in Unix seconds."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def clock(self) -> int: ...
    @property
    def time(self) -> int: ...


# -- A slot


def slot_size(entry: Entry) -> int:
    return len(slot_header(entry)) + entry.size + (_SUM_64 if _is_big(entry) else _SUM).size


def slot_header(entry: Entry) -> bytes:
    name = entry.name.encode()
    big = _is_big(entry)
    size, extra = (MOST_32, struct.pack("<2H2Q", 1, 16, 0, 0)) if big else (0, b"")
    extra += _time(entry)
    version, flags = _BIG if big else _PLAIN, _UTF8 | _SUM_FOLLOWS
    fields = version, flags, _STORED, entry.clock & MOST_16, entry.clock >> 16, 0, size, size, len(name), len(extra)
    return _LOCAL.pack(b"PK\x03\x04", *fields) + name + extra


def slot_sum(entry: Entry, crc: int) -> bytes:
    form = _SUM_64 if _is_big(entry) else _SUM
    return form.pack(b"PK\x07\x08", crc, entry.size, entry.size)


def whole_file(entry: Entry, data: bytes, crc: int) -> bytes:
    """A small entry whose bytes are at hand."""
    name, extra = entry.name.encode(), _time(entry)
    clock = entry.clock & MOST_16, entry.clock >> 16
    fields = _PLAIN, _UTF8, _STORED, *clock, crc, len(data), len(data), len(name), len(extra)
    return _LOCAL.pack(b"PK\x03\x04", *fields) + name + extra + data


# -- The list


def record_size(entry: Entry, offset: int) -> int:
    return _RECORD.size + len(entry.name.encode()) + len(_time(entry)) + len(_wide(entry, offset))


def record(entry: Entry, offset: int, crc: int, *, sum_follows: bool = True) -> bytes:
    name = entry.name.encode()
    extra = _wide(entry, offset) + _time(entry)
    version = _BIG if _is_big(entry) or offset >= MOST_32 else _PLAIN
    flags = _UTF8 | (_SUM_FOLLOWS if sum_follows else 0)
    size = MOST_32 if _is_big(entry) else entry.size
    clock = entry.clock & MOST_16, entry.clock >> 16
    fields = _MADE_ON_UNIX | version, version, flags, _STORED, *clock, crc, size, size, len(name), len(extra)
    return _RECORD.pack(b"PK\x01\x02", *fields, 0, 0, 0, _READABLE, min(offset, MOST_32)) + name + extra


# -- The end


def needs_wide_end(entries: int, slots_end: int, central_bytes: int) -> bool:
    return entries >= MOST_16 or slots_end + RESERVE + central_bytes >= MOST_32


def end_size(*, wide: bool) -> int:
    return _END.size + (_END_64.size + _LOCATOR.size if wide else 0)


def end(entries: int, list_start: int, list_size: int, *, wide: bool) -> bytes:
    """`wide` is decided when the archive is planned, so that its length does not depend on what is gone."""
    short = min(entries, MOST_16), min(list_size, MOST_32), min(list_start, MOST_32)
    plain = _END.pack(b"PK\x05\x06", 0, 0, short[0], *short, 0)
    if not wide:
        return plain
    fields = _MADE_ON_UNIX | _BIG, _BIG, 0, 0, entries, entries, list_size, list_start
    big = _END_64.pack(b"PK\x06\x06", _END_64.size - 12, *fields)
    return big + _LOCATOR.pack(b"PK\x06\x07", 0, list_start + list_size, 1) + plain


def _is_big(entry: Entry) -> bool:
    return entry.size >= MOST_32


def _wide(entry: Entry, offset: int) -> bytes:
    """What 32 bits do not hold, in the order that the form wants it."""
    sizes = (entry.size, entry.size) if _is_big(entry) else ()
    values = (*sizes, offset) if offset >= MOST_32 else sizes
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values) if values else b""


def _time(entry: Entry) -> bytes:
    """Absent where 32 bits do not hold it: readers then go by the clock."""
    if not -(2**31) <= entry.time < 2**31:
        return b""
    return _TIME.pack(0x5455, _TIME_SIZE, 1, entry.time)
