"""WebP chunks of a RIFF file."""

from collections.abc import Iterator
from typing import Final

from sparks.media.containers.blocks import MAX_PACKET, MAX_PROFILE, MetadataBlocks, exif_of

MAX_CHUNKS: Final = 100_000


def webp_blocks(view: memoryview) -> MetadataBlocks:
    first: dict[bytes, memoryview] = {}
    for kind, body in chunks(view):
        first.setdefault(kind, body)
    width, height = _size(first)
    profile, xmp = first.get(b"ICCP"), first.get(b"XMP ")
    return MetadataBlocks(
        exif=exif_of(first.get(b"EXIF", view[:0])),
        xmp=None if xmp is None else bytes(xmp[:MAX_PACKET]),
        profile=None if profile is None else bytes(profile[:MAX_PROFILE]),
        width=width,
        height=height,
    )


def chunks(view: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    at = 12
    for _ in range(MAX_CHUNKS):
        kind, length = bytes(view[at : at + 4]), int.from_bytes(view[at + 4 : at + 8], "little")
        if len(kind) < 4:
            return
        yield kind, view[at + 8 : at + 8 + length]
        at += 8 + (length + 1) // 2 * 2


def _size(first: dict[bytes, memoryview]) -> tuple[int | None, int | None]:
    """The size from the extended header, the lossy frame or the lossless frame, which each encode it differently."""
    if (body := first.get(b"VP8X")) is not None:
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if (body := first.get(b"VP8 ")) is not None:
        return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF
    if (body := first.get(b"VP8L")) is not None:
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return None, None
