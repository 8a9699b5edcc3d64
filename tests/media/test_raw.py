"""RAW pictures: the preview where it is large enough, else the developed sensor data."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sparks.media import file_types
from sparks.media.decode_limits import DecodeLimits
from sparks.media.metadata.read_metadata import read_metadata
from sparks.media.renditions import render
from sparks.media.sniff import sniff
from sparks.model.errors import Damaged
from tests.media.container_builders import dng, gradient, saved
from tests.media.decoded_renditions import opened, pixels


def cells(width: int = 240, height: int = 160) -> NDArray[np.uint16]:
    """Values of a sensor: red grows to the right, green downwards."""
    y, x = np.mgrid[0:height, 0:width]
    seen = np.full((height, width), 9000, np.uint16)
    seen[0::2, 0::2] = (x * 40_000 // width)[0::2, 0::2]
    seen[0::2, 1::2] = (y * 50_000 // height)[0::2, 1::2]
    seen[1::2, 0::2] = (y * 50_000 // height)[1::2, 0::2]
    return seen


SENSOR = cells()
PREVIEW = saved(gradient(150, 100), "JPEG", quality=95)
STAMP = saved(gradient(30, 20), "JPEG")


def test_a_large_enough_preview_of_a_raw_picture_is_used() -> None:
    content = dng(SENSOR, preview=PREVIEW)
    rendered = render(content, sniff(content))
    assert (rendered.width, rendered.height) == (240, 160)
    assert opened(rendered).size == (150, 100)
    assert np.abs(pixels(rendered) - gradient(150, 100)).mean() < 8


@pytest.mark.parametrize("preview", [None, STAMP])
def test_without_a_large_enough_preview_the_sensor_data_are_developed(preview: bytes | None) -> None:
    content = dng(SENSOR, preview=preview)
    rendered = render(content, sniff(content))
    assert opened(rendered).size == (240, 160)
    shown = pixels(rendered)
    assert shown[:, 180:200, 0].mean() > shown[:, 40:60, 0].mean() + 20
    assert shown[130:150, :, 1].mean() > shown[20:40, :, 1].mean() + 20


@pytest.mark.parametrize("preview", [None, PREVIEW])
@pytest.mark.parametrize(
    ("orientation", "size", "reddest"),
    [(1, (240, 160), "right"), (6, (160, 240), "bottom"), (8, (160, 240), "top"), (3, (240, 160), "left")],
)
def test_previews_and_developed_pictures_are_rotated_upright(
    preview: bytes | None, orientation: int, size: tuple[int, int], reddest: str
) -> None:
    content = dng(SENSOR, preview=preview, orientation=orientation)
    rendered = render(content, file_types.DNG)
    assert (rendered.width, rendered.height) == size
    red = pixels(rendered)[:, :, 0]
    wide, high = opened(rendered).size
    assert (wide > high) == (size[0] > size[1])
    sides = {"right": red[:, -20:], "left": red[:, :20], "top": red[:20], "bottom": red[-20:]}
    assert max(sides, key=lambda side: sides[side].mean()) == reddest


def test_a_preview_that_the_camera_already_rotated_is_not_rotated_again() -> None:
    turned = saved(np.ascontiguousarray(np.rot90(gradient(150, 100), -1)), "JPEG", quality=95)
    rendered = render(dng(SENSOR, preview=turned, orientation=6), file_types.DNG)
    assert opened(rendered).size == (100, 150)
    assert pixels(rendered)[-20:, :, 0].mean() > pixels(rendered)[:20, :, 0].mean() + 100


def test_a_small_rendition_is_developed_at_half_the_size() -> None:
    rendered = render(dng(SENSOR), file_types.DNG, sizes={"t": 100})
    assert opened(rendered, "t").size == (100, 67)


def test_the_camera_of_a_raw_picture_is_read() -> None:
    metadata = read_metadata(dng(SENSOR, orientation=6), file_types.DNG)
    assert (metadata.camera, metadata.orientation) == ("Sparks Pinhole", 6)


def test_the_limits_apply_to_raw_pictures() -> None:
    with pytest.raises(Damaged, match="240 x 160 pixels"):
        render(dng(SENSOR), file_types.DNG, limits=DecodeLimits(pixels=1000))


@pytest.mark.parametrize("kind", file_types.RAW, ids=lambda kind: kind.name)
def test_bytes_that_are_no_raw_picture_are_damaged(kind: file_types.FileType) -> None:
    for content in (b"", b"II*\x00" + bytes(100), dng(SENSOR)[:200]):
        with pytest.raises(Damaged):
            render(content, kind)
