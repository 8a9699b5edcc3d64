"""JPEG decoder, by libvips, which scales while it decodes."""

from typing import Final

from sparks.media.containers.blocks import MetadataBlocks
from sparks.media.containers.jpeg import is_progressive
from sparks.media.decode.picture import Picture, upright_size
from sparks.media.decode.vips import VipsError, load
from sparks.media.decode_errors import unreadable
from sparks.media.decode_limits import DecodeLimits, check_pixels
from sparks.media.file_types import FileType

BYTES_PER_PIXEL: Final = 2
BYTES_IF_PROGRESSIVE: Final = 7  # the whole picture is in memory until the last scan
TOLERANCE: Final = 0.98  # of the target: 2016 pixels do for 2048, so a phone's 4032 pixels are halved while decoding
SCALES: Final = (8, 4, 2)
MIN_SCALED_SIDE: Final = 100  # pixels: scaling drops the rest of a division, which is less than 1 % then


def decode_jpeg(
    content: memoryview, kind: FileType, blocks: MetadataBlocks, *, target_side: int, limits: DecodeLimits
) -> Picture:
    """Small faults of the file are accepted, a missing part is not.

    A picture that is still to be shrunk is decoded only then, row by row; a fault in its pixels is a VipsError there.
    """
    try:
        image = load("jpegload", content, access="sequential")
        width, height = image.width, image.height
        check_pixels(width, height, kind, limits=limits, bytes_per_pixel=_cost(content))
        scale = scale_for(width, height, target_side)
        if scale > 1:
            image = load("jpegload", content, shrink=scale, access="sequential")
        if max(image.width, image.height) <= target_side:
            image = image.copy_memory()
    except VipsError as error:
        raise unreadable(kind, error) from error
    full_width, full_height = upright_size(width, height, blocks.orientation)
    return Picture(
        frames=(image,),
        width=full_width,
        height=full_height,
        orientation=blocks.orientation,
        profile=blocks.profile,
    )


def scale_for(width: int, height: int, target_side: int) -> int:
    """The largest factor by which a picture may be scaled down while it is decoded; 1 for one that is very narrow."""
    longest, shortest = max(width, height), min(width, height)
    fitting = (scale for scale in SCALES if longest / scale >= target_side * TOLERANCE)
    return next((scale for scale in fitting if shortest / scale >= MIN_SCALED_SIDE), 1)


def _cost(content: memoryview) -> float:
    return BYTES_IF_PROGRESSIVE if is_progressive(content) else BYTES_PER_PIXEL
