"""The blocks of metadata that a picture carries, wherever its kind of file keeps them."""

from dataclasses import dataclass
from typing import Final

from sparks.media.containers.tiff import Directory, first_directory
from sparks.media.containers.view import matches

MOST_PACKET: Final = 1024 * 1024  # bytes of an XMP packet or an IPTC block
MOST_PROFILE: Final = 4 * 1024 * 1024  # bytes of a colour profile

UPRIGHT: Final = 1

_EXIF_POINTER, _GPS_POINTER, _ORIENTATION = 0x8769, 0x8825, 0x0112


@dataclass(frozen=True, slots=True)
class Exif:
    """The three directories that matter: about the file, about the exposure, about the place."""

    main: Directory
    exposure: Directory
    place: Directory

    @property
    def orientation(self) -> int:
        """What must be done to the pixels, from 1 (nothing) to 8."""
        told = self.main.whole(_ORIENTATION)
        return told if told is not None and 1 <= told <= 8 else UPRIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """`width` and `height` are those of the pixels as they are stored, before they are turned upright."""

    exif: Exif | None = None
    xmp: bytes | None = None
    iptc: bytes | None = None
    profile: bytes | None = None  # ICC
    nclx: tuple[int, int] | None = None  # the numbers of the primaries and of the transfer, as in ITU-T H.273
    width: int | None = None
    height: int | None = None

    @property
    def orientation(self) -> int:
        return UPRIGHT if self.exif is None else self.exif.orientation


def exif_of(view: memoryview) -> Exif | None:
    """From a TIFF structure, with or without the `Exif` mark that most containers put before it."""
    start = 6 if matches(view, b"Exif\x00\x00") else 0
    main = first_directory(view[start:])
    if main is None:
        return None
    return Exif(main, main.subdirectory(_EXIF_POINTER), main.subdirectory(_GPS_POINTER))
