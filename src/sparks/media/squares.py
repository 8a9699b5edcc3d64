"""A square cut out of a picture, for where people are shown small: of a face with some of what is round it, or of the
picture's middle.
"""

from typing import Final

from sparks.media.caps import USUAL, Caps
from sparks.media.kinds import Kind
from sparks.media.pictures.open import open_picture
from sparks.media.pictures.vips import Image, VipsError
from sparks.media.reasons import unreadable
from sparks.media.renditions import prepare, shrink
from sparks.media.sizes import SIZES
from sparks.model.photo import Rendition

AROUND: Final = 2.2  # times the longer side of the face's box
QUALITY: Final = 85
WHITE: Final = 255

Four = tuple[float, float, float, float]


def cut_square(
    content: bytes | memoryview, kind: Kind, *, side: int, around: Four | None = None, caps: Caps = USUAL
) -> bytes:
    """A JPEG that tells nothing but its pixels, of at most `side` and never more than the picture has.

    `around` is a box as left, top, width and height, in shares of the upright picture. At an edge the square is moved
    in. Damaged where the picture cannot be decoded.
    """
    wanted = SIZES[Rendition.LARGE]
    picture = open_picture(content, kind, wanted=wanted, caps=caps)
    try:
        image = prepare(picture.frames[0], picture, wanted)
        left, top, length = _square(image.width, image.height, around)
        small = shrink(image.crop(left, top, length, length), side)
        return bytes(_on_white(small).jpegsave_buffer(Q=QUALITY, keep="none"))
    except VipsError as error:
        raise unreadable(kind, error) from error


def _square(width: int, height: int, around: Four | None) -> tuple[int, int, int]:
    """Left, top and length, in pixels."""
    shortest = min(width, height)
    if around is None:
        return (width - shortest) // 2, (height - shortest) // 2, shortest
    box_left, box_top, box_width, box_height = around
    length = min(max(round(max(box_width * width, box_height * height) * AROUND), 1), shortest)
    left = _start((box_left + box_width / 2) * width, length, width)
    return left, _start((box_top + box_height / 2) * height, length, height), length


def _start(middle: float, length: int, most: int) -> int:
    return min(max(round(middle - length / 2), 0), most - length)


def _on_white(image: Image) -> Image:
    """JPEG knows nothing of what shines through."""
    return image.flatten(background=WHITE) if image.hasalpha() else image
