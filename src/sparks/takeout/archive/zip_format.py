"""Zip64 format without compression: headers, descriptors, central directory.

Entries are stored uncompressed, since pictures do not get smaller. So all lengths are known before a byte is read. Only
the checksums are not: they follow the data of each entry (bit 3), and are in the directory at the end.

slot          header, data and descriptor of an entry; the slots end at `slots_end`
filler        zeros in the slots of entries that are gone; readers of zip files follow the directory and skip them
_missing.txt  the names of the entries that are gone, if any, in the space that their directory records leave
directory     a record of each entry that is there
end           the offset of the directory; a second time as zip64, where 32 bits are too few

RESERVE bytes between the slots and the directory are kept free, so that `_missing.txt` fits even with a single short
name. Each further missing entry shortens the directory by more than its line in `_missing.txt`.
"""

import struct
from typing import Final, Protocol

MAX_32: Final = 0xFFFFFFFF
MAX_16: Final = 0xFFFF
RESERVE: Final = 512

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_DESCRIPTOR: Final = struct.Struct("<4s3L")
_DESCRIPTOR_64: Final = struct.Struct("<4sL2Q")
_RECORD: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")
_TIME: Final = struct.Struct("<2HBl")  # the extended timestamp, which unpackers on Unix read
_TIME_SIZE: Final = 5

_STORED: Final = 0
_CRC_FOLLOWS: Final = 1 << 3
_UTF8: Final = 1 << 11
_PLAIN, _BIG = 20, 45  # the format versions that a reader needs
_MADE_ON_UNIX: Final = 3 << 8
_READABLE: Final = 0o100644 << 16


class ZipEntry(Protocol):
    """The metadata of a file. `clock` is the DOS time by the photographer's clock, `time` is in Unix seconds."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def clock(self) -> int: ...
    @property
    def time(self) -> int: ...


# -- Slots


def slot_size(entry: ZipEntry) -> int:
    return len(slot_header(entry)) + entry.size + (_DESCRIPTOR_64 if _is_big(entry) else _DESCRIPTOR).size


def slot_header(entry: ZipEntry) -> bytes:
    name = entry.name.encode()
    big = _is_big(entry)
    size, extra = (MAX_32, struct.pack("<2H2Q", 1, 16, 0, 0)) if big else (0, b"")
    extra += _time(entry)
    version, flags = _BIG if big else _PLAIN, _UTF8 | _CRC_FOLLOWS
    fields = version, flags, _STORED, entry.clock & MAX_16, entry.clock >> 16, 0, size, size, len(name), len(extra)
    return _LOCAL.pack(b"PK\x03\x04", *fields) + name + extra


def slot_descriptor(entry: ZipEntry, crc: int) -> bytes:
    form = _DESCRIPTOR_64 if _is_big(entry) else _DESCRIPTOR
    return form.pack(b"PK\x07\x08", crc, entry.size, entry.size)


def whole_file(entry: ZipEntry, data: bytes, crc: int) -> bytes:
    """The slot of a small entry whose data are in memory."""
    name, extra = entry.name.encode(), _time(entry)
    clock = entry.clock & MAX_16, entry.clock >> 16
    fields = _PLAIN, _UTF8, _STORED, *clock, crc, len(data), len(data), len(name), len(extra)
    return _LOCAL.pack(b"PK\x03\x04", *fields) + name + extra + data


# -- Directory


def directory_record_size(entry: ZipEntry, offset: int) -> int:
    return _RECORD.size + len(entry.name.encode()) + len(_time(entry)) + len(_wide(entry, offset))


def directory_record(entry: ZipEntry, offset: int, crc: int, *, crc_follows: bool = True) -> bytes:
    name = entry.name.encode()
    extra = _wide(entry, offset) + _time(entry)
    version = _BIG if _is_big(entry) or offset >= MAX_32 else _PLAIN
    flags = _UTF8 | (_CRC_FOLLOWS if crc_follows else 0)
    size = MAX_32 if _is_big(entry) else entry.size
    clock = entry.clock & MAX_16, entry.clock >> 16
    fields = _MADE_ON_UNIX | version, version, flags, _STORED, *clock, crc, size, size, len(name), len(extra)
    return _RECORD.pack(b"PK\x01\x02", *fields, 0, 0, 0, _READABLE, min(offset, MAX_32)) + name + extra


# -- End record


def needs_wide_end(entries: int, slots_end: int, central_bytes: int) -> bool:
    return entries >= MAX_16 or slots_end + RESERVE + central_bytes >= MAX_32


def end_size(*, wide: bool) -> int:
    return _END.size + (_END_64.size + _LOCATOR.size if wide else 0)


def end(entries: int, directory_start: int, directory_size: int, *, wide: bool) -> bytes:
    """`wide` is decided when the archive is planned, so that its length does not depend on what is gone."""
    short = min(entries, MAX_16), min(directory_size, MAX_32), min(directory_start, MAX_32)
    plain = _END.pack(b"PK\x05\x06", 0, 0, short[0], *short, 0)
    if not wide:
        return plain
    fields = _MADE_ON_UNIX | _BIG, _BIG, 0, 0, entries, entries, directory_size, directory_start
    big = _END_64.pack(b"PK\x06\x06", _END_64.size - 12, *fields)
    return big + _LOCATOR.pack(b"PK\x06\x07", 0, directory_start + directory_size, 1) + plain


def _is_big(entry: ZipEntry) -> bool:
    return entry.size >= MAX_32


def _wide(entry: ZipEntry, offset: int) -> bytes:
    """The zip64 field: the values that need more than 32 bits, in the order of the format."""
    sizes = (entry.size, entry.size) if _is_big(entry) else ()
    values = (*sizes, offset) if offset >= MAX_32 else sizes
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values) if values else b""


def _time(entry: ZipEntry) -> bytes:
    """The extended timestamp. Empty where 32 bits are too few: readers then use the DOS time."""
    if not -(2**31) <= entry.time < 2**31:
        return b""
    return _TIME.pack(0x5455, _TIME_SIZE, 1, entry.time)
