"""Strips metadata from originals in place, so that size and offsets stay.

Metadata such as location, camera and names are overwritten at their offset while the file is read. The file keeps its
size, so any range of it can be sent without holding or storing a second copy.
"""

from collections.abc import Callable, Iterator
from typing import Final

from sparks.media import file_types
from sparks.media.file_types import FileType
from sparks.media.strip_metadata.heif import heif_patches
from sparks.media.strip_metadata.jpeg import jpeg_patches
from sparks.media.strip_metadata.mp4 import mp4_patches
from sparks.media.strip_metadata.patches import Patch, PatchSet, Read, windowed
from sparks.media.strip_metadata.png_webp import png_patches, webp_patches

_PATCHERS: Final[dict[FileType, Callable[[Read, int], Iterator[Patch] | None]]] = {
    file_types.JPEG: jpeg_patches,
    file_types.PNG: png_patches,
    file_types.WEBP: webp_patches,
    **dict.fromkeys((file_types.HEIC, file_types.HEIF, file_types.AVIF), heif_patches),
    **dict.fromkeys((file_types.MP4, file_types.MOV, file_types.THREE_GP), mp4_patches),
}
__all__ = ["Patch", "PatchSet", "Read", "can_strip", "patches_for"]


def can_strip(kind: FileType) -> bool:
    """Whether metadata of this file type can be stripped; an unusual file may still be refused by `patches_for`."""
    return kind in _PATCHERS


def patches_for(read: Read, size: int, kind: FileType | None) -> PatchSet | None:
    """The patches that strip a file's metadata; None where the layout of the file is unknown.

    The caller then sends a rendition instead of the original.
    """
    patches = None if kind is None else _PATCHERS.get(kind)
    found = None if patches is None else patches(windowed(read), size)
    return None if found is None else PatchSet(found)
