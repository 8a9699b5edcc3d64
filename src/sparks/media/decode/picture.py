"""Decoded picture with its frames and orientation, and the rotation that makes it upright."""

from dataclasses import dataclass
from typing import Final

from sparks.media.decode.vips import Image

_SIDEWAYS: Final = 5  # orientations from here on swap width and height


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """`width` and `height` are those of the full-size original, upright. A still has one frame and no delays."""

    frames: tuple[Image, ...]
    width: int
    height: int
    orientation: int = 1
    profile: bytes | None = None
    nclx: tuple[int, int] | None = None
    delays: tuple[int, ...] = ()  # milliseconds of each frame
    loop: int = 0  # repetitions of an animation; 0 is endless


def upright_size(width: int, height: int, orientation: int) -> tuple[int, int]:
    return (height, width) if orientation >= _SIDEWAYS else (width, height)


def turn_upright(image: Image, orientation: int) -> Image:
    """Rotates by an EXIF orientation: 2 to 4 are mirrored or upside down, 5 to 8 sideways."""
    match orientation:
        case 2:
            return image.fliphor()
        case 3:
            return image.rot180()
        case 4:
            return image.flipver()
        case 5:
            return image.rot90().fliphor()
        case 6:
            return image.rot90()
        case 7:
            return image.rot270().fliphor()
        case 8:
            return image.rot270()
        case _:
            return image
