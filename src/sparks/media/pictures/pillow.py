"""BMP and AVIF: decoded by Pillow, whose AVIF decoder is three times as fast as the one in libvips."""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from PIL import AvifImagePlugin, ExifTags
from PIL import Image as Pillow

from sparks.media import kinds
from sparks.media.caps import Caps, check_pixels
from sparks.media.containers.blocks import Blocks
from sparks.media.kinds import Kind
from sparks.media.pictures.picture import Picture, upright_size
from sparks.media.pictures.vips import Image
from sparks.media.reasons import unreadable

FORMATS: Final = {kinds.BMP: "BMP", kinds.AVIF: "AVIF"}
BYTES_PER_PIXEL: Final = {kinds.BMP: 10, kinds.AVIF: 17.5}

# All that the two decoders raise on broken files.
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

Pillow.MAX_IMAGE_PIXELS = None  # the caps are checked here, with an answer of our own
AvifImagePlugin.DEFAULT_MAX_THREADS = 1


def decode_with_pillow(content: memoryview, kind: Kind, blocks: Blocks, *, wanted: int, caps: Caps) -> Picture:  # noqa: ARG001
    try:
        with _opened(content, kind) as opened:
            width, height = opened.size
            check_pixels(width, height, kind, caps=caps, bytes_per_pixel=BYTES_PER_PIXEL[kind])
            orientation = _orientation(opened) if kind is kinds.AVIF else 1
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
def _opened(content: memoryview, kind: Kind) -> Iterator[Pillow.Image]:
    """Without Pillow's warnings: it reads the EXIF of an AVIF too, and has words for every oddity there."""
    with warnings.catch_warnings(action="ignore"), Pillow.open(io.BytesIO(content), formats=[FORMATS[kind]]) as opened:
        yield opened


def _simple(opened: Pillow.Image) -> Pillow.Image:
    """In a form whose rows are plain bytes: palettes and single bits are spread out."""
    if opened.mode in ("L", "RGB", "RGBA"):
        return opened
    return opened.convert("RGBA" if opened.has_transparency_data else "RGB")


def _orientation(opened: Pillow.Image) -> int:
    """Pillow tells here what the file's own turning boxes say, not what EXIF says."""
    told = opened.getexif().get(ExifTags.Base.Orientation, 1)
    return told if isinstance(told, int) and 1 <= told <= 8 else 1
