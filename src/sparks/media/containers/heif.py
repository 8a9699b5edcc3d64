"""HEIC and AVIF: metadata items located by `iinf` and `iloc`."""

from collections.abc import Iterator
from typing import Final

from sparks.media.containers.blocks import MAX_PACKET, MAX_PROFILE, MetadataBlocks, exif_of, matches, read_uint
from sparks.media.containers.isobmff import boxes, find_box

MAX_ITEMS: Final = 4096
MAX_EXTENTS: Final = 16
EXIF: Final = b"Exif"
XMP: Final = b"application/rdf+xml"
PROFILES: Final = (b"prof", b"rICC")

_IN_FILE, _IN_META = 0, 1


def heif_blocks(view: memoryview) -> MetadataBlocks:
    full = find_box(view, b"meta")
    if full is None:
        return MetadataBlocks()
    meta = full[4:]
    named = {name: item for item, name in item_names(meta) if name in (EXIF, XMP)}
    content = {name: item_content(view, meta, item) for name, item in named.items()}
    exif = content.get(EXIF, b"")
    width, height = _size(meta)
    return MetadataBlocks(
        exif=exif_of(memoryview(exif)[4 + int.from_bytes(exif[:4], "big") :]),
        xmp=content.get(XMP),
        profile=_profile(meta),
        nclx=_nclx(meta),
        width=width,
        height=height,
    )


def item_names(meta: memoryview) -> Iterator[tuple[int, bytes]]:
    """The number and type of each item; of a `mime` item its content type."""
    table = find_box(meta, b"iinf")
    if table is None:
        return
    for box in boxes(table[6 if matches(table, b"\x00") else 8 :]):
        version = read_uint(box.body, 0, 1)
        wide = 4 if version == 3 else 2
        kind = bytes(box.body[6 + wide : 10 + wide])
        if kind == b"mime":
            _, _, rest = bytes(box.body[10 + wide : 256]).partition(b"\x00")
            kind = rest.partition(b"\x00")[0]
        yield read_uint(box.body, 4, wide), kind


def item_content(view: memoryview, meta: memoryview, item_id: int) -> bytes:
    """The bytes of an item, which may be stored in several extents."""
    for item, method, pieces in locations(meta):
        if item == item_id and method in (_IN_FILE, _IN_META):
            source = view if method == _IN_FILE else find_box(meta, b"idat") or view[:0]
            content = b"".join(bytes(source[at : at + min(length, MAX_PACKET)]) for at, length in pieces)
            return content[:MAX_PACKET]
    return b""


def locations(meta: memoryview) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """Each item's number, its storage method, and the offset and length of its extents.

    The list of extents is empty where there are too many, or where the table ends too early.
    """
    table = find_box(meta, b"iloc")
    if table is None:
        return
    version, sizes, at = read_uint(table, 0, 1), read_uint(table, 4, 2), 6
    offset_size, length_size, base_size, index_size = (sizes >> shift & 15 for shift in (12, 8, 4, 0))
    index_size = index_size if version else 0
    wide = 4 if version == 2 else 2
    count, at = min(read_uint(table, at, wide), MAX_ITEMS), at + wide
    for _ in range(count):
        if at >= len(table):
            return
        item, at = read_uint(table, at, wide), at + wide
        method, at = (read_uint(table, at, 2) & 15, at + 2) if version else (_IN_FILE, at)
        base, at = read_uint(table, at + 2, base_size), at + 2 + base_size
        extents, at = read_uint(table, at, 2), at + 2
        step = index_size + offset_size + length_size
        known = extents if extents <= MAX_EXTENTS and at + step * extents <= len(table) else 0
        pieces = [
            (
                base + read_uint(table, start + index_size, offset_size),
                read_uint(table, start + index_size + offset_size, length_size),
            )
            for start in range(at, at + step * known, step or 1)
        ]
        at += step * extents
        yield item, method, pieces


def _properties(meta: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    yield from boxes(find_box(meta, b"iprp", b"ipco") or meta[:0])


def _size(meta: memoryview) -> tuple[int | None, int | None]:
    """The size of the largest picture, because tiles, thumbnails and depth maps have sizes as well."""
    sizes = [(read_uint(body, 4, 4), read_uint(body, 8, 4)) for kind, body in _properties(meta) if kind == b"ispe"]
    return max(sizes, key=lambda size: size[0] * size[1], default=(None, None))


def _profile(meta: memoryview) -> bytes | None:
    for kind, body in _properties(meta):
        if kind == b"colr" and bytes(body[:4]) in PROFILES:
            return bytes(body[4 : 4 + MAX_PROFILE])
    return None


def _nclx(meta: memoryview) -> tuple[int, int] | None:
    for kind, body in _properties(meta):
        if kind == b"colr" and matches(body, b"nclx"):
            return read_uint(body, 4, 2), read_uint(body, 6, 2)
    return None
