"""A square is cut round a face, or out of the middle, and says nothing but its pixels."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sparks.media import kinds
from sparks.media.studio import Studio
from sparks.model.errors import Damaged
from sparks.model.face import Box
from tests.media.build import Pixels, gradient, saved
from tests.media.test_studio import opened

RED, BLUE = (255, 0, 0), (0, 0, 255)


def half_and_half(width: int, height: int) -> Pixels:
    """Red on the left, blue on the right."""
    picture = np.full((height, width, 3), RED, np.uint8)
    picture[:, width // 2 :] = BLUE
    return picture


def cut(studio: Studio, content: bytes, folder: Path, around: Box | None = None, side: int = 100) -> Image.Image:
    with opened(content, folder) as file:
        square = studio.square(file, kinds.PNG, side=side, around=around)
    return Image.open(io.BytesIO(square))


def is_red(pixel: object) -> bool:
    assert isinstance(pixel, tuple)
    return bool(pixel[0] > 200 and pixel[2] < 60)


def test_it_is_the_middle_where_nothing_else_is_asked_for(studio: Studio, tmp_path: Path) -> None:
    square = cut(studio, saved(half_and_half(400, 200), "PNG"), tmp_path)
    assert (square.format, square.size) == ("JPEG", (100, 100))
    assert is_red(square.getpixel((10, 50)))
    assert not is_red(square.getpixel((90, 50)))


def test_it_is_round_the_box_with_some_of_what_is_round_that(studio: Studio, tmp_path: Path) -> None:
    face = Box(left=0.2, top=0.4, width=0.1, height=0.2)  # 40 pixels of 400, and of 200
    square = cut(studio, saved(half_and_half(400, 200), "PNG"), tmp_path, face)
    assert square.size == (88, 88)
    assert all(is_red(square.getpixel((x, 44))) for x in (3, 84))


@pytest.mark.parametrize(
    "box",
    [
        Box(left=-0.1, top=-0.2, width=0.2, height=0.4),
        Box(left=0.9, top=0.8, width=0.3, height=0.5),
        Box(left=-5, top=-5, width=20, height=20),
        Box(left=3, top=3, width=0, height=0),
    ],
)
def test_at_an_edge_it_is_moved_in(studio: Studio, tmp_path: Path, box: Box) -> None:
    square = cut(studio, saved(half_and_half(400, 200), "PNG"), tmp_path, box, side=300)
    assert square.width == square.height <= 200


def test_it_is_never_larger_than_the_picture(studio: Studio, tmp_path: Path) -> None:
    assert cut(studio, saved(gradient(60, 50), "PNG"), tmp_path, side=512).size == (50, 50)


def test_what_can_be_seen_through_becomes_white(studio: Studio, tmp_path: Path) -> None:
    square = cut(studio, saved(np.zeros((50, 50, 4), np.uint8), "PNG"), tmp_path)
    assert square.getpixel((25, 25)) == (255, 255, 255)


def test_a_broken_picture_is_damaged(studio: Studio, tmp_path: Path) -> None:
    with pytest.raises(Damaged):
        cut(studio, saved(gradient(300, 200), "PNG")[:200], tmp_path)
