"""Finds the metadata blocks of a picture of any file type."""

from collections.abc import Callable
from typing import Final

from sparks.media import file_types
from sparks.media.containers.blocks import MAX_PACKET, MetadataBlocks, exif_of, matches
from sparks.media.containers.heif import heif_blocks
from sparks.media.containers.isobmff import find_box
from sparks.media.containers.jpeg import jpeg_blocks
from sparks.media.containers.png import png_blocks
from sparks.media.containers.raw import cr3_blocks, raf_blocks, rw2_blocks, tiff_blocks, tiff_raw_blocks
from sparks.media.containers.webp import webp_blocks
from sparks.media.file_types import FileType


def find_blocks(content: bytes | memoryview, kind: FileType) -> MetadataBlocks:
    """The blocks that can be read; a broken file raises no error."""
    reader = _READERS.get(kind)
    return MetadataBlocks() if reader is None else reader(memoryview(content))


def _gif_blocks(view: memoryview) -> MetadataBlocks:
    return MetadataBlocks(width=int.from_bytes(view[6:8], "little"), height=int.from_bytes(view[8:10], "little"))


def _bmp_blocks(view: memoryview) -> MetadataBlocks:
    size = 2 if matches(view, b"\x0c", 14) else 4
    width, height = (int.from_bytes(view[at : at + size], "little", signed=True) for at in (18, 18 + size))
    return MetadataBlocks(width=width, height=abs(height))  # a negative height means that the top row is stored first


def _jxl_blocks(view: memoryview) -> MetadataBlocks:
    exif, xmp = find_box(view, b"Exif"), find_box(view, b"xml ")
    start = 4 + int.from_bytes(exif[:4], "big") if exif is not None else 0
    return MetadataBlocks(
        exif=exif_of(exif[start:]) if exif is not None else None,
        xmp=bytes(xmp[:MAX_PACKET]) if xmp is not None else None,
    )


_READERS: Final[dict[FileType, Callable[[memoryview], MetadataBlocks]]] = {
    file_types.JPEG: jpeg_blocks,
    file_types.PNG: png_blocks,
    file_types.WEBP: webp_blocks,
    file_types.GIF: _gif_blocks,
    file_types.BMP: _bmp_blocks,
    file_types.TIFF: tiff_blocks,
    file_types.HEIC: heif_blocks,
    file_types.HEIF: heif_blocks,
    file_types.AVIF: heif_blocks,
    file_types.JXL: _jxl_blocks,
    file_types.CR3: cr3_blocks,
    file_types.RAF: raf_blocks,
    file_types.RW2: rw2_blocks,
    **dict.fromkeys((file_types.DNG, file_types.CR2, file_types.NEF, file_types.ARW, file_types.ORF), tiff_raw_blocks),
}
