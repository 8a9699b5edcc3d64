"""HEIC: decoded by libheif, upright already."""

from typing import Any, Final

import numpy as np
import pillow_heif

from sparks.media.caps import Caps, check_pixels
from sparks.media.containers.blocks import Blocks
from sparks.media.kinds import Kind
from sparks.media.pictures.picture import Picture
from sparks.media.pictures.vips import Image
from sparks.media.reasons import unreadable

BYTES_PER_PIXEL: Final = 4.7  # measured on 200 megapixels
BYTES_WITH_OPACITY: Final = 12.0
HEIF_ERRORS: Final = (
    ValueError,
    EOFError,
    SyntaxError,
    RuntimeError,
    OSError,
    IndexError,
    KeyError,
    TypeError,
    MemoryError,
)

pillow_heif.options.DECODE_THREADS = 1
pillow_heif.options.THUMBNAILS = pillow_heif.options.DEPTH_IMAGES = pillow_heif.options.AUX_IMAGES = False


def decode_heif(content: memoryview, kind: Kind, blocks: Blocks, *, wanted: int, caps: Caps) -> Picture:  # noqa: ARG001
    try:
        opened: Any = pillow_heif.open_heif(bytes(content), convert_hdr_to_8bit=True)
        cost = BYTES_WITH_OPACITY if opened.has_alpha else BYTES_PER_PIXEL
        width, height = opened.size
        check_pixels(width, height, kind, caps=caps, bytes_per_pixel=cost)
        pixels = np.asarray(opened)
    except HEIF_ERRORS as error:
        raise unreadable(kind, error) from error
    height, width = pixels.shape[:2]
    return Picture(
        frames=(Image.new_from_array(pixels, interpretation="b-w" if pixels.ndim == 2 else "srgb"),),
        width=width,
        height=height,
        profile=blocks.profile,
        nclx=blocks.nclx,
    )
