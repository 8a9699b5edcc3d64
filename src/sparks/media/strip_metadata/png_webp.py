"""Patches that turn metadata chunks of PNG and WebP into ignored ones."""

from collections.abc import Iterator
from typing import Final
from zlib import crc32

from sparks.media.strip_metadata.patches import Patch, Read

MAX_CHUNKS: Final = 100_000
IGNORED_CHUNK: Final = b"noNe"  # a private PNG chunk, which readers ignore
JUNK: Final = b"JUNK"
BLOCK_BYTES: Final = 1024 * 1024

# Chunks of the pixels of a PNG, and of how they are shown.
PICTURE_CHUNKS: Final = frozenset(
    b"IHDR PLTE IDAT tRNS gAMA cHRM sRGB iCCP sBIT pHYs bKGD hIST cICP mDCV cLLI acTL fcTL fdAT".split()
)
_METADATA_CHUNKS: Final = frozenset({b"EXIF", b"XMP "})
_EXIF_AND_XMP: Final = 0x0C  # flags of the first chunk of a WebP


def png_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where the layout is unknown."""
    found, at = list[Patch](), 8
    for _ in range(MAX_CHUNKS):
        head = read(at, at + 8)
        if len(head) < 8:
            return None
        length, kind = int.from_bytes(head[:4], "big"), head[4:8]
        if kind == b"IEND":
            return iter([*found, Patch(at + 12, size)])
        if kind not in PICTURE_CHUNKS:
            checksum = _checksum(length).to_bytes(4, "big")
            found += [Patch(at + 4, at + 8 + length, IGNORED_CHUNK), Patch(at + 8 + length, at + 12 + length, checksum)]
        at += 12 + length
    return None


def webp_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where the layout is unknown."""
    found, at = list[Patch](), 12
    whole = 8 + int.from_bytes(read(4, 8), "little")
    for _ in range(MAX_CHUNKS):
        head = read(at, at + 9)
        if at >= min(whole, size):
            return iter([*found, Patch(whole, size)])
        if len(head) < 8:
            return None
        kind, length = head[:4], int.from_bytes(head[4:8], "little")
        if kind == b"VP8X" and len(head) == 9:
            found.append(Patch(at + 8, at + 9, bytes([head[8] & ~_EXIF_AND_XMP])))
        elif kind in _METADATA_CHUNKS:
            found += [Patch(at, at + 4, JUNK), Patch(at + 8, at + 8 + length)]
        at += 8 + (length + 1) // 2 * 2
    return None


def _checksum(length: int) -> int:
    """The checksum of an ignored chunk with `length` zeros."""
    checksum = crc32(IGNORED_CHUNK)
    for start in range(0, length, BLOCK_BYTES):
        checksum = crc32(bytes(min(BLOCK_BYTES, length - start)), checksum)
    return checksum
