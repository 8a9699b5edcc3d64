"""HEIC, AVIF, MP4 and MOV: boxes that tell something beside picture and film become free room."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from sparks.media.containers.heif import EXIF, item_names, locations
from sparks.media.veil.patches import Patch, Read

MOST_BOXES: Final = 4096
MOST_META: Final = 16 * 1024 * 1024
FREE: Final = b"free"
NO_EXIF: Final = bytes(4) + b"MM\x00\x2a\x00\x00\x00\x08" + bytes(6)  # a block that has no entry

_PICTURE: Final = frozenset({b"ftyp", b"meta", b"mdat", b"free", b"skip", b"moov", b"moof", b"mfra", b"wide", b"sidx"})
_NESTED: Final = frozenset({b"moov", b"trak"})
_TOLD: Final = frozenset({b"udta", b"meta", b"uuid"})
_TIMED: Final = frozenset({b"meta", b"mebx", b"gpmd", b"camm", b"rtmd"})  # handlers of tracks that tell where one was
_IN_FILE, _IN_META = 0, 1


class Span(NamedTuple):
    """A box: where it begins, and where its body does, and ends."""

    kind: bytes
    start: int
    body: int
    end: int

    def freed(self) -> Iterator[Patch]:
        yield Patch(self.start + 4, self.start + 8, FREE)
        yield Patch(self.body, self.end)


def heif_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where it is not what it should be."""
    found, spans = list[Patch](), _spans(read, 0, size)
    meta = next((span for span in spans if span.kind == b"meta"), None)
    if meta is None or meta.end - meta.body > MOST_META:
        return None
    for span in spans:
        if span.kind == b"moov" and (film := _film(read, span)) is None:
            return None
        found += film or () if span.kind == b"moov" else () if span.kind in _PICTURE else span.freed()
    return iter([*found, *_items(read, meta, size)])


def film_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where it is not what it should be, or tells on the way where it was taken."""
    found, spans = list[Patch](), _spans(read, 0, size)
    if not any(span.kind == b"moov" for span in spans):
        return None
    for span in spans:
        if span.kind == b"moov":
            within = _film(read, span)
            if within is None:
                return None
            found += within
        elif span.kind in _TOLD or span.kind not in _PICTURE:
            found += span.freed()
    return iter(found)


def _film(read: Read, box: Span) -> list[Patch] | None:
    found = list[Patch]()
    for span in _spans(read, box.body, box.end):
        if span.kind == b"trak" and _handler(read, span) in _TIMED:
            return None
        if span.kind in _TOLD:
            found += span.freed()
        elif span.kind in _NESTED:
            within = _film(read, span)
            if within is None:
                return None
            found += within
    return found


def _handler(read: Read, track: Span) -> bytes:
    """What kind of track it is."""
    for media in _spans(read, track.body, track.end):
        if media.kind == b"mdia":
            for span in _spans(read, media.body, media.end):
                if span.kind == b"hdlr":
                    return read(span.body + 8, span.body + 12)
    return b""


def _items(read: Read, meta: Span, size: int) -> Iterator[Patch]:
    """The items of a picture that are texts or EXIF."""
    body = meta.body + 4
    view = memoryview(read(body, meta.end))
    named = {item: name for item, name in item_names(view) if name == EXIF or b"/" in name}
    idat = next((span.body for span in _spans(read, body, meta.end) if span.kind == b"idat"), None)
    for item, method, pieces in locations(view):
        home = {_IN_FILE: 0, _IN_META: idat}.get(method)
        if item in named and home is not None:
            for at, length in pieces:
                end = min(home + at + (length or size), size)
                kept = NO_EXIF if named[item] == EXIF and end - home - at >= len(NO_EXIF) else b""
                yield Patch(home + at, end, kept)


def _spans(read: Read, start: int, end: int) -> list[Span]:
    """The boxes that lie side by side; ends at the first one that cannot be a box."""
    found = list[Span]()
    for _ in range(MOST_BOXES):
        head = read(start, min(start + 16, end))
        if len(head) < 8:
            break
        size, body = int.from_bytes(head[:4], "big"), start + 8
        if size == 1:
            size, body = int.from_bytes(head[8:16], "big"), start + 16
        stop = end if size == 0 else start + size
        if stop < body or stop > end:
            break
        found.append(Span(head[4:8], start, body, stop))
        start = stop
    return found
