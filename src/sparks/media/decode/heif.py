"""HEIC decoder, by libheif."""

from typing import Any, Final

import numpy as np
import pillow_heif

from sparks.media.containers.blocks import MetadataBlocks
from sparks.media.decode.picture import Picture
from sparks.media.decode.vips import Image
from sparks.media.decode_errors import unreadable
from sparks.media.decode_limits import DecodeLimits, check_pixels
from sparks.media.file_types import FileType

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


def decode_heif(
    content: memoryview,
    kind: FileType,
    blocks: MetadataBlocks,
    *,
    target_side: int,  # noqa: ARG001
    limits: DecodeLimits,
) -> Picture:
    try:
        opened: Any = pillow_heif.open_heif(bytes(content), convert_hdr_to_8bit=True)
        cost = BYTES_WITH_OPACITY if opened.has_alpha else BYTES_PER_PIXEL
        width, height = opened.size
        check_pixels(width, height, kind, limits=limits, bytes_per_pixel=cost)
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
