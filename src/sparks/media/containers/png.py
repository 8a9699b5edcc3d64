"""PNG chunks with metadata; compressed texts and profiles are decompressed up to a limit."""

import zlib
from collections.abc import Iterator
from typing import Final

from sparks.media.containers.blocks import MAX_PACKET, MAX_PROFILE, MetadataBlocks, exif_of

MAX_CHUNKS: Final = 100_000
XMP: Final = b"XML:com.adobe.xmp"
RAW_PROFILES: Final = frozenset({b"Raw profile type exif", b"Raw profile type APP1"})


def png_blocks(view: memoryview) -> MetadataBlocks:
    """Reads the first chunk of each type and decompresses only these: a file may hold thousands more."""
    size: tuple[int, int] | None = None
    found: dict[str, bytes] = {}
    for kind, body in chunks(view):
        if kind == b"IHDR" and size is None:
            size = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
        elif kind == b"eXIf" and "exif" not in found:
            found["exif"] = bytes(body[:MAX_PACKET])
        elif kind == b"iCCP" and "profile" not in found:
            found["profile"] = unpack(body[len(_name(body)) + 2 :], MAX_PROFILE)
        elif kind == b"iTXt" and "xmp" not in found and _name(body) == XMP:
            found["xmp"] = _international(body)
        elif kind in (b"tEXt", b"zTXt") and "exif" not in found and _name(body) in RAW_PROFILES:
            found["exif"] = _raw_profile(body, packed=kind == b"zTXt")
    width, height = size or (None, None)
    return MetadataBlocks(
        exif=exif_of(memoryview(found.get("exif", b""))),
        xmp=found.get("xmp"),
        profile=found.get("profile") or None,
        width=width,
        height=height,
    )


def chunks(view: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    at = 8
    for _ in range(MAX_CHUNKS):
        length, kind = int.from_bytes(view[at : at + 4], "big"), bytes(view[at + 4 : at + 8])
        if len(kind) < 4 or kind == b"IEND":
            return
        yield kind, view[at + 8 : at + 8 + length]
        at += 12 + length


def _name(body: memoryview) -> bytes:
    """The name at the start of a chunk: at most 79 bytes, ended by a NUL."""
    return bytes(body[:80]).partition(b"\x00")[0]


def _international(body: memoryview) -> bytes:
    """The text of an iTXt chunk: name, two flags, language, translated name, text."""
    _, _, rest = bytes(body[: MAX_PACKET + 1024]).partition(b"\x00")
    packed = rest[:1] == b"\x01"
    _, _, rest = rest[2:].partition(b"\x00")
    _, _, text = rest.partition(b"\x00")
    return unpack(memoryview(text), MAX_PACKET) if packed else text


def unpack(value: memoryview, max_bytes: int) -> bytes:
    """The decompressed value, up to `max_bytes`; empty where it is broken."""
    try:
        return zlib.decompressobj().decompress(value, max_bytes)
    except zlib.error:
        return b""


def _raw_profile(body: memoryview, *, packed: bool) -> bytes:
    """EXIF that ImageMagick wrote as text: a name, a length and lines of hexadecimal digits."""
    value = body[len(_name(body)) + 1 + packed :]
    text = unpack(value, MAX_PACKET) if packed else bytes(value[:MAX_PACKET])
    try:
        return bytes.fromhex(b"".join(text.split()[2:]).decode("ascii"))
    except ValueError:
        return b""
