"""PNG chunks. Texts and profiles may be packed: they are unpacked up to a cap, so that nothing can blow up."""

import zlib
from collections.abc import Iterator
from typing import Final

from sparks.media.containers.blocks import MOST_PACKET, MOST_PROFILE, Blocks, exif_of

MOST_CHUNKS: Final = 100_000
XMP: Final = b"XML:com.adobe.xmp"
RAW_PROFILES: Final = frozenset({b"Raw profile type exif", b"Raw profile type APP1"})


def png_blocks(view: memoryview) -> Blocks:
    """The first of each counts, and only what counts is unpacked: there may be thousands of others."""
    size: tuple[int, int] | None = None
    found: dict[str, bytes] = {}
    for kind, body in chunks(view):
        if kind == b"IHDR" and size is None:
            size = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
        elif kind == b"eXIf" and "exif" not in found:
            found["exif"] = bytes(body[:MOST_PACKET])
        elif kind == b"iCCP" and "profile" not in found:
            found["profile"] = unpack(body[len(_name(body)) + 2 :], MOST_PROFILE)
        elif kind == b"iTXt" and "xmp" not in found and _name(body) == XMP:
            found["xmp"] = _international(body)
        elif kind in (b"tEXt", b"zTXt") and "exif" not in found and _name(body) in RAW_PROFILES:
            found["exif"] = _raw_profile(body, packed=kind == b"zTXt")
    width, height = size or (None, None)
    return Blocks(
        exif=exif_of(memoryview(found.get("exif", b""))),
        xmp=found.get("xmp"),
        profile=found.get("profile") or None,
        width=width,
        height=height,
    )


def chunks(view: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    at = 8
    for _ in range(MOST_CHUNKS):
        length, kind = int.from_bytes(view[at : at + 4], "big"), bytes(view[at + 4 : at + 8])
        if len(kind) < 4 or kind == b"IEND":
            return
        yield kind, view[at + 8 : at + 8 + length]
        at += 12 + length


def _name(body: memoryview) -> bytes:
    """A name of at most 79 bytes, which a NUL ends."""
    return bytes(body[:80]).partition(b"\x00")[0]


def _international(body: memoryview) -> bytes:
    """The text of an iTXt chunk: name, two flags, language, translated name, text."""
    _, _, rest = bytes(body[: MOST_PACKET + 1024]).partition(b"\x00")
    packed = rest[:1] == b"\x01"
    _, _, rest = rest[2:].partition(b"\x00")
    _, _, text = rest.partition(b"\x00")
    return unpack(memoryview(text), MOST_PACKET) if packed else text


def unpack(value: memoryview, most: int) -> bytes:
    """What can be unpacked, and no more than `most` bytes of it."""
    try:
        return zlib.decompressobj().decompress(value, most)
    except zlib.error:
        return b""


def _raw_profile(body: memoryview, *, packed: bool) -> bytes:
    """The way ImageMagick writes EXIF into a text: a name, a length and hexadecimal digits on lines."""
    value = body[len(_name(body)) + 1 + packed :]
    text = unpack(value, MOST_PACKET) if packed else bytes(value[:MOST_PACKET])
    try:
        return bytes.fromhex(b"".join(text.split()[2:]).decode("ascii"))
    except ValueError:
        return b""
