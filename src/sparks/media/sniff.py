"""Detects the file type from the first bytes, never from names or declared types."""

from collections.abc import Callable
from typing import Final

from sparks.media import file_types
from sparks.media.containers import tiff
from sparks.media.containers.isobmff import boxes
from sparks.media.file_types import FileType
from sparks.media.unsupported import describe_signature
from sparks.model.errors import UnsupportedType

HEAD_BYTES: Final = 64 * 1024  # enough for all types; most need fewer

HEIC_BRANDS: Final = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"})
HEIF_BRANDS: Final = frozenset({b"mif1", b"mif2", b"msf1"})
AVIF_BRANDS: Final = frozenset({b"avif", b"avis"})
NOT_VIDEO_BRANDS: Final = {
    b"M4A ": "an M4A recording",
    b"M4B ": "an audio book",
    b"M4P ": "a protected M4A recording",
    b"F4A ": "an F4A recording",
    b"jp2 ": "a JPEG 2000 picture",
}
MAX_BRANDS: Final = 64
QUICKTIME_BOXES: Final = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
BMP_HEADERS: Final = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
JXL_BOX: Final = b"\x00\x00\x00\x0cJXL \r\n\x87\n"

_MAKE, _SUBDIRECTORIES, _PHOTOMETRIC, _SUBFILE, _DNG_VERSION = 271, 330, 262, 254, 50706
_SENSOR_PHOTOMETRICS: Final = (32803, 34892)  # a color filter array, a linear raw
_MAKERS: Final = ((b"NIKON", file_types.NEF), (b"SONY", file_types.ARW))


def sniff(head: bytes, *, size: int | None = None) -> FileType:
    """The file type; UnsupportedType, with a description, for any other file. `size` is that of the file, if known."""
    kind = None if size == 0 else _detect_type(head)
    if kind is None:
        raise _unsupported(describe_signature(b"" if size == 0 else head))
    return kind


def _unsupported(looks_like: str) -> UnsupportedType:
    pictures, videos = (", ".join(kind.label for kind in group) for group in (file_types.PICTURES, file_types.VIDEOS))
    return UnsupportedType(f"This looks like {looks_like}. Sparks takes pictures ({pictures}) and videos ({videos}).")


def _detect_type(head: bytes) -> FileType | None:
    return next((kind for detect in _DETECTORS if (kind := detect(head)) is not None), None)


def _by_signature(head: bytes) -> FileType | None:
    return next((kind for start, kind in _SIGNATURES if head.startswith(start)), None)


def _jpeg(head: bytes) -> FileType | None:
    return file_types.JPEG if head[:3] == b"\xff\xd8\xff" and head[3:4] >= b"\xc0" else None


def _riff(head: bytes) -> FileType | None:
    return {b"WEBP": file_types.WEBP, b"AVI ": file_types.AVI}.get(head[8:12]) if head[:4] == b"RIFF" else None


def _bmp(head: bytes) -> FileType | None:
    return file_types.BMP if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in BMP_HEADERS else None


def _iso_media(head: bytes) -> FileType | None:
    """The type by the brands that the file declares; without brands it may be an old QuickTime video."""
    box = next(boxes(memoryview(head)), None)
    if box is None:
        return None
    if box.kind != b"ftyp":
        return file_types.MOV if box.kind in QUICKTIME_BOXES else None
    listed = [bytes(box.body[at : at + 4]) for at in range(0, min(len(box.body), 4 * MAX_BRANDS), 4)]
    major, brands = listed[0] if listed else b"", {*listed[:1], *listed[2:]}
    if major in NOT_VIDEO_BRANDS:
        raise _unsupported(NOT_VIDEO_BRANDS[major])
    return _picture_of_brands(major, brands) or _video_of_brand(major)


def _picture_of_brands(major: bytes, brands: set[bytes]) -> FileType | None:
    if major == b"crx ":
        return file_types.CR3
    if brands & AVIF_BRANDS:
        return file_types.AVIF
    if brands & HEIC_BRANDS:
        return file_types.HEIC
    return file_types.HEIF if brands & HEIF_BRANDS else None


def _video_of_brand(major: bytes) -> FileType:
    if major == b"qt  ":
        return file_types.MOV
    return file_types.THREE_GP if major[:3] in (b"3gp", b"3g2") else file_types.MP4


def _tiff(head: bytes) -> FileType | None:
    """TIFF, or a RAW type based on it, known by its magic number, or by maker and sensor data."""
    view = memoryview(head)
    order = tiff.byte_order_of(view)
    if order is None:
        return None
    magic = tiff.magic_of(view, order)
    if magic in tiff.OLYMPUS:
        return file_types.ORF
    if magic == tiff.PANASONIC:
        return file_types.RW2
    if magic == 43:  # BigTIFF
        return file_types.TIFF
    first = tiff.first_directory(view)
    return None if first is None else _tiff_of(head, first)


def _tiff_of(head: bytes, first: tiff.TiffDirectory) -> FileType:
    if _DNG_VERSION in first:
        return file_types.DNG
    if head[8:10] == b"CR" and head[10:11] == b"\x02":
        return file_types.CR2
    directories = [first, *first.subdirectories(_SUBDIRECTORIES)]
    sensor = any(directory.integer(_PHOTOMETRIC) in _SENSOR_PHOTOMETRICS for directory in directories)
    preview = first.integer(_SUBFILE) == 1 and _SUBDIRECTORIES in first
    if not sensor and not preview:
        return file_types.TIFF
    make = (first.raw(_MAKE) or b"").upper()
    kind = next((kind for maker, kind in _MAKERS if make.startswith(maker)), None)
    if kind is None and sensor:
        raise _unsupported("a RAW picture of a camera that is not supported")
    return kind or file_types.TIFF


def _matroska(head: bytes) -> FileType | None:
    """The type by the document type in the first element."""
    if head[:4] != b"\x1a\x45\xdf\xa3":
        return None
    at = head.find(b"\x42\x82", 4, 128)
    length = head[at + 2] & 0x7F if 0 < at < len(head) - 2 else 0
    return {b"webm": file_types.WEBM, b"matroska": file_types.MKV}.get(head[at + 3 : at + 3 + length].rstrip(b"\x00"))


_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", file_types.PNG),
    (b"GIF87a", file_types.GIF),
    (b"GIF89a", file_types.GIF),
    (JXL_BOX, file_types.JXL),
    (b"\xff\x0a", file_types.JXL),
    (b"FUJIFILMCCD-RAW", file_types.RAF),
)
_DETECTORS: Final[tuple[Callable[[bytes], FileType | None], ...]] = (
    _by_signature,
    _jpeg,
    _riff,
    _bmp,
    _iso_media,
    _tiff,
    _matroska,
)
