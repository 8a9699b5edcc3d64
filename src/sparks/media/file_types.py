"""File types that Sparks accepts, with names, MIME types and extensions."""

from dataclasses import dataclass
from typing import Final

from sparks.model.photo import AssetType


@dataclass(frozen=True, slots=True)
class FileType:
    """`name` is for programs, `label` is for users; `extension` has no dot."""

    name: str
    label: str
    mime: str
    extension: str
    asset_type: AssetType = AssetType.IMAGE


JPEG: Final = FileType("jpeg", "JPEG", "image/jpeg", "jpg")
PNG: Final = FileType("png", "PNG", "image/png", "png")
WEBP: Final = FileType("webp", "WebP", "image/webp", "webp")
GIF: Final = FileType("gif", "GIF", "image/gif", "gif")
BMP: Final = FileType("bmp", "BMP", "image/bmp", "bmp")
TIFF: Final = FileType("tiff", "TIFF", "image/tiff", "tif")
HEIC: Final = FileType("heic", "HEIC", "image/heic", "heic")
HEIF: Final = FileType("heif", "HEIF", "image/heif", "heif")
AVIF: Final = FileType("avif", "AVIF", "image/avif", "avif")
JXL: Final = FileType("jxl", "JPEG XL", "image/jxl", "jxl")

DNG: Final = FileType("dng", "DNG", "image/x-adobe-dng", "dng")
CR2: Final = FileType("cr2", "CR2", "image/x-canon-cr2", "cr2")
CR3: Final = FileType("cr3", "CR3", "image/x-canon-cr3", "cr3")
NEF: Final = FileType("nef", "NEF", "image/x-nikon-nef", "nef")
ARW: Final = FileType("arw", "ARW", "image/x-sony-arw", "arw")
RAF: Final = FileType("raf", "RAF", "image/x-fuji-raf", "raf")
ORF: Final = FileType("orf", "ORF", "image/x-olympus-orf", "orf")
RW2: Final = FileType("rw2", "RW2", "image/x-panasonic-rw2", "rw2")

MP4: Final = FileType("mp4", "MP4", "video/mp4", "mp4", AssetType.VIDEO)
MOV: Final = FileType("mov", "MOV", "video/quicktime", "mov", AssetType.VIDEO)
WEBM: Final = FileType("webm", "WebM", "video/webm", "webm", AssetType.VIDEO)
MKV: Final = FileType("mkv", "MKV", "video/x-matroska", "mkv", AssetType.VIDEO)
AVI: Final = FileType("avi", "AVI", "video/x-msvideo", "avi", AssetType.VIDEO)
THREE_GP: Final = FileType("3gp", "3GP", "video/3gpp", "3gp", AssetType.VIDEO)

RAW: Final = (DNG, CR2, CR3, NEF, ARW, RAF, ORF, RW2)
PICTURES: Final = (JPEG, PNG, WEBP, HEIC, HEIF, AVIF, TIFF, GIF, BMP, JXL, *RAW)
VIDEOS: Final = (MP4, MOV, WEBM, MKV, AVI, THREE_GP)
IN_BROWSERS: Final = (MP4, MOV, WEBM)  # videos of these types may be played without a transcode
KINDS: Final = {kind.name: kind for kind in (*PICTURES, *VIDEOS)}

_BY_TYPE: Final = {kind.mime: kind for kind in KINDS.values()}


def file_type_of_mime(mime: str | None) -> FileType | None:
    return _BY_TYPE.get(mime or "")
