"""JPEG: decoded by libjpeg-turbo, and at once in a smaller scale where that is enough."""

from typing import Final

import simplejpeg

from sparks.media.caps import Caps, check_pixels
from sparks.media.containers.blocks import Blocks
from sparks.media.containers.jpeg import is_progressive
from sparks.media.kinds import Kind
from sparks.media.pictures.picture import Picture, upright_size
from sparks.media.pictures.vips import Image, VipsError, load
from sparks.media.reasons import unreadable

BYTES_PER_PIXEL: Final = 2
BYTES_IF_PROGRESSIVE: Final = 7  # all of it is held until the last scan has come
NEAR_ENOUGH: Final = 0.98  # of the size wanted: 2016 for 2048, so that a phone's 4032 pixels are halved while decoding
SCALES: Final = (8, 4, 2)

_COLOURS: Final = {"Gray": "GRAY", "YCbCr": "RGB", "RGB": "RGB"}
_ODD: Final = (ValueError, KeyError)  # KeyError: a subsampling that the fast decoder has no name for


def decode_jpeg(content: memoryview, kind: Kind, blocks: Blocks, *, wanted: int, caps: Caps) -> Picture:
    """The fast decoder stops at any oddity. libvips then judges: an oddity may pass, a missing part may not."""
    try:
        image, width, height = _decode_fast(content, kind, wanted=wanted, caps=caps)
    except _ODD:
        image, width, height = _decode_leniently(content, kind, wanted=wanted, caps=caps)
    full_width, full_height = upright_size(width, height, blocks.orientation)
    return Picture(
        frames=(image,),
        width=full_width,
        height=full_height,
        orientation=blocks.orientation,
        profile=blocks.profile,
    )


def scale_for(side: int, wanted: int) -> int:
    """By how much it can be made smaller while it is decoded."""
    return next((scale for scale in SCALES if side / scale >= wanted * NEAR_ENOUGH), 1)


def _cost(content: memoryview) -> float:
    return BYTES_IF_PROGRESSIVE if is_progressive(content) else BYTES_PER_PIXEL


def _decode_fast(content: memoryview, kind: Kind, *, wanted: int, caps: Caps) -> tuple[Image, int, int]:
    height, width, colours, _ = simplejpeg.decode_jpeg_header(content)
    check_pixels(width, height, kind, caps=caps, bytes_per_pixel=_cost(content))
    scale = scale_for(max(width, height), wanted)
    least = {"min_width": -(-width // scale), "min_height": -(-height // scale)}
    pixels = simplejpeg.decode_jpeg(content, _COLOURS[colours], **least)
    image = Image.new_from_array(pixels, interpretation="b-w" if pixels.shape[2] == 1 else "srgb")
    return image, width, height


def _decode_leniently(content: memoryview, kind: Kind, *, wanted: int, caps: Caps) -> tuple[Image, int, int]:
    try:
        header = load("jpegload", content)
        check_pixels(header.width, header.height, kind, caps=caps, bytes_per_pixel=_cost(content))
        scale = scale_for(max(header.width, header.height), wanted)
        image = load("jpegload", content, shrink=scale, access="sequential")
        return image.copy_memory(), header.width, header.height
    except VipsError as error:
        raise unreadable(kind, error) from error
