"""Bombs: files that are small and ask for very much. They are refused by their headers, or made harmless."""

import io
import struct

import numpy as np
import pytest
from PIL import Image

from sparks.media import kinds
from sparks.media.caps import USUAL, Caps, check_pixels
from sparks.media.kinds import Kind
from sparks.media.pictures import heif, jpeg
from sparks.media.renditions import render
from sparks.model.errors import Damaged
from tests.media.build import LONG, SHORT, gradient, png_header, saved, tiff
from tests.media.samples import sample

SMALL = Caps(pixels=1000)
FORMS = [("JPEG", kinds.JPEG), ("PNG", kinds.PNG), ("WEBP", kinds.WEBP), ("GIF", kinds.GIF), ("BMP", kinds.BMP),
         ("TIFF", kinds.TIFF), ("AVIF", kinds.AVIF)]  # fmt: skip


@pytest.mark.parametrize(("form", "kind"), FORMS)
def test_more_pixels_than_the_cap_are_refused(form: str, kind: Kind) -> None:
    with pytest.raises(Damaged, match="40 x 30 pixels"):
        render(saved(gradient(40, 30), form), kind, caps=SMALL)
    assert render(saved(gradient(40, 25), form), kind, caps=SMALL).width == 40


def test_heic_has_the_cap_too() -> None:
    with pytest.raises(Damaged, match="4032 x 3024 pixels"):
        render(sample("formats/IMG_2682.heic"), kinds.HEIC, caps=SMALL)


@pytest.mark.parametrize("interlaced", [False, True])
def test_a_png_of_four_gigapixels_is_refused(interlaced: bool) -> None:
    with pytest.raises(Damaged, match="4,294 megapixels"):
        render(png_header(65536, 65536, interlaced=interlaced), kinds.PNG)


def test_a_picture_that_needs_more_memory_than_its_pixels_show_is_refused() -> None:
    """Row by row 200 megapixels are no trouble; all at once they are."""
    with pytest.raises(Damaged, match="at most 167 megapixels"):
        render(png_header(20_000, 10_000, interlaced=True), kinds.PNG)
    with pytest.raises(Damaged, match="is broken"):
        render(png_header(20_000, 10_000), kinds.PNG)


def test_a_jpeg_of_four_gigapixels_is_refused() -> None:
    content = bytearray(saved(gradient(16, 16), "JPEG"))
    at = content.index(b"\xff\xc0") + 5
    content[at : at + 4] = struct.pack(">HH", 65500, 65500)
    with pytest.raises(Damaged, match="4,290 megapixels"):
        render(bytes(content), kinds.JPEG)


def test_a_tiff_of_four_gigapixels_is_refused() -> None:
    tags = {256: (LONG, 65535), 257: (LONG, 65535), 258: (SHORT, 8), 259: (SHORT, 1), 262: (SHORT, 1),
            273: (LONG, bytes(100)), 277: (SHORT, 1), 278: (LONG, 65535), 279: (LONG, 100)}  # fmt: skip
    with pytest.raises(Damaged, match="4,294 megapixels"):
        render(tiff(tags), kinds.TIFF)


def test_a_gif_with_very_many_frames_is_a_still() -> None:
    rendered = render(gif_of_frames(20_000), kinds.GIF)
    assert not rendered.animated
    assert (rendered.width, rendered.height) == (16, 16)


def test_a_gif_that_claims_a_huge_canvas_is_as_large_as_its_frame() -> None:
    content = bytearray(gif_of_frames(1))
    content[6:10] = struct.pack("<HH", 65535, 65535)
    assert render(bytes(content), kinds.GIF).width == 16


def test_a_picture_without_pixels_is_refused() -> None:
    with pytest.raises(Damaged, match="no pixels"):
        check_pixels(0, 100, kinds.JPEG, caps=USUAL, bytes_per_pixel=1)


def test_the_usual_caps_let_the_largest_phone_camera_through() -> None:
    for cost in (heif.BYTES_PER_PIXEL, jpeg.BYTES_PER_PIXEL):
        check_pixels(16320, 12240, kinds.JPEG, caps=USUAL, bytes_per_pixel=cost)


def gif_of_frames(count: int) -> bytes:
    """The same frame again and again: 26 bytes each."""
    file = io.BytesIO()
    first = Image.fromarray(np.zeros((16, 16), np.uint8))
    first.save(file, "GIF")
    content = file.getvalue()
    at = content.index(b"\x2c")
    frame = b"\x21\xf9\x04\x00\x01\x00\x00\x00" + content[at:-1]
    return b"GIF89a" + content[6:at] + frame * count + b"\x3b"
