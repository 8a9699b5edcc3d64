"""One question for all kinds of picture: which blocks of metadata are in these bytes?"""

from collections.abc import Callable
from typing import Final

from sparks.media import kinds
from sparks.media.containers.blocks import MOST_PACKET, Blocks, exif_of
from sparks.media.containers.boxes import find_box
from sparks.media.containers.heif import heif_blocks
from sparks.media.containers.jpeg import jpeg_blocks
from sparks.media.containers.png import png_blocks
from sparks.media.containers.raw import cr3_blocks, raf_blocks, rw2_blocks, tiff_blocks, tiff_raw_blocks
from sparks.media.containers.view import matches
from sparks.media.containers.webp import webp_blocks
from sparks.media.kinds import Kind


def find_blocks(content: bytes | memoryview, kind: Kind) -> Blocks:
    """Never an error: of a broken file, what is there."""
    reader = _READERS.get(kind)
    return Blocks() if reader is None else reader(memoryview(content))


def _gif_blocks(view: memoryview) -> Blocks:
    return Blocks(width=int.from_bytes(view[6:8], "little"), height=int.from_bytes(view[8:10], "little"))


def _bmp_blocks(view: memoryview) -> Blocks:
    size = 2 if matches(view, b"\x0c", 14) else 4
    width, height = (int.from_bytes(view[at : at + size], "little", signed=True) for at in (18, 18 + size))
    return Blocks(width=width, height=abs(height))  # a negative height means that the first row is on top


def _jxl_blocks(view: memoryview) -> Blocks:
    exif, xmp = find_box(view, b"Exif"), find_box(view, b"xml ")
    start = 4 + int.from_bytes(exif[:4], "big") if exif is not None else 0
    return Blocks(
        exif=exif_of(exif[start:]) if exif is not None else None,
        xmp=bytes(xmp[:MOST_PACKET]) if xmp is not None else None,
    )


_READERS: Final[dict[Kind, Callable[[memoryview], Blocks]]] = {
    kinds.JPEG: jpeg_blocks,
    kinds.PNG: png_blocks,
    kinds.WEBP: webp_blocks,
    kinds.GIF: _gif_blocks,
    kinds.BMP: _bmp_blocks,
    kinds.TIFF: tiff_blocks,
    kinds.HEIC: heif_blocks,
    kinds.HEIF: heif_blocks,
    kinds.AVIF: heif_blocks,
    kinds.JXL: _jxl_blocks,
    kinds.CR3: cr3_blocks,
    kinds.RAF: raf_blocks,
    kinds.RW2: rw2_blocks,
    **dict.fromkeys((kinds.DNG, kinds.CR2, kinds.NEF, kinds.ARW, kinds.ORF), tiff_raw_blocks),
}
