"""BMP and AVIF decoder, by Pillow."""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from PIL import AvifImagePlugin, ExifTags
from PIL import Image as Pillow

from sparks.media import file_types
from sparks.media.containers.blocks import MetadataBlocks
from sparks.media.decode.picture import Picture, upright_size
from sparks.media.decode.vips import Image
from sparks.media.decode_errors import unreadable
from sparks.media.decode_limits import DecodeLimits, check_pixels
from sparks.media.file_types import FileType

FORMATS: Final = {file_types.BMP: "BMP", file_types.AVIF: "AVIF"}
BYTES_PER_PIXEL: Final = {file_types.BMP: 10, file_types.AVIF: 17.5}

# Errors that the two decoders raise on broken files.
PILLOW_ERRORS: Final = (
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    IndexError,
    KeyError,
    OverflowError,
    RuntimeError,
    EOFError,
    struct.error,
    MemoryError,
)

Pillow.MAX_IMAGE_PIXELS = None  # check_pixels checks the limits instead
AvifImagePlugin.DEFAULT_MAX_THREADS = 1


def decode_with_pillow(
    content: memoryview,
    kind: FileType,
    blocks: MetadataBlocks,
    *,
    target_side: int,  # noqa: ARG001
    limits: DecodeLimits,
) -> Picture:
    try:
        with _opened(content, kind) as opened:
            width, height = opened.size
            check_pixels(width, height, kind, limits=limits, bytes_per_pixel=BYTES_PER_PIXEL[kind])
            orientation = _orientation(opened) if kind is file_types.AVIF else 1
            pixels = np.asarray(_simple(opened))
    except PILLOW_ERRORS as error:
        raise unreadable(kind, error) from error
    height, width = pixels.shape[:2]
    full_width, full_height = upright_size(width, height, orientation)
    return Picture(
        frames=(Image.new_from_array(pixels, interpretation="b-w" if pixels.ndim == 2 else "srgb"),),
        width=full_width,
        height=full_height,
        orientation=orientation,
        profile=blocks.profile,
        nclx=blocks.nclx,
    )


@contextmanager
def _opened(content: memoryview, kind: FileType) -> Iterator[Pillow.Image]:
    """The picture, opened without Pillow's warnings about the EXIF data of an AVIF."""
    with warnings.catch_warnings(action="ignore"), Pillow.open(io.BytesIO(content), formats=[FORMATS[kind]]) as opened:
        yield opened


def _simple(opened: Pillow.Image) -> Pillow.Image:
    """The picture in a mode whose rows are plain bytes, without palettes and single bits."""
    if opened.mode in ("L", "RGB", "RGBA"):
        return opened
    return opened.convert("RGBA" if opened.has_transparency_data else "RGB")


def _orientation(opened: Pillow.Image) -> int:
    """The orientation by the file's own rotation boxes, which Pillow reports in place of that of EXIF."""
    value = opened.getexif().get(ExifTags.Base.Orientation, 1)
    return value if isinstance(value, int) and 1 <= value <= 8 else 1
