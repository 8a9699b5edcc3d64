"""Patches that overwrite metadata items of HEIC and AVIF."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from sparks.media.containers.heif import EXIF, item_names, locations
from sparks.media.strip_metadata.mp4 import BoxSpan, UnknownLayout, only, patches_within, spans
from sparks.media.strip_metadata.patches import Patch, Read

MAX_META_BYTES: Final = 16 * 1024 * 1024
NO_EXIF: Final = bytes(4) + b"MM\x00\x2a\x00\x00\x00\x08" + bytes(6)  # a block that has no entry

_FILE: Final = frozenset(b"ftyp meta mdat moov moof mfra sidx".split())
_META: Final = frozenset(b"hdlr pitm iinf iloc iprp iref idat dinf grpl ipro".split())
_PICTURES: Final = frozenset(
    b"hvc1 hvt1 lhv1 av01 avc1 vvc1 evc1 jpeg j2k1 unci mski grid iovl iden tmap".split()
)  # coded pictures, and pictures derived from them
_IN_FILE, _IN_META = 0, 1


def heif_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where the layout is unknown, or an item that may hold metadata cannot be located."""
    try:
        found = spans(read, 0, size)
        meta = only(b"meta", found)
        if meta is None or meta.end - meta.body > MAX_META_BYTES:
            return None
        beside = (patches_within(read, span) if span.kind in _FILE else span.freed() for span in found)
        return iter([*chain.from_iterable(beside), *_meta_patches(read, meta, size)])
    except UnknownLayout:
        return None


def _meta_patches(read: Read, meta: BoxSpan, size: int) -> Iterator[Patch]:
    """Patches of all items, and of all boxes within `meta`, that the pictures do not need."""
    body = meta.body + 4
    found = spans(read, body, meta.end)
    for span in found:
        if span.kind not in _META:
            yield from span.freed()
    names, places, inside = (only(kind, found) for kind in (b"iinf", b"iloc", b"idat"))
    if names is None or places is None:
        raise UnknownLayout
    spans(read, names.body + (6 if read(names.body, names.body + 1) == b"\x00" else 8), names.end)
    view = memoryview(read(body, meta.end))
    items = {item: name for item, name in item_names(view) if name not in _PICTURES}
    ranges = {_IN_FILE: (0, size)} | ({} if inside is None else {_IN_META: (inside.body, inside.end)})
    for item, method, pieces in locations(view):
        if item in items:
            if not pieces or method not in ranges:
                raise UnknownLayout
            yield from _overwritten(pieces, ranges[method], is_exif=items[item] == EXIF)
    if items.keys() - {item for item, *_ in locations(view)}:
        raise UnknownLayout


def _overwritten(pieces: list[tuple[int, int]], span: tuple[int, int], *, is_exif: bool) -> Iterator[Patch]:
    """Overwrites the pieces, whose offsets count from the start of `span`; one without a length ends with it."""
    start, end = span
    for at, length in pieces:
        stop = min(start + at + length, end) if length else end
        kept = NO_EXIF if is_exif and stop - start - at >= len(NO_EXIF) else b""
        yield Patch(start + at, stop, kept)
