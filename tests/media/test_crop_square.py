"""Square crops around a face or of the center, without metadata."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sparks.media import file_types
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.errors import Damaged
from sparks.model.face import Box
from tests.media.container_builders import Pixels, gradient, saved
from tests.media.test_sandboxed_renderer import opened

RED, BLUE = (255, 0, 0), (0, 0, 255)


def half_and_half(width: int, height: int) -> Pixels:
    """Red on the left, blue on the right."""
    picture = np.full((height, width, 3), RED, np.uint8)
    picture[:, width // 2 :] = BLUE
    return picture


def cut(
    renderer: SandboxedRenderer, content: bytes, folder: Path, around: Box | None = None, side: int = 100
) -> Image.Image:
    with opened(content, folder) as file:
        square = renderer.crop_square(file, file_types.PNG, side=side, around=around)
    return Image.open(io.BytesIO(square))


def is_red(pixel: object) -> bool:
    assert isinstance(pixel, tuple)
    return bool(pixel[0] > 200 and pixel[2] < 60)


def test_the_square_is_the_center_of_the_picture_without_a_box(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    square = cut(renderer, saved(half_and_half(400, 200), "PNG"), tmp_path)
    assert (square.format, square.size) == ("JPEG", (100, 100))
    assert is_red(square.getpixel((10, 50)))
    assert not is_red(square.getpixel((90, 50)))


def test_the_square_contains_the_box_and_a_margin(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    face = Box(left=0.2, top=0.4, width=0.1, height=0.2)  # 40 pixels of 400, and of 200
    square = cut(renderer, saved(half_and_half(400, 200), "PNG"), tmp_path, face)
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
def test_a_square_at_an_edge_is_moved_into_the_picture(renderer: SandboxedRenderer, tmp_path: Path, box: Box) -> None:
    square = cut(renderer, saved(half_and_half(400, 200), "PNG"), tmp_path, box, side=300)
    assert square.width == square.height <= 200


def test_the_square_is_never_larger_than_the_picture(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    assert cut(renderer, saved(gradient(60, 50), "PNG"), tmp_path, side=512).size == (50, 50)


def test_transparent_pixels_of_a_crop_become_white(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    square = cut(renderer, saved(np.zeros((50, 50, 4), np.uint8), "PNG"), tmp_path)
    assert square.getpixel((25, 25)) == (255, 255, 255)


def test_a_broken_picture_is_damaged(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    with pytest.raises(Damaged):
        cut(renderer, saved(gradient(300, 200), "PNG")[:200], tmp_path)
