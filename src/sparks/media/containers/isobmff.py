"""ISOBMFF boxes of MP4, MOV, HEIC, AVIF, CR3 and JPEG XL."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from sparks.media.containers.blocks import matches, read_uint

MAX_BOXES: Final = 4096  # on one level
UUID_BYTES: Final = 16


class IsoBox(NamedTuple):
    kind: bytes
    body: memoryview


def boxes(view: memoryview) -> Iterator[IsoBox]:
    """Consecutive boxes, up to the first that is invalid. The last one may be truncated."""
    at = 0
    for _ in range(MAX_BOXES):
        size, header = read_uint(view, at, 4), 8
        if size == 1:
            size, header = read_uint(view, at + 8, 8), 16
        elif size == 0:
            size = len(view) - at
        if size < header or at + header > len(view):
            return
        yield IsoBox(bytes(view[at + 4 : at + 8]), view[at + header : at + size])
        at += size


def find_box(view: memoryview, *path: bytes) -> memoryview | None:
    """The body of the first box at this path, such as `moov`, `trak`."""
    for kind in path:
        found = next((box.body for box in boxes(view) if box.kind == kind), None)
        if found is None:
            return None
        view = found
    return view


def find_uuid(view: memoryview, uuid: bytes) -> memoryview | None:
    """The body of the first `uuid` box with this id."""
    for box in boxes(view):
        if box.kind == b"uuid" and matches(box.body, uuid):
            return box.body[UUID_BYTES:]
    return None
