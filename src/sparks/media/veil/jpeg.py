"""JPEG: all that is told beside the picture stands in segments before it, and behind its end."""

import re
from collections.abc import Iterator
from typing import Final

from sparks.media.containers.blocks import UPRIGHT, exif_of
from sparks.media.containers.view import matches
from sparks.media.veil.patches import Patch, Read

MOST_SEGMENTS: Final = 4096
EXIF: Final = b"Exif\x00\x00"
ICC: Final = b"ICC_PROFILE\x00"
AT_ONCE: Final = 1024 * 1024

_SOS, _EOI, _COMMENT, _APP1, _APP2, _ADOBE = 0xDA, 0xD9, 0xFE, 0xE1, 0xE2, 0xEE
_ALONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})  # markers without a length
_APPS: Final = frozenset(range(0xE1, 0xF0)) - {_ADOBE}  # the first of all tells the density
_NEXT: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # a marker within the picture


def jpeg_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where it is not what it should be."""
    found, at = list[Patch](), 2
    for _ in range(MOST_SEGMENTS):
        head = read(at, at + 4)
        if len(head) < 2 or head[0] != 0xFF:
            return None
        marker = head[1]
        if marker == 0xFF:
            at += 1
        elif marker in _ALONE:
            at += 2
        elif marker == _EOI:
            return iter([*found, Patch(at + 2, size)])
        else:
            end = at + 2 + int.from_bytes(head[2:4], "big")
            if end < at + 4:
                return None
            found += _patches(marker, read(at + 4, end), at + 4)
            at = end
            if marker == _SOS:
                at = _next_marker(read, at, size)
    return None


def _patches(marker: int, body: bytes, at: int) -> Iterator[Patch]:
    if marker == _COMMENT or (marker in _APPS and not (marker == _APP2 and body.startswith(ICC))):
        kept = _upright(body) if marker == _APP1 and body.startswith(EXIF) else b""
        yield Patch(at, at + len(body), kept if len(kept) <= len(body) else b"")


def _upright(body: bytes) -> bytes:
    """An EXIF block that says which way is up, and no more; nothing where the picture is upright."""
    told = exif_of(memoryview(body)) if matches(memoryview(body), EXIF) else None
    if told is None or told.orientation == UPRIGHT:
        return b""
    entry = b"\x01\x12\x00\x03\x00\x00\x00\x01" + told.orientation.to_bytes(2, "big") + b"\x00\x00"
    return EXIF + b"MM\x00\x2a\x00\x00\x00\x08\x00\x01" + entry + b"\x00\x00\x00\x00"


def _next_marker(read: Read, at: int, size: int) -> int:
    """Where the next marker is: behind a part of the picture, in which none is."""
    while at < size:
        piece = read(at, min(at + AT_ONCE, size))
        if (match := _NEXT.search(piece)) is not None:
            return at + match.start()
        at += max(1, len(piece) - 1)  # a marker may begin with the last byte
    return size
