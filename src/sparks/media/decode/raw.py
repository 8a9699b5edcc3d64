"""RAW decoder: the embedded preview, or the developed sensor data."""

import io
from dataclasses import replace
from typing import Final

import rawpy

from sparks.media.containers.blocks import MetadataBlocks
from sparks.media.containers.jpeg import jpeg_blocks
from sparks.media.decode.jpeg import decode_jpeg, scale_for
from sparks.media.decode.picture import Picture, upright_size
from sparks.media.decode.vips import Image, VipsError
from sparks.media.decode_errors import unreadable
from sparks.media.decode_limits import DecodeLimits, check_pixels
from sparks.media.file_types import FileType
from sparks.model.errors import Damaged

BYTES_PER_PIXEL: Final = 16
MIN_PREVIEW: Final = 0.5  # of the target: the camera's own preview looks better than a picture developed here
RAW_ERRORS: Final = (rawpy.LibRawError, OSError, ValueError, MemoryError)
NO_PREVIEW: Final = (rawpy.LibRawNoThumbnailError, rawpy.LibRawUnsupportedThumbnailError)

_ORIENTATIONS: Final = {3: 3, 5: 8, 6: 6}  # LibRaw's `flip` to EXIF's orientation


def decode_raw(
    content: memoryview,
    kind: FileType,
    blocks: MetadataBlocks,  # noqa: ARG001
    *,
    target_side: int,
    limits: DecodeLimits,
) -> Picture:
    try:
        with rawpy.imread(io.BytesIO(content)) as raw:
            check_pixels(raw.sizes.width, raw.sizes.height, kind, limits=limits, bytes_per_pixel=BYTES_PER_PIXEL)
            return _preview(raw, kind, target_side=target_side, limits=limits) or _develop(raw, target_side=target_side)
    except RAW_ERRORS as error:
        raise unreadable(kind, error) from error


def _preview(raw: rawpy.RawPy, kind: FileType, *, target_side: int, limits: DecodeLimits) -> Picture | None:
    try:
        thumb = raw.extract_thumb()
    except NO_PREVIEW:
        return None
    if thumb.format != rawpy.ThumbFormat.JPEG or not isinstance(thumb.data, bytes):
        return None
    try:
        blocks = replace(jpeg_blocks(memoryview(thumb.data)), exif=None)
        preview = decode_jpeg(memoryview(thumb.data), kind, blocks, target_side=target_side, limits=limits)
        preview = replace(preview, frames=(preview.frames[0].copy_memory(),))  # decodes it, so that a fault shows here
    except (Damaged, VipsError):
        return None
    if max(preview.width, preview.height) < MIN_PREVIEW * min(target_side, max(raw.sizes.width, raw.sizes.height)):
        return None
    return _with_sensor_size(raw, preview)


def _with_sensor_size(raw: rawpy.RawPy, preview: Picture) -> Picture:
    """The preview with the sensor's size and orientation, unless the camera has rotated the preview already."""
    orientation = _orientation(raw)
    width, height = upright_size(raw.sizes.width, raw.sizes.height, orientation)
    rotated = orientation >= 5 and (preview.width > preview.height) == (width > height)
    return replace(preview, width=width, height=height, orientation=1 if rotated else orientation)


def _develop(raw: rawpy.RawPy, *, target_side: int) -> Picture:
    """Develops at half the size where that is enough: four sensor cells make one pixel, without interpolation."""
    sizes = raw.sizes
    half = scale_for(sizes.width, sizes.height, target_side) > 1
    pixels = raw.postprocess(use_camera_wb=True, half_size=half, output_bps=8)
    width, height = upright_size(sizes.width, sizes.height, _orientation(raw))
    return Picture(frames=(Image.new_from_array(pixels, interpretation="srgb"),), width=width, height=height)


def _orientation(raw: rawpy.RawPy) -> int:
    return _ORIENTATIONS.get(raw.sizes.flip, 1)
