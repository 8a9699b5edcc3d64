"""Decompression bombs: small files that need huge memory are refused by their headers, or reduced."""

import io
import struct

import numpy as np
import pytest
from PIL import Image

from sparks.media import file_types
from sparks.media.decode import heif, jpeg
from sparks.media.decode_limits import DEFAULT_LIMITS, DecodeLimits, check_pixels
from sparks.media.file_types import FileType
from sparks.media.renditions import render
from sparks.model.errors import Damaged
from tests.media.container_builders import LONG, SHORT, gradient, png_header, saved, tiff
from tests.media.samples import sample

SMALL = DecodeLimits(pixels=1000)
FORMS = [
    ("JPEG", file_types.JPEG),
    ("PNG", file_types.PNG),
    ("WEBP", file_types.WEBP),
    ("GIF", file_types.GIF),
    ("BMP", file_types.BMP),
    ("TIFF", file_types.TIFF),
    ("AVIF", file_types.AVIF),
]


@pytest.mark.parametrize(("form", "kind"), FORMS)
def test_a_picture_with_more_pixels_than_the_limit_is_damaged(form: str, kind: FileType) -> None:
    with pytest.raises(Damaged, match="40 x 30 pixels"):
        render(saved(gradient(40, 30), form), kind, limits=SMALL)
    assert render(saved(gradient(40, 25), form), kind, limits=SMALL).width == 40


def test_the_pixel_limit_applies_to_heic() -> None:
    with pytest.raises(Damaged, match="4032 x 3024 pixels"):
        render(sample("formats/IMG_2682.heic"), file_types.HEIC, limits=SMALL)


@pytest.mark.parametrize("interlaced", [False, True])
def test_a_png_of_four_gigapixels_is_damaged(interlaced: bool) -> None:
    with pytest.raises(Damaged, match="4,294 megapixels"):
        render(png_header(65536, 65536, interlaced=interlaced), file_types.PNG)


def test_a_picture_that_needs_more_memory_than_the_limit_is_damaged() -> None:
    """Row by row 200 megapixels are no trouble; all at once they are."""
    with pytest.raises(Damaged, match="at most 167 megapixels"):
        render(png_header(20_000, 10_000, interlaced=True), file_types.PNG)
    with pytest.raises(Damaged, match="is broken"):
        render(png_header(20_000, 10_000), file_types.PNG)


def test_a_jpeg_of_four_gigapixels_is_damaged() -> None:
    content = bytearray(saved(gradient(16, 16), "JPEG"))
    at = content.index(b"\xff\xc0") + 5
    content[at : at + 4] = struct.pack(">HH", 65500, 65500)
    with pytest.raises(Damaged, match="4,290 megapixels"):
        render(bytes(content), file_types.JPEG)


def test_a_tiff_of_four_gigapixels_is_damaged() -> None:
    tags = {256: (LONG, 65535), 257: (LONG, 65535), 258: (SHORT, 8), 259: (SHORT, 1), 262: (SHORT, 1),
            273: (LONG, bytes(100)), 277: (SHORT, 1), 278: (LONG, 65535), 279: (LONG, 100)}  # fmt: skip
    with pytest.raises(Damaged, match="4,294 megapixels"):
        render(tiff(tags), file_types.TIFF)


def test_a_gif_with_too_many_frames_is_reduced_to_a_still() -> None:
    rendered = render(gif_of_frames(20_000), file_types.GIF)
    assert not rendered.animated
    assert (rendered.width, rendered.height) == (16, 16)


def test_a_gif_with_a_huge_canvas_has_the_size_of_its_frame() -> None:
    content = bytearray(gif_of_frames(1))
    content[6:10] = struct.pack("<HH", 65535, 65535)
    assert render(bytes(content), file_types.GIF).width == 16


def test_a_picture_without_pixels_is_damaged() -> None:
    with pytest.raises(Damaged, match="no pixels"):
        check_pixels(0, 100, file_types.JPEG, limits=DEFAULT_LIMITS, bytes_per_pixel=1)


def test_the_default_limits_allow_the_largest_phone_camera() -> None:
    for cost in (heif.BYTES_PER_PIXEL, jpeg.BYTES_PER_PIXEL):
        check_pixels(16320, 12240, file_types.JPEG, limits=DEFAULT_LIMITS, bytes_per_pixel=cost)


def gif_of_frames(count: int) -> bytes:
    """The same frame again and again: 26 bytes each."""
    file = io.BytesIO()
    first = Image.fromarray(np.zeros((16, 16), np.uint8))
    first.save(file, "GIF")
    content = file.getvalue()
    at = content.index(b"\x2c")
    frame = b"\x21\xf9\x04\x00\x01\x00\x00\x00" + content[at:-1]
    return b"GIF89a" + content[6:at] + frame * count + b"\x3b"
