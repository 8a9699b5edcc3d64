"""One question for all motion photos: is there a film behind the still, and where?

1. Its own box says so (`mpvd`, behind HEIC and AVIF), the XMP packet, or Samsung's trailer.
2. None of them is believed: at each place that one names, there must be a whole film of some seconds. Programs that
   edit a still leave the words and drop the film, or write something before it.
"""

from collections.abc import Iterator
from typing import Final

from sparks.media import kinds
from sparks.media.containers.boxes import boxes
from sparks.media.containers.find import find_blocks
from sparks.media.kinds import Kind
from sparks.media.motion.film import Film, film_at
from sparks.media.motion.samsung import samsung_start
from sparks.media.motion.told import told_starts

BOXED: Final = frozenset({kinds.HEIC, kinds.HEIF, kinds.AVIF})
HOLDERS: Final = BOXED | {kinds.JPEG}


def find_motion(content: bytes | memoryview, kind: Kind) -> Film | None:
    """Never an error: what is no film that can be trusted makes the photo a still."""
    if kind not in HOLDERS:
        return None
    view = memoryview(content)
    films = (film_at(view, start) for start in _starts(view, kind))
    return next((film for film in films if film is not None), None)


def _starts(view: memoryview, kind: Kind) -> Iterator[int]:
    if kind in BOXED:
        yield from _boxed(view)
    packet = find_blocks(view, kind).xmp
    if packet is not None:
        yield from told_starts(packet, len(view))
    samsung = samsung_start(view)
    if samsung is not None:
        yield samsung


def _boxed(view: memoryview) -> Iterator[int]:
    at = 0
    for box in boxes(view):
        header = 16 if int.from_bytes(view[at : at + 4], "big") == 1 else 8
        if box.kind == b"mpvd":
            yield at + header
        at += header + len(box.body)
