"""Finds the video of a motion photo, and verifies that it is one.

1. The offset is declared by an `mpvd` box (in HEIC and AVIF), by the XMP packet, or by Samsung's trailer.
2. A declaration is not trusted: a complete video of some seconds must be at the offset. Programs that edit a still keep
   the declaration and drop the video, or insert data before it.
"""

from collections.abc import Iterator
from typing import Final

from sparks.media import file_types
from sparks.media.containers.find_blocks import find_blocks
from sparks.media.containers.isobmff import boxes
from sparks.media.file_types import FileType
from sparks.media.motion_photo.declared_offsets import samsung_start, xmp_offsets
from sparks.media.motion_photo.embedded_video import EmbeddedVideo, video_at

BOX_TYPES: Final = frozenset({file_types.HEIC, file_types.HEIF, file_types.AVIF})
MOTION_PHOTO_TYPES: Final = BOX_TYPES | {file_types.JPEG}


def find_motion(content: bytes | memoryview, kind: FileType) -> EmbeddedVideo | None:
    """The verified video; None, and never an error, where there is none."""
    if kind not in MOTION_PHOTO_TYPES:
        return None
    view = memoryview(content)
    videos = (video_at(view, start) for start in _starts(view, kind))
    return next((video for video in videos if video is not None), None)


def _starts(view: memoryview, kind: FileType) -> Iterator[int]:
    if kind in BOX_TYPES:
        yield from _boxed(view)
    packet = find_blocks(view, kind).xmp
    if packet is not None:
        yield from xmp_offsets(packet, len(view))
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
