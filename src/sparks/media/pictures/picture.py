"""A decoded picture: as large as its renditions need it, in its own colours, and not turned upright yet."""

from dataclasses import dataclass
from typing import Final

from sparks.media.pictures.vips import Image

_SIDEWAYS: Final = 5  # from this orientation on, width and height change places


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """`width` and `height` are those of the whole original, upright. A still has one frame, and no delays."""

    frames: tuple[Image, ...]
    width: int
    height: int
    orientation: int = 1
    profile: bytes | None = None
    nclx: tuple[int, int] | None = None
    delays: tuple[int, ...] = ()  # milliseconds of each frame
    loop: int = 0  # how often an animation runs; 0 is for ever


def upright_size(width: int, height: int, orientation: int) -> tuple[int, int]:
    return (height, width) if orientation >= _SIDEWAYS else (width, height)


def turn_upright(image: Image, orientation: int) -> Image:
    """As EXIF counts: 2 to 4 mirrored or upside down, 5 to 8 lying on a side."""
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
