"""Patches that turn metadata boxes of MP4 and MOV into free space."""

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from sparks.media.strip_metadata.patches import Patch, Read

MAX_BOXES: Final = 4096  # on one level
FREE: Final = b"free"
# The child boxes that are kept, by parent. Other boxes have no children, or none with metadata.
_KEPT_BOXES: Final = {
    kind: frozenset(within.split())
    for kind, within in {
        b"moov": b"mvhd trak mvex iods",
        b"mvex": b"mehd trex leva trep",
        b"trak": b"tkhd edts mdia tref tapt",
        b"mdia": b"mdhd elng hdlr minf",
        b"minf": b"vmhd smhd nmhd gmhd hdlr dinf stbl",
        b"stbl": b"stsd stts ctts cslg stsc stsz stz2 stco co64 stss stps stsh sdtp sbgp sgpd subs saiz saio padb stdp",
        b"moof": b"mfhd traf",
        b"traf": b"tfhd tfdt trun sbgp sgpd subs saiz saio sdtp",
    }.items()
}
_TOP_LEVEL_BOXES: Final = frozenset(b"ftyp styp mdat moov moof mfra sidx".split())
_KEPT_HANDLERS: Final = frozenset(b"vide soun tmcd pict auxv".split())  # handlers of tracks without metadata


class UnknownLayout(Exception):
    """The file may hold metadata in a place that was not examined."""


class BoxSpan(NamedTuple):
    """A box with the offsets of its start, its body and its end."""

    kind: bytes
    start: int
    body: int
    end: int

    def freed(self) -> Iterator[Patch]:
        yield Patch(self.start + 4, self.start + 8, FREE)
        yield Patch(self.body, self.end)


def spans(read: Read, start: int, end: int) -> list[BoxSpan]:
    """Consecutive boxes that fill the range exactly; UnknownLayout where anything else lies among them."""
    found = list[BoxSpan]()
    while start < end:
        head = read(start, min(start + 16, end))
        size, body = int.from_bytes(head[:4], "big"), start + 8
        if size == 1:
            size, body = int.from_bytes(head[8:16], "big"), start + 16
        stop = end if size == 0 else start + size
        if not body <= stop <= end or len(found) == MAX_BOXES:
            raise UnknownLayout
        found.append(BoxSpan(head[4:8], start, body, stop))
        start = stop
    return found


def spans_in(read: Read, box: BoxSpan) -> list[BoxSpan]:
    return spans(read, box.body, box.end)


def only(kind: bytes, among: list[BoxSpan]) -> BoxSpan | None:
    """The box of this kind, if there is one; UnknownLayout for several, because readers may choose another one."""
    found = [span for span in among if span.kind == kind]
    if len(found) > 1:
        raise UnknownLayout
    return found[0] if found else None


def mp4_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where the layout is unknown, or where a track is neither video nor audio.

    Such a track may hold locations, whose samples lie among those of the video.
    """
    try:
        found = spans(read, 0, size)
        if only(b"moov", found) is None:
            return None
        patches = (patches_within(read, span) if span.kind in _TOP_LEVEL_BOXES else span.freed() for span in found)
        return iter([*chain.from_iterable(patches)])
    except UnknownLayout:
        return None


def patches_within(read: Read, box: BoxSpan) -> Iterator[Patch]:
    """Patches of the boxes within a box; UnknownLayout where a track may hold metadata."""
    kept = _KEPT_BOXES.get(box.kind)
    if kept is None:
        return
    found = spans_in(read, box)
    if box.kind == b"trak" and _handler(read, found) not in _KEPT_HANDLERS:
        raise UnknownLayout
    for span in found:
        yield from patches_within(read, span) if span.kind in kept else span.freed()


def _handler(read: Read, track: list[BoxSpan]) -> bytes:
    """The handler type of a track, which says what it holds."""
    media = only(b"mdia", track)
    handler = None if media is None else only(b"hdlr", spans_in(read, media))
    return b"" if handler is None else read(handler.body + 8, handler.body + 12)
