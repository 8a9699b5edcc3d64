"""Patches that overwrite metadata segments and trailers of JPEG."""

import re
from collections.abc import Iterator
from typing import Final

from sparks.media.containers.blocks import UPRIGHT, exif_of, matches
from sparks.media.strip_metadata.patches import Patch, Read

MAX_SEGMENTS: Final = 4096
EXIF: Final = b"Exif\x00\x00"
ICC: Final = b"ICC_PROFILE\x00"
BLOCK_BYTES: Final = 1024 * 1024

_SOS, _EOI, _COMMENT, _APP1, _APP2, _ADOBE = 0xDA, 0xD9, 0xFE, 0xE1, 0xE2, 0xEE
_NO_BODY: Final = frozenset({0x01, *range(0xD0, 0xD9)})  # markers without a length
_APPS: Final = frozenset(range(0xE1, 0xF0)) - {_ADOBE}  # APP0 is kept: it holds the pixel density
_NEXT: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # a marker within the scan


def jpeg_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where the layout is unknown."""
    found, at = list[Patch](), 2
    for _ in range(MAX_SEGMENTS):
        head = read(at, at + 4)
        if len(head) < 2 or head[0] != 0xFF:
            return None
        marker = head[1]
        if marker == 0xFF:
            at += 1
        elif marker in _NO_BODY:
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
        kept = _orientation_only(body) if marker == _APP1 and body.startswith(EXIF) else b""
        yield Patch(at, at + len(body), kept if len(kept) <= len(body) else b"")


def _orientation_only(body: bytes) -> bytes:
    """An EXIF block with the orientation only; empty where the picture is upright."""
    exif = exif_of(memoryview(body)) if matches(memoryview(body), EXIF) else None
    if exif is None or exif.orientation == UPRIGHT:
        return b""
    entry = b"\x01\x12\x00\x03\x00\x00\x00\x01" + exif.orientation.to_bytes(2, "big") + b"\x00\x00"
    return EXIF + b"MM\x00\x2a\x00\x00\x00\x08\x00\x01" + entry + b"\x00\x00\x00\x00"


def _next_marker(read: Read, at: int, size: int) -> int:
    """The offset of the next marker behind the scan data at `at`; `size` where there is none."""
    while at < size:
        piece = read(at, min(at + BLOCK_BYTES, size))
        if (match := _NEXT.search(piece)) is not None:
            return at + match.start()
        at += max(1, len(piece) - 1)  # a marker may begin with the last byte
    return size
