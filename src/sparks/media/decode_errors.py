"""Errors for files that cannot be decoded, with reasons for the owner."""

from collections.abc import Callable
from typing import Final

from sparks.media import file_types
from sparks.media.file_types import FileType
from sparks.model.errors import Damaged

Read = Callable[[int, int], bytes]
"""Reads bytes by offset and length; fewer where the file ends."""

TAIL_BYTES: Final = 64 * 1024  # phones and programs append data to pictures
MAX_BOXES: Final = 1000
BOX_TYPES: Final = frozenset(
    {
        file_types.HEIC,
        file_types.HEIF,
        file_types.AVIF,
        file_types.JXL,
        file_types.CR3,
        file_types.MP4,
        file_types.MOV,
        file_types.THREE_GP,
    }
)
RIFF_TYPES: Final = frozenset({file_types.WEBP, file_types.AVI})
END_MARKERS: Final = {file_types.JPEG: b"\xff\xd9", file_types.PNG: b"IEND", file_types.GIF: b"\x3b"}
MAX_SEGMENTS: Final = 4096


def is_truncated(read: Read, size: int, kind: FileType) -> bool:
    """Whether the end of the file is missing; False where the container does not say."""
    if kind in BOX_TYPES:
        return _box_end(read, size) > size
    if kind in RIFF_TYPES:
        return 8 + int.from_bytes(read(4, 4), "little") > size
    if kind is file_types.BMP:
        return int.from_bytes(read(2, 4), "little") > size
    if kind in END_MARKERS:
        start = _scan_start(read) if kind is file_types.JPEG else 0
        return END_MARKERS[kind] not in read(max(start, size - TAIL_BYTES), TAIL_BYTES)
    return False


def _box_end(read: Read, size: int) -> int:
    """The end of the last box, as its header declares it."""
    at = 0
    for _ in range(MAX_BOXES):
        header = read(at, 16)
        length = int.from_bytes(header[:4], "big")
        if length == 1:
            length = int.from_bytes(header[8:], "big")
        if length < 8 or at >= size:
            break
        at += length
    return at


def _scan_start(read: Read) -> int:
    """The offset of a JPEG's own scan, behind its metadata: a preview in the metadata has an end marker as well."""
    at = 2
    for _ in range(MAX_SEGMENTS):
        header = read(at, 4)
        if len(header) < 4 or header[0] != 0xFF or header[1] == 0xDA:
            break
        at += 2 + int.from_bytes(header[2:], "big")
    return at


class Unreadable(Damaged):
    """A decoder failed; `explain` finds the reason."""


def unreadable(kind: FileType, error: BaseException) -> Damaged:
    if isinstance(error, MemoryError):
        return Damaged(f"This {kind.label} needs more memory than it may have.")
    return Unreadable(f"This {kind.label} is broken, or packed in a way that is not supported.")


def no_frames(kind: FileType) -> Unreadable:
    """No frame of a video could be decoded."""
    return Unreadable(f"Nothing of this {kind.label} can be decoded.")


def explain(error: Unreadable, read: Read, size: int, kind: FileType) -> Damaged:
    if is_truncated(read, size, kind):
        return Damaged(f"This {kind.label} ends too early: a part of it is missing.")
    return Damaged(str(error))


def no_decoder(kind: FileType) -> Damaged:
    return Damaged(f"{kind.label} cannot be shown by this installation; the original is kept.")
