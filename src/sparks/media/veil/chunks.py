"""PNG and WebP: chunks that tell something beside the picture become chunks that nobody reads."""

from collections.abc import Iterator
from typing import Final
from zlib import crc32

from sparks.media.veil.patches import Patch, Read

MOST_CHUNKS: Final = 100_000
NOBODYS: Final = b"noNe"  # a private PNG chunk, which readers pass over
JUNK: Final = b"JUNK"
AT_ONCE: Final = 1024 * 1024

# What a PNG picture is made of, and how it is to be shown.
PICTURE: Final = frozenset(
    b"IHDR PLTE IDAT tRNS gAMA cHRM sRGB iCCP sBIT pHYs bKGD hIST cICP mDCV cLLI acTL fcTL fdAT".split()
)
_TOLD: Final = frozenset({b"EXIF", b"XMP "})
_EXIF_AND_XMP: Final = 0x0C  # flags of the first chunk of a WebP


def png_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where it is not what it should be."""
    found, at = list[Patch](), 8
    for _ in range(MOST_CHUNKS):
        head = read(at, at + 8)
        if len(head) < 8:
            return None
        length, kind = int.from_bytes(head[:4], "big"), head[4:8]
        if kind == b"IEND":
            return iter([*found, Patch(at + 12, size)])
        if kind not in PICTURE:
            checksum = _checksum(length).to_bytes(4, "big")
            found += [Patch(at + 4, at + 8 + length, NOBODYS), Patch(at + 8 + length, at + 12 + length, checksum)]
        at += 12 + length
    return None


def webp_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where it is not what it should be."""
    found, at = list[Patch](), 12
    whole = 8 + int.from_bytes(read(4, 8), "little")
    for _ in range(MOST_CHUNKS):
        head = read(at, at + 9)
        if at >= min(whole, size):
            return iter([*found, Patch(whole, size)])
        if len(head) < 8:
            return None
        kind, length = head[:4], int.from_bytes(head[4:8], "little")
        if kind == b"VP8X" and len(head) == 9:
            found.append(Patch(at + 8, at + 9, bytes([head[8] & ~_EXIF_AND_XMP])))
        elif kind in _TOLD:
            found += [Patch(at, at + 4, JUNK), Patch(at + 8, at + 8 + length)]
        at += 8 + (length + 1) // 2 * 2
    return None


def _checksum(length: int) -> int:
    """Of a chunk that is nobody's and holds so many zeros."""
    checksum = crc32(NOBODYS)
    for start in range(0, length, AT_ONCE):
        checksum = crc32(bytes(min(AT_ONCE, length - start)), checksum)
    return checksum
