"""Renditions: WebP files in several sizes, a thumbhash, and square crops.

1. The header is checked against the limits. The picture is decoded once, no larger than the largest size needs.
2. The picture is shrunk to that size, converted to sRGB and rotated upright.
3. Each smaller size is made from the one before. No size is larger than the original.
4. Every size is encoded; equal sizes are encoded once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.media.decode.color import to_srgb
from sparks.media.decode.open_picture import open_picture
from sparks.media.decode.picture import Picture, turn_upright
from sparks.media.decode.vips import INT, INTS, Image, VipsError
from sparks.media.decode_errors import Unreadable, explain, unreadable
from sparks.media.decode_limits import DEFAULT_LIMITS, DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.rendition_sizes import FORMAT, QUALITY, SIZES
from sparks.media.thumbhash import MAX_SIDE, thumbhash
from sparks.model.errors import BadInput
from sparks.model.photo import Rendition

EFFORT: Final = 2  # takes 0.44 of the time of the default 4, for 2 % more bytes
LONGEST_SIDE: Final = 16383  # the maximum of WebP
CROP_FACTOR: Final = 2.2  # times the longer side of the face's box
CROP_QUALITY: Final = 85
WHITE: Final = 255
BoxSides = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPicture:
    """`width` and `height` are those of the original, upright; `renditions` are WebP files by name."""

    width: int
    height: int
    thumbhash: bytes
    renditions: Mapping[str, bytes]
    animated: bool = False
    format: str = FORMAT
    quality: int = QUALITY

    @property
    def aspect_ratio(self) -> float:
        return self.width / self.height

    @property
    def processed_size(self) -> int:
        return sum(map(len, self.renditions.values()))


def render(
    content: bytes | memoryview,
    kind: FileType,
    *,
    sizes: Mapping[str, int] = SIZES,
    limits: DecodeLimits = DEFAULT_LIMITS,
) -> RenderedPicture:
    """Renders the given sizes, by name and longest side; without sizes the thumbhash alone.

    Damaged, with the reason, where the picture cannot be decoded. That includes a JPEG that ends too early: half a
    picture could look complete in a small rendition and hide the loss.
    """
    try:
        picture = open_picture(content, kind, target_side=longest_of(sizes), limits=limits)
        return make_renditions(picture, kind, sizes=sizes)
    except MemoryError as error:
        raise unreadable(kind, error) from error
    except Unreadable as error:
        read = partial(_read, memoryview(content))
        raise explain(error, read, len(content), kind) from error


def _read(content: memoryview, at: int, size: int) -> bytes:
    return bytes(content[at : at + size])


def longest_of(sizes: Mapping[str, int]) -> int:
    if not all(1 <= side <= LONGEST_SIDE for side in sizes.values()):
        raise BadInput(f"a rendition has 1 to {LONGEST_SIDE:,} pixels on its longest side")
    return max(sizes.values(), default=MAX_SIDE)


def make_renditions(picture: Picture, kind: FileType, *, sizes: Mapping[str, int]) -> RenderedPicture:
    try:
        frames = [upright_srgb(frame, picture, longest_of(sizes)) for frame in picture.frames]
        made: dict[str, bytes] = {}
        encoded, encoded_size = b"", (0, 0)
        for name, side in sorted(sizes.items(), key=lambda size: -size[1]):
            frames = [shrink(frame, side) for frame in frames]
            if (frames[0].width, frames[0].height) != encoded_size:
                encoded, encoded_size = encode(frames, picture), (frames[0].width, frames[0].height)
            made[name] = encoded
        return RenderedPicture(
            width=picture.width,
            height=picture.height,
            thumbhash=thumbhash(_pixels(shrink(frames[0], MAX_SIDE))),
            renditions={name: made[name] for name in sizes},
            animated=len(frames) > 1,
        )
    except VipsError as error:
        raise unreadable(kind, error) from error


def upright_srgb(frame: Image, picture: Picture, side: int) -> Image:
    """The frame upright, in sRGB, and with no side longer than `side`."""
    small = to_srgb(shrink(frame, side), profile=picture.profile, nclx=picture.nclx)
    return turn_upright(small, picture.orientation).copy_memory()


def shrink(image: Image, side: int) -> Image:
    """The image with `side` as its longest side; the image itself where it is not larger."""
    longest = max(image.width, image.height)
    if longest <= side:
        return image
    width, height = (max(1, round(length * side / longest)) for length in (image.width, image.height))
    scales = width / image.width, height / image.height
    if not image.hasalpha():
        return image.resize(scales[0], vscale=scales[1]).copy_memory()
    small = image.premultiply().resize(scales[0], vscale=scales[1]).unpremultiply()
    return small.cast(image.format).copy_memory()


def encode(frames: Sequence[Image], picture: Picture) -> bytes:
    image = frames[0]
    if len(frames) > 1:
        image = Image.arrayjoin(list(frames), across=1).copy()
        image.set_type(INT, "page-height", frames[0].height)
        image.set_type(INTS, "delay", list(picture.delays))
        image.set_type(INT, "loop", picture.loop)
    return bytes(image.webpsave_buffer(Q=QUALITY, effort=EFFORT, keep="none"))


def _pixels(image: Image) -> NDArray[np.uint8]:
    """Rows of red, green, blue and opacity."""
    if image.bands < 3:
        image = image.colourspace("srgb")
    if not image.hasalpha():
        image = image.bandjoin(255)
    flat = np.frombuffer(bytes(image.write_to_memory()), np.uint8)
    return flat.reshape(image.height, image.width, 4)


def crop_square(
    content: bytes | memoryview,
    kind: FileType,
    *,
    side: int,
    around: BoxSides | None = None,
    limits: DecodeLimits = DEFAULT_LIMITS,
) -> bytes:
    """A square JPEG without metadata, of at most `side` pixels and never enlarged.

    `around` is a box as left, top, width and height, in shares of the upright picture; None is the center. At an edge
    the square is moved into the picture. Damaged where the picture cannot be decoded.
    """
    target_side = SIZES[Rendition.LARGE]
    picture = open_picture(content, kind, target_side=target_side, limits=limits)
    try:
        image = upright_srgb(picture.frames[0], picture, target_side)
        left, top, length = _square(image.width, image.height, around)
        small = shrink(image.crop(left, top, length, length), side)
        return bytes(_on_white(small).jpegsave_buffer(Q=CROP_QUALITY, keep="none"))
    except VipsError as error:
        raise unreadable(kind, error) from error


def _square(width: int, height: int, around: BoxSides | None) -> tuple[int, int, int]:
    """Left, top and length of the square, in pixels."""
    shortest = min(width, height)
    if around is None:
        return (width - shortest) // 2, (height - shortest) // 2, shortest
    box_left, box_top, box_width, box_height = around
    length = min(max(round(max(box_width * width, box_height * height) * CROP_FACTOR), 1), shortest)
    left = _start((box_left + box_width / 2) * width, length, width)
    return left, _start((box_top + box_height / 2) * height, length, height), length


def _start(center: float, length: int, side: int) -> int:
    return min(max(round(center - length / 2), 0), side - length)


def _on_white(image: Image) -> Image:
    """The image without transparency, which JPEG lacks."""
    return image.flatten(background=WHITE) if image.hasalpha() else image
