"""What Sparks takes: each kind of picture and video, and what the world calls it."""

from dataclasses import dataclass
from typing import Final

from sparks.model.photo import AssetType


@dataclass(frozen=True, slots=True)
class Kind:
    """`name` is for programs, `label` for people; `extension` has no dot."""

    name: str
    label: str
    mime: str
    extension: str
    asset_type: AssetType = AssetType.IMAGE


JPEG: Final = Kind("jpeg", "JPEG", "image/jpeg", "jpg")
PNG: Final = Kind("png", "PNG", "image/png", "png")
WEBP: Final = Kind("webp", "WebP", "image/webp", "webp")
GIF: Final = Kind("gif", "GIF", "image/gif", "gif")
BMP: Final = Kind("bmp", "BMP", "image/bmp", "bmp")
TIFF: Final = Kind("tiff", "TIFF", "image/tiff", "tif")
HEIC: Final = Kind("heic", "HEIC", "image/heic", "heic")
HEIF: Final = Kind("heif", "HEIF", "image/heif", "heif")
AVIF: Final = Kind("avif", "AVIF", "image/avif", "avif")
JXL: Final = Kind("jxl", "JPEG XL", "image/jxl", "jxl")

DNG: Final = Kind("dng", "DNG", "image/x-adobe-dng", "dng")
CR2: Final = Kind("cr2", "CR2", "image/x-canon-cr2", "cr2")
CR3: Final = Kind("cr3", "CR3", "image/x-canon-cr3", "cr3")
NEF: Final = Kind("nef", "NEF", "image/x-nikon-nef", "nef")
ARW: Final = Kind("arw", "ARW", "image/x-sony-arw", "arw")
RAF: Final = Kind("raf", "RAF", "image/x-fuji-raf", "raf")
ORF: Final = Kind("orf", "ORF", "image/x-olympus-orf", "orf")
RW2: Final = Kind("rw2", "RW2", "image/x-panasonic-rw2", "rw2")

MP4: Final = Kind("mp4", "MP4", "video/mp4", "mp4", AssetType.VIDEO)
MOV: Final = Kind("mov", "MOV", "video/quicktime", "mov", AssetType.VIDEO)
WEBM: Final = Kind("webm", "WebM", "video/webm", "webm", AssetType.VIDEO)
MKV: Final = Kind("mkv", "MKV", "video/x-matroska", "mkv", AssetType.VIDEO)
AVI: Final = Kind("avi", "AVI", "video/x-msvideo", "avi", AssetType.VIDEO)
THREE_GP: Final = Kind("3gp", "3GP", "video/3gpp", "3gp", AssetType.VIDEO)

RAW: Final = (DNG, CR2, CR3, NEF, ARW, RAF, ORF, RW2)
PICTURES: Final = (JPEG, PNG, WEBP, HEIC, HEIF, AVIF, TIFF, GIF, BMP, JXL, *RAW)
VIDEOS: Final = (MP4, MOV, WEBM, MKV, AVI, THREE_GP)
IN_BROWSERS: Final = (MP4, MOV, WEBM)  # films of these kinds may be played as they are
KINDS: Final = {kind.name: kind for kind in (*PICTURES, *VIDEOS)}

_BY_TYPE: Final = {kind.mime: kind for kind in KINDS.values()}


def kind_of_type(mime: str | None) -> Kind | None:
    return _BY_TYPE.get(mime or "")
