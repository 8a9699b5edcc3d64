"""RAW: the preview that the camera left inside, where it is large enough; else developed from the sensor's data."""

import io
from dataclasses import replace
from typing import Final

import rawpy

from sparks.media.caps import Caps, check_pixels
from sparks.media.containers.blocks import Blocks
from sparks.media.containers.jpeg import jpeg_blocks
from sparks.media.kinds import Kind
from sparks.media.pictures.jpeg import decode_jpeg, scale_for
from sparks.media.pictures.picture import Picture, upright_size
from sparks.media.pictures.vips import Image
from sparks.media.reasons import unreadable
from sparks.model.errors import Damaged

BYTES_PER_PIXEL: Final = 16
LARGE_ENOUGH: Final = 0.5  # of the size wanted: a camera's own preview looks better than what others develop
RAW_ERRORS: Final = (rawpy.LibRawError, OSError, ValueError, MemoryError)
NO_PREVIEW: Final = (rawpy.LibRawNoThumbnailError, rawpy.LibRawUnsupportedThumbnailError)

_ORIENTATIONS: Final = {3: 3, 5: 8, 6: 6}  # LibRaw's `flip` in EXIF's numbers


def decode_raw(content: memoryview, kind: Kind, blocks: Blocks, *, wanted: int, caps: Caps) -> Picture:  # noqa: ARG001
    try:
        with rawpy.imread(io.BytesIO(content)) as raw:
            check_pixels(raw.sizes.width, raw.sizes.height, kind, caps=caps, bytes_per_pixel=BYTES_PER_PIXEL)
            return _preview(raw, kind, wanted=wanted, caps=caps) or _develop(raw, wanted=wanted)
    except RAW_ERRORS as error:
        raise unreadable(kind, error) from error


def _preview(raw: rawpy.RawPy, kind: Kind, *, wanted: int, caps: Caps) -> Picture | None:
    try:
        thumb = raw.extract_thumb()
    except NO_PREVIEW:
        return None
    if thumb.format != rawpy.ThumbFormat.JPEG or not isinstance(thumb.data, bytes):
        return None
    try:
        blocks = replace(jpeg_blocks(memoryview(thumb.data)), exif=None)
        preview = decode_jpeg(memoryview(thumb.data), kind, blocks, wanted=wanted, caps=caps)
    except Damaged:
        return None
    if max(preview.width, preview.height) < LARGE_ENOUGH * min(wanted, max(raw.sizes.width, raw.sizes.height)):
        return None
    return _as_the_sensor(raw, preview)


def _as_the_sensor(raw: rawpy.RawPy, preview: Picture) -> Picture:
    """The preview lies as the sensor does, unless the camera has turned it already."""
    orientation = _orientation(raw)
    width, height = upright_size(raw.sizes.width, raw.sizes.height, orientation)
    turned = orientation >= 5 and (preview.width > preview.height) == (width > height)
    return replace(preview, width=width, height=height, orientation=1 if turned else orientation)


def _develop(raw: rawpy.RawPy, *, wanted: int) -> Picture:
    """In half the size where that is enough: four sensor cells make one pixel, and nothing is guessed."""
    sizes = raw.sizes
    half = scale_for(max(sizes.width, sizes.height), wanted) > 1
    pixels = raw.postprocess(use_camera_wb=True, half_size=half, output_bps=8)
    width, height = upright_size(sizes.width, sizes.height, _orientation(raw))
    return Picture(frames=(Image.new_from_array(pixels, interpretation="srgb"),), width=width, height=height)


def _orientation(raw: rawpy.RawPy) -> int:
    return _ORIENTATIONS.get(raw.sizes.flip, 1)
