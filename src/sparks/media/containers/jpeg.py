"""JPEG segments: EXIF, XMP, IPTC, color profile and size."""

from collections.abc import Iterator
from typing import Final

from sparks.media.containers.blocks import MAX_PACKET, MAX_PROFILE, ExifDirectories, MetadataBlocks, exif_of, matches

MAX_SEGMENTS: Final = 4096
EXIF: Final = b"Exif\x00\x00"
XMP: Final = b"http://ns.adobe.com/xap/1.0/\x00"
ICC: Final = b"ICC_PROFILE\x00"
PHOTOSHOP: Final = b"Photoshop 3.0\x00"
IPTC_RESOURCE: Final = 0x0404

_APP1, _APP2, _APP13, _SOS, _EOI = 0xE1, 0xE2, 0xED, 0xDA, 0xD9
_NO_BODY: Final = frozenset({0x01, *range(0xD0, 0xD9)})  # markers without a length
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PROGRESSIVE: Final = frozenset({0xC2, 0xC6, 0xCA, 0xCE})


def jpeg_blocks(view: memoryview) -> MetadataBlocks:
    exif: ExifDirectories | None = None
    xmp: bytes | None = None
    size: tuple[int, int] | None = None
    photoshop, profile = bytearray(), dict[int, bytes]()
    for marker, body in segments(view):
        if marker == _APP1 and matches(body, EXIF):
            exif = exif or exif_of(body)
        elif marker == _APP1 and matches(body, XMP):
            xmp = xmp or bytes(body[len(XMP) :])
        elif marker == _APP2 and matches(body, ICC) and len(body) > len(ICC) + 2:
            profile.setdefault(body[len(ICC)], bytes(body[len(ICC) + 2 :]))
        elif marker == _APP13 and matches(body, PHOTOSHOP) and len(photoshop) < MAX_PACKET:
            photoshop += body[len(PHOTOSHOP) :]
        elif marker in _FRAMES and size is None:
            size = int.from_bytes(body[3:5], "big"), int.from_bytes(body[1:3], "big")
    width, height = size or (None, None)
    whole_profile = b"".join(profile[number] for number in sorted(profile))[:MAX_PROFILE]
    return MetadataBlocks(
        exif=exif,
        xmp=xmp,
        iptc=photoshop_iptc(memoryview(photoshop)),
        profile=whole_profile or None,
        width=width,
        height=height,
    )


def is_progressive(view: memoryview) -> bool:
    return any(marker in _PROGRESSIVE for marker, _ in segments(view))


def segments(view: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Each marker with its body, up to the scan."""
    at = 2
    for _ in range(MAX_SEGMENTS):
        while matches(view, b"\xff\xff", at):
            at += 1
        if not matches(view, b"\xff", at) or at + 1 >= len(view):
            return
        marker = view[at + 1]
        if marker in (_SOS, _EOI):
            return
        if marker in _NO_BODY:
            at += 2
            continue
        length = int.from_bytes(view[at + 2 : at + 4], "big")
        if length < 2:
            return
        yield marker, view[at + 4 : at + 2 + length]
        at += 2 + length


def photoshop_iptc(view: memoryview) -> bytes | None:
    """The IPTC block among Photoshop's resources."""
    at = 0
    for _ in range(MAX_SEGMENTS):
        if not matches(view, b"8BIM", at) or at + 12 > len(view):
            return None
        resource = int.from_bytes(view[at + 4 : at + 6], "big")
        at += 6 + (view[at + 6] + 2) // 2 * 2  # a name, padded to an even length
        length = int.from_bytes(view[at : at + 4], "big")
        if resource == IPTC_RESOURCE:
            return bytes(view[at + 4 : at + 4 + min(length, MAX_PACKET)])
        at += 4 + (length + 1) // 2 * 2
    return None
