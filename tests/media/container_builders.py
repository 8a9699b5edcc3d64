"""Small generated files for cases that no sample covers."""

import io
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BYTE, TEXT, SHORT, LONG, RATIONAL, UNDEFINED, SRATIONAL = 1, 2, 3, 4, 5, 7, 10
EXIF_POINTER, GPS_POINTER, SUBDIRECTORIES = 0x8769, 0x8825, 330

Tags = Mapping[int, tuple[int, Any]]
Pixels = NDArray[np.uint8]

_FORMS: Final = {BYTE: "B", SHORT: "H", LONG: "I"}
_SIZES: Final = {BYTE: 1, TEXT: 1, SHORT: 2, LONG: 4, RATIONAL: 8, UNDEFINED: 1, SRATIONAL: 8}


# -- Pictures


def gradient(width: int = 64, height: int = 48, *, opacity: bool = False) -> Pixels:
    """Red grows to the right, green downwards; no two corners are alike."""
    y, x = np.mgrid[0:height, 0:width]
    bands = [x * 255 // max(1, width - 1), y * 255 // max(1, height - 1), np.full_like(x, 64)]
    return np.stack([*bands, *([x * 255 // max(1, width - 1)] if opacity else [])], axis=2).astype(np.uint8)


def saved(pixels: Pixels | NDArray[np.uint16], form: str, **options: Any) -> bytes:
    """As Pillow writes it: `JPEG`, `PNG`, `WEBP`, `GIF`, `BMP`, `TIFF`, `AVIF`."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form, **options)
    return file.getvalue()


def animated(form: str, frames: Sequence[Pixels], *, milliseconds: int = 100) -> bytes:
    file = io.BytesIO()
    first, *rest = (Image.fromarray(frame) for frame in frames)
    first.save(file, form, save_all=True, append_images=rest, duration=milliseconds, loop=0)
    return file.getvalue()


# -- TIFF structures: EXIF blocks and RAW files


def tiff(tags: Tags, *, order: str = "<", magic: int = 42, start: bytes = b"") -> bytes:
    """A value is a text, numbers, pairs of numbers, bytes, or tags of a directory below (in a list: of several).

    `start` stands between the header and the first directory.
    """
    first = 8 + len(start)
    head = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HI", magic, first)
    return head + start + _directory(tags, first, order)


def _directory(tags: Tags, offset: int, order: str) -> bytes:
    entries, heap = b"", b""
    heap_start = offset + 2 + 12 * len(tags) + 4
    for tag, (kind, value) in sorted(tags.items()):
        values, below = _encoded(kind, value, heap_start + len(heap), order)
        count = len(values) // _SIZES[kind]
        if len(values) > 4:
            field, below = struct.pack(f"{order}I", heap_start + len(heap) + len(below)), below + values
        else:
            field = values.ljust(4, b"\x00")
        heap += below + b"\x00" * (len(below) % 2)
        entries += struct.pack(f"{order}HHI", tag, kind, count) + field
    return struct.pack(f"{order}H", len(tags)) + entries + b"\x00\x00\x00\x00" + heap


def _encoded(kind: int, value: Any, at: int, order: str) -> tuple[bytes, bytes]:
    """The bytes of a value, and what must lie at `at` for it to point to."""
    match value:
        case str():
            return value.encode() + b"\x00", b""
        case bytes() if kind == LONG:
            return struct.pack(f"{order}I", at), value
        case bytes():
            return value, b""
        case dict():
            return struct.pack(f"{order}I", at), _directory(value, at, order)
        case int():
            return struct.pack(order + _FORMS[kind], value), b""
    if kind in (RATIONAL, SRATIONAL):
        form = "II" if kind == RATIONAL else "ii"
        return b"".join(struct.pack(order + form, *pair) for pair in value), b""
    return struct.pack(f"{order}{len(value)}{_FORMS[kind]}", *value), b""


def exif(main: Tags | None = None, exposure: Tags | None = None, place: Tags | None = None, **options: Any) -> bytes:
    below = {EXIF_POINTER: (LONG, exposure or {}), GPS_POINTER: (LONG, place or {})}
    return tiff({**(main or {}), **below}, **options)


def dng(pixels: NDArray[np.uint16], *, preview: bytes | None = None, orientation: int = 1) -> bytes:
    """A sensor's data in red, green, green and blue cells, with or without a preview in front."""
    height, width = pixels.shape
    camera = {
        271: (TEXT, "Sparks"),
        272: (TEXT, "Pinhole"),
        274: (SHORT, orientation),
        50706: (BYTE, [1, 4, 0, 0]),
        50708: (TEXT, "Sparks Pinhole"),
        50721: (SRATIONAL, [(3, 2), (-1, 2), (-1, 4), (-1, 2), (3, 2), (1, 4), (0, 1), (1, 8), (1, 2)]),
        50728: (RATIONAL, [(1, 2), (1, 1), (2, 3)]),
        50778: (SHORT, 21),
    }
    sensor = {
        254: (LONG, 0),
        256: (LONG, width),
        257: (LONG, height),
        258: (SHORT, 16),
        259: (SHORT, 1),
        262: (SHORT, 32803),
        273: (LONG, pixels.astype("<u2").tobytes()),
        277: (SHORT, 1),
        278: (LONG, height),
        279: (LONG, pixels.size * 2),
        33421: (SHORT, [2, 2]),
        33422: (BYTE, [0, 1, 1, 2]),
        50714: (SHORT, 0),
        50717: (LONG, 65535),
    }
    if preview is None:
        return tiff({**camera, **sensor})
    wide, high = Image.open(io.BytesIO(preview)).size
    front = {
        254: (LONG, 1),
        256: (LONG, wide),
        257: (LONG, high),
        258: (SHORT, [8, 8, 8]),
        259: (SHORT, 7),
        262: (SHORT, 6),
        273: (LONG, preview),
        277: (SHORT, 3),
        278: (LONG, high),
        279: (LONG, len(preview)),
        SUBDIRECTORIES: (LONG, sensor),
    }
    return tiff({**camera, **front})


# -- Containers


def with_segments(jpeg: bytes, *segments: tuple[int, bytes]) -> bytes:
    """A JPEG with more segments in front: marker and body each."""
    added = b"".join(struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body for marker, body in segments)
    return jpeg[:2] + added + jpeg[2:]


def with_exif(jpeg: bytes, block: bytes) -> bytes:
    return with_segments(jpeg, (0xE1, b"Exif\x00\x00" + block))


def with_xmp(jpeg: bytes, packet: bytes) -> bytes:
    return with_segments(jpeg, (0xE1, b"http://ns.adobe.com/xap/1.0/\x00" + packet))


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def with_chunk(png: bytes, kind: bytes, body: bytes) -> bytes:
    """A PNG with another chunk after its header."""
    return png[:33] + png_chunk(kind, body) + png[33:]


def png_header(width: int, height: int, *, interlaced: bool = False) -> bytes:
    """A PNG that claims a size, and a few bytes of zeros for its pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, interlaced)
    rows = png_chunk(b"IDAT", zlib.compress(bytes(10_000)))
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + rows + png_chunk(b"IEND", b"")


def box(kind: bytes, *bodies: bytes) -> bytes:
    body = b"".join(bodies)
    return struct.pack(">I", 8 + len(body)) + kind + body


def riff_chunks(content: bytes) -> dict[bytes, bytes]:
    """The chunks of a WebP file, the first of each kind."""
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(content):
        length = int.from_bytes(content[at + 4 : at + 8], "little")
        found.setdefault(content[at : at + 4], content[at + 8 : at + 8 + length])
        at += 8 + length + length % 2
    return found
