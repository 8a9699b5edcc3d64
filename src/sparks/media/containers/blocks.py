"""Metadata blocks of a picture (EXIF, XMP, IPTC, ICC), and helpers that read its bytes."""

from dataclasses import dataclass
from typing import Final

from sparks.media.containers.tiff import TiffDirectory, first_directory

MAX_PACKET: Final = 1024 * 1024  # bytes of an XMP packet or an IPTC block
MAX_PROFILE: Final = 4 * 1024 * 1024  # bytes of a color profile
UPRIGHT: Final = 1
_EXIF_POINTER, _GPS_POINTER, _ORIENTATION = 0x8769, 0x8825, 0x0112


def matches(view: memoryview, expected: bytes, at: int = 0) -> bool:
    return bytes(view[at : at + len(expected)]) == expected


def read_uint(view: memoryview, at: int, size: int) -> int:
    """An unsigned integer, most significant byte first; 0 where the file is too short."""
    raw = view[at : at + size]
    return int.from_bytes(raw, "big") if len(raw) == size else 0


@dataclass(frozen=True, slots=True)
class ExifDirectories:
    """The three directories that are read: main, exposure and GPS."""

    main: TiffDirectory
    exposure: TiffDirectory
    gps: TiffDirectory

    @property
    def orientation(self) -> int:
        """The orientation of the stored pixels, from 1 (upright) to 8."""
        value = self.main.integer(_ORIENTATION)
        return value if value is not None and 1 <= value <= 8 else UPRIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataBlocks:
    """`width` and `height` are those of the stored pixels, before rotation."""

    exif: ExifDirectories | None = None
    xmp: bytes | None = None
    iptc: bytes | None = None
    profile: bytes | None = None  # ICC
    nclx: tuple[int, int] | None = None  # primaries and transfer, as numbered in ITU-T H.273
    width: int | None = None
    height: int | None = None

    @property
    def orientation(self) -> int:
        return UPRIGHT if self.exif is None else self.exif.orientation


def exif_of(view: memoryview) -> ExifDirectories | None:
    """The directories of a TIFF structure, with or without the `Exif` marker of most containers."""
    start = 6 if matches(view, b"Exif\x00\x00") else 0
    main = first_directory(view[start:])
    if main is None:
        return None
    return ExifDirectories(main, main.subdirectory(_EXIF_POINTER), main.subdirectory(_GPS_POINTER))
