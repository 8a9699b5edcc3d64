"""Renditions decoded by Pillow, a program other than the one that made them."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sparks.media.renditions import RenderedPicture


def opened(rendered: RenderedPicture, name: str = "large") -> Image.Image:
    return Image.open(io.BytesIO(rendered.renditions[name]))


def pixels(rendered: RenderedPicture, name: str = "large", mode: str = "RGB") -> NDArray[np.float64]:
    return np.asarray(opened(rendered, name).convert(mode), np.float64)


def corners(rendered: RenderedPicture, name: str = "large") -> list[tuple[int, int, int]]:
    """The colours near the four corners: top left, top right, bottom left, bottom right."""
    shown = pixels(rendered, name)
    y, x = shown.shape[0] // 8, shown.shape[1] // 8
    return [
        (round(red), round(green), round(blue))
        for red, green, blue in (shown[y, x], shown[y, -x], shown[-y, x], shown[-y, -x])
    ]


def difference(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Mean difference of two pictures over all values of 255."""
    assert one.shape == other.shape
    return float(np.abs(one - other).mean())
