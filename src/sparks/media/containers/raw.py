"""RAW formats with their own layout: CR3, RAF, RW2 and TIFF-based ones."""

from dataclasses import replace
from typing import Final

from sparks.media.containers.blocks import MAX_PACKET, MAX_PROFILE, ExifDirectories, MetadataBlocks, exif_of
from sparks.media.containers.isobmff import find_box, find_uuid
from sparks.media.containers.jpeg import jpeg_blocks
from sparks.media.containers.tiff import TiffDirectory, first_directory

CANON: Final = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")
CANON_XMP: Final = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
RAF_JPEG: Final = 84  # position of the offset and the length of the JPEG

_WIDTH, _HEIGHT, _XMP, _IPTC, _PROFILE, _PANASONIC_JPEG = 256, 257, 700, 33723, 34675, 0x2E


def tiff_blocks(view: memoryview) -> MetadataBlocks:
    exif = exif_of(view)
    if exif is None:
        return MetadataBlocks()
    main = exif.main
    return MetadataBlocks(
        exif=exif,
        xmp=main.raw(_XMP, MAX_PACKET),
        iptc=main.raw(_IPTC, MAX_PACKET),
        profile=main.raw(_PROFILE, MAX_PROFILE),
        width=main.integer(_WIDTH),
        height=main.integer(_HEIGHT),
    )


def tiff_raw_blocks(view: memoryview) -> MetadataBlocks:
    """Blocks without a size: the first directory of a RAW file often describes a thumbnail."""
    return replace(tiff_blocks(view), width=None, height=None)


def rw2_blocks(view: memoryview) -> MetadataBlocks:
    blocks = tiff_raw_blocks(view)
    inside = blocks.exif.main.entries.get(_PANASONIC_JPEG) if blocks.exif is not None else None
    if inside is None:
        return blocks
    return replace(jpeg_blocks(inside.value), profile=None, width=None, height=None)


def raf_blocks(view: memoryview) -> MetadataBlocks:
    offset, length = (int.from_bytes(view[at : at + 4], "big") for at in (RAF_JPEG, RAF_JPEG + 4))
    return replace(jpeg_blocks(view[offset : offset + length]), profile=None, width=None, height=None)


def cr3_blocks(view: memoryview) -> MetadataBlocks:
    canon = find_uuid(find_box(view, b"moov") or view[:0], CANON) or view[:0]
    main, exposure, gps = (_canon_directory(canon, kind) for kind in (b"CMT1", b"CMT2", b"CMT4"))
    xmp = find_uuid(view, CANON_XMP)
    return MetadataBlocks(
        exif=ExifDirectories(main, exposure, gps), xmp=None if xmp is None else bytes(xmp[:MAX_PACKET])
    )


def _canon_directory(canon: memoryview, kind: bytes) -> TiffDirectory:
    return first_directory(find_box(canon, kind) or canon[:0]) or TiffDirectory(canon, "little", {})
