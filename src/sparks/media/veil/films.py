"""MP4 and MOV: what playing a film needs stays, and every other box becomes free room."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from sparks.media.veil.boxes import Span, Unknown, only, spans, spans_in
from sparks.media.veil.patches import Patch, Read

# What stays within a box. One that is not named here has no boxes in it, or none that tell anything.
_STAYS: Final = {
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
_FILM: Final = frozenset(b"ftyp styp mdat moov moof mfra sidx".split())
_SHOWN: Final = frozenset(b"vide soun tmcd pict auxv".split())  # handlers of tracks that tell no more than one sees


def film_patches(read: Read, size: int) -> Iterator[Patch] | None:
    """None where it is not what it should be, or has a track that is neither film nor sound: that may tell where one
    was, and what it tells lies among the film.
    """
    try:
        found = spans(read, 0, size)
        if only(b"moov", found) is None:
            return None
        patches = (within(read, span) if span.kind in _FILM else span.freed() for span in found)
        return iter([*chain.from_iterable(patches)])
    except Unknown:
        return None


def within(read: Read, box: Span) -> Iterator[Patch]:
    """Of what a box holds. Unknown where a track may tell something."""
    stays = _STAYS.get(box.kind)
    if stays is None:
        return
    found = spans_in(read, box)
    if box.kind == b"trak" and _handler(read, found) not in _SHOWN:
        raise Unknown
    for span in found:
        yield from within(read, span) if span.kind in stays else span.freed()


def _handler(read: Read, track: list[Span]) -> bytes:
    """What kind of track it is."""
    media = only(b"mdia", track)
    told = None if media is None else only(b"hdlr", spans_in(read, media))
    return b"" if told is None else read(told.body + 8, told.body + 12)
