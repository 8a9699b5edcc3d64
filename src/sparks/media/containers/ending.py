"""Whether a file ends before it should, by what its own container says: decoders tell it in too many words."""

from collections.abc import Callable
from typing import Final

from sparks.media import kinds
from sparks.media.kinds import Kind

Read = Callable[[int, int], bytes]
"""The bytes from an offset on; fewer where they end."""

TAIL: Final = 64 * 1024  # phones and programs write things behind a picture's end
MOST_BOXES: Final = 1000
BOXED: Final = frozenset(
    {kinds.HEIC, kinds.HEIF, kinds.AVIF, kinds.JXL, kinds.CR3, kinds.MP4, kinds.MOV, kinds.THREE_GP}
)
RIFFS: Final = frozenset({kinds.WEBP, kinds.AVI})
LAST_WORDS: Final = {kinds.JPEG: b"\xff\xd9", kinds.PNG: b"IEND", kinds.GIF: b"\x3b"}
MOST_SEGMENTS: Final = 4096


def ends_early(read: Read, size: int, kind: Kind) -> bool:
    """False where the container does not tell."""
    if kind in BOXED:
        return _box_end(read, size) > size
    if kind in RIFFS:
        return 8 + int.from_bytes(read(4, 4), "little") > size
    if kind is kinds.BMP:
        return int.from_bytes(read(2, 4), "little") > size
    if kind in LAST_WORDS:
        start = _scan_start(read) if kind is kinds.JPEG else 0
        return LAST_WORDS[kind] not in read(max(start, size - TAIL), TAIL)
    return False


def _box_end(read: Read, size: int) -> int:
    """Where the last box says that it ends."""
    at = 0
    for _ in range(MOST_BOXES):
        header = read(at, 16)
        length = int.from_bytes(header[:4], "big")
        if length == 1:
            length = int.from_bytes(header[8:], "big")
        if length < 8 or at >= size:
            break
        at += length
    return at


def _scan_start(read: Read) -> int:
    """Where a JPEG's own data start: the preview among its metadata has an end of its own."""
    at = 2
    for _ in range(MOST_SEGMENTS):
        header = read(at, 4)
        if len(header) < 4 or header[0] != 0xFF or header[1] == 0xDA:
            break
        at += 2 + int.from_bytes(header[2:], "big")
    return at
