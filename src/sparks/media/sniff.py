"""What a file is, told from its first bytes alone. Names and declared types are never believed."""

from collections.abc import Callable
from typing import Final

from sparks.media import kinds
from sparks.media.containers import tiff
from sparks.media.containers.boxes import boxes
from sparks.media.kinds import Kind
from sparks.media.strangers import describe
from sparks.model.errors import UnsupportedType

HEAD_BYTES: Final = 64 * 1024  # enough to tell all kinds apart; fewer will do for most

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
MOST_BRANDS: Final = 64
OLD_QUICKTIME: Final = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
BMP_HEADERS: Final = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
JXL_BOX: Final = b"\x00\x00\x00\x0cJXL \r\n\x87\n"

_MAKE, _SUBDIRECTORIES, _PHOTOMETRIC, _SUBFILE, _DNG_VERSION = 271, 330, 262, 254, 50706
_SENSOR: Final = (32803, 34892)  # a colour filter array, a linear raw
_MAKERS: Final = ((b"NIKON", kinds.NEF), (b"SONY", kinds.ARW))


def sniff(head: bytes, *, size: int | None = None) -> Kind:
    """The kind, or UnsupportedType with words about what it looks like. `size` is that of the whole file, if known."""
    kind = None if size == 0 else _kind_of(head)
    if kind is None:
        raise _refusal(describe(b"" if size == 0 else head))
    return kind


def _refusal(looks_like: str) -> UnsupportedType:
    pictures, videos = (", ".join(kind.label for kind in group) for group in (kinds.PICTURES, kinds.VIDEOS))
    return UnsupportedType(f"This looks like {looks_like}. Sparks takes pictures ({pictures}) and videos ({videos}).")


def _kind_of(head: bytes) -> Kind | None:
    return next((kind for look in _LOOKS if (kind := look(head)) is not None), None)


def _starts(head: bytes) -> Kind | None:
    return next((kind for start, kind in _STARTS if head.startswith(start)), None)


def _jpeg(head: bytes) -> Kind | None:
    return kinds.JPEG if head[:3] == b"\xff\xd8\xff" and head[3:4] >= b"\xc0" else None


def _riff(head: bytes) -> Kind | None:
    return {b"WEBP": kinds.WEBP, b"AVI ": kinds.AVI}.get(head[8:12]) if head[:4] == b"RIFF" else None


def _bmp(head: bytes) -> Kind | None:
    return kinds.BMP if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in BMP_HEADERS else None


def _iso_media(head: bytes) -> Kind | None:
    """By the brands that the file says it keeps to; without any it may be an old QuickTime film."""
    box = next(boxes(memoryview(head)), None)
    if box is None:
        return None
    if box.kind != b"ftyp":
        return kinds.MOV if box.kind in OLD_QUICKTIME else None
    listed = [bytes(box.body[at : at + 4]) for at in range(0, min(len(box.body), 4 * MOST_BRANDS), 4)]
    major, brands = listed[0] if listed else b"", {*listed[:1], *listed[2:]}
    if major in NOT_VIDEO_BRANDS:
        raise _refusal(NOT_VIDEO_BRANDS[major])
    return _still(major, brands) or _film(major)


def _still(major: bytes, brands: set[bytes]) -> Kind | None:
    if major == b"crx ":
        return kinds.CR3
    if brands & AVIF_BRANDS:
        return kinds.AVIF
    if brands & HEIC_BRANDS:
        return kinds.HEIC
    return kinds.HEIF if brands & HEIF_BRANDS else None


def _film(major: bytes) -> Kind:
    if major == b"qt  ":
        return kinds.MOV
    return kinds.THREE_GP if major[:3] in (b"3gp", b"3g2") else kinds.MP4


def _tiff(head: bytes) -> Kind | None:
    """RAW files are TIFF files too: told apart by a mark, or by the maker and a sensor's picture inside."""
    view = memoryview(head)
    order = tiff.order_of(view)
    if order is None:
        return None
    magic = tiff.magic_of(view, order)
    if magic in tiff.OLYMPUS:
        return kinds.ORF
    if magic == tiff.PANASONIC:
        return kinds.RW2
    if magic == 43:  # BigTIFF
        return kinds.TIFF
    first = tiff.first_directory(view)
    return None if first is None else _tiff_of(head, first)


def _tiff_of(head: bytes, first: tiff.Directory) -> Kind:
    if _DNG_VERSION in first:
        return kinds.DNG
    if head[8:10] == b"CR" and head[10:11] == b"\x02":
        return kinds.CR2
    inside = [first, *first.subdirectories(_SUBDIRECTORIES)]
    sensor = any(directory.whole(_PHOTOMETRIC) in _SENSOR for directory in inside)
    preview = first.whole(_SUBFILE) == 1 and _SUBDIRECTORIES in first
    if not sensor and not preview:
        return kinds.TIFF
    make = (first.raw(_MAKE) or b"").upper()
    kind = next((kind for maker, kind in _MAKERS if make.startswith(maker)), None)
    if kind is None and sensor:
        raise _refusal("a RAW picture of a camera that is not supported")
    return kind or kinds.TIFF


def _matroska(head: bytes) -> Kind | None:
    """By the document type that stands in the first element."""
    if head[:4] != b"\x1a\x45\xdf\xa3":
        return None
    at = head.find(b"\x42\x82", 4, 128)
    length = head[at + 2] & 0x7F if 0 < at < len(head) - 2 else 0
    return {b"webm": kinds.WEBM, b"matroska": kinds.MKV}.get(head[at + 3 : at + 3 + length].rstrip(b"\x00"))


_STARTS: Final = (
    (b"\x89PNG\r\n\x1a\n", kinds.PNG),
    (b"GIF87a", kinds.GIF),
    (b"GIF89a", kinds.GIF),
    (JXL_BOX, kinds.JXL),
    (b"\xff\x0a", kinds.JXL),
    (b"FUJIFILMCCD-RAW", kinds.RAF),
)
_LOOKS: Final[tuple[Callable[[bytes], Kind | None], ...]] = (_starts, _jpeg, _riff, _bmp, _iso_media, _tiff, _matroska)
