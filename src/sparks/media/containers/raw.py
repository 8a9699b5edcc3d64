"""RAW files that keep their metadata in a way of their own: Canon's CR3 in boxes, Fuji's RAF and Panasonic's RW2 also
in the JPEG inside."""

from dataclasses import replace
from typing import Final

from sparks.media.containers.blocks import MOST_PACKET, MOST_PROFILE, Blocks, Exif, exif_of
from sparks.media.containers.boxes import find_box, find_uuid
from sparks.media.containers.jpeg import jpeg_blocks
from sparks.media.containers.tiff import Directory, first_directory

CANON: Final = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")
CANON_XMP: Final = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
RAF_JPEG: Final = 84  # where the offset and the length of the JPEG stand

_WIDTH, _HEIGHT, _XMP, _IPTC, _PROFILE, _PANASONIC_JPEG = 256, 257, 700, 33723, 34675, 0x2E


def tiff_blocks(view: memoryview) -> Blocks:
    exif = exif_of(view)
    if exif is None:
        return Blocks()
    main = exif.main
    return Blocks(
        exif=exif,
        xmp=main.raw(_XMP, MOST_PACKET),
        iptc=main.raw(_IPTC, MOST_PACKET),
        profile=main.raw(_PROFILE, MOST_PROFILE),
        width=main.whole(_WIDTH),
        height=main.whole(_HEIGHT),
    )


def tiff_raw_blocks(view: memoryview) -> Blocks:
    """The first directory of a RAW file often is a thumbnail's: its size tells nothing."""
    return replace(tiff_blocks(view), width=None, height=None)


def rw2_blocks(view: memoryview) -> Blocks:
    blocks = tiff_raw_blocks(view)
    inside = blocks.exif.main.entries.get(_PANASONIC_JPEG) if blocks.exif is not None else None
    if inside is None:
        return blocks
    return replace(jpeg_blocks(inside.value), profile=None, width=None, height=None)


def raf_blocks(view: memoryview) -> Blocks:
    offset, length = (int.from_bytes(view[at : at + 4], "big") for at in (RAF_JPEG, RAF_JPEG + 4))
    return replace(jpeg_blocks(view[offset : offset + length]), profile=None, width=None, height=None)


def cr3_blocks(view: memoryview) -> Blocks:
    canon = find_uuid(find_box(view, b"moov") or view[:0], CANON) or view[:0]
    main, exposure, place = (_canon_directory(canon, kind) for kind in (b"CMT1", b"CMT2", b"CMT4"))
    xmp = find_uuid(view, CANON_XMP)
    return Blocks(exif=Exif(main, exposure, place), xmp=None if xmp is None else bytes(xmp[:MOST_PACKET]))


def _canon_directory(canon: memoryview, kind: bytes) -> Directory:
    return first_directory(find_box(canon, kind) or canon[:0]) or Directory(canon, "little", {})
