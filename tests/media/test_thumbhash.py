"""Thumbhashes compared with those of the format's reference program."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sparks.media.thumbhash import thumbhash

KNOWN = {
    (32, 24, False): "dc070a0580778888807887877877778835fed6e3ff",
    (24, 32, False): "dc070a05027777807878877787887788023f97a8b0",
    (40, 40, False): "dc070a07007777878088878878777887877788d6f83d0d09",
    (100, 7, False): "1cf809018087877780778887fac02bc053",
    (32, 24, True): "de078604801787788077897837b63f09dd7878077877777708",
    (17, 60, True): "ddf785010017877097778872bff4b99087788087877877",
    (3, 2, False): "1c083a2d8a77880887887787888877808fc1873f78",
    (100, 75, False): "dcf70905807778788088888778777788408c5a1709",
}


def noise(width: int, height: int, *, clear: bool) -> NDArray[np.uint8]:
    """Numbers that look random, on a slope; the other program made the same ones."""
    at = np.arange(width * height * 4)
    random = ((width * height * 7919 + at) * 1103515245 + at * at * 40503) % 2**31 // 65536 % 256
    pixels = ((random + at // 4 * 200 // (width * height)) >> 1).astype(np.uint8).reshape(height, width, 4)
    if not clear:
        pixels[:, :, 3] = 255
    return pixels


@pytest.mark.parametrize(("picture", "expected"), KNOWN.items())
def test_a_thumbhash_equals_that_of_the_reference_program(picture: tuple[int, int, bool], expected: str) -> None:
    width, height, clear = picture
    assert thumbhash(noise(width, height, clear=clear)).hex() == expected


def test_the_thumbhash_of_one_color_has_no_frequencies() -> None:
    flat = np.full((10, 10, 4), (255, 255, 255, 255), np.uint8)
    assert thumbhash(flat).hex() == "3f080207" + "00" * 20


def test_a_fully_transparent_picture_has_a_thumbhash() -> None:
    assert len(thumbhash(np.zeros((4, 4, 4), np.uint8))) == 25
