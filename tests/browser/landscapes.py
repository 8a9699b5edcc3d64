"""Generated landscapes: skies, suns, hills behind hills, and sometimes water."""

from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Picture = NDArray[np.float64]
Colour = tuple[int, int, int]

PALETTES: Final[
    tuple[tuple[Colour, Colour, Colour, Colour], ...]
] = (  # the sky's top and bottom, the sun, the nearest hill
    ((38, 62, 115), (246, 178, 122), (255, 236, 190), (24, 30, 48)),
    ((110, 168, 214), (236, 240, 232), (255, 250, 226), (38, 78, 62)),
    ((64, 38, 92), (240, 128, 110), (255, 214, 168), (30, 18, 42)),
    ((18, 26, 58), (92, 120, 168), (238, 242, 255), (8, 12, 26)),
    ((150, 190, 220), (250, 226, 196), (255, 246, 220), (92, 62, 42)),
    ((236, 170, 150), (252, 232, 204), (255, 255, 240), (110, 70, 84)),
    ((70, 130, 150), (214, 232, 214), (255, 252, 224), (30, 60, 52)),
)


def landscape(chance: Generator, width: int, height: int) -> Picture:
    """Colours from 0 to 255, row by row."""
    top, bottom, sun, near = (np.array(colour, float) for colour in PALETTES[chance.integers(len(PALETTES))])
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    picture = _between(top, bottom, np.clip(down / 0.7, 0, 1)[..., None])
    picture = _with_sun(picture, sun, chance, across * width / height, down, width / height)
    hills = int(chance.integers(3, 6))
    for number in range(hills):
        far = 1 - (number + 1) / hills
        ridge = chance.uniform(0.42, 0.52) + 0.42 * (number / hills) + _ridge(chance, width) * (0.16 - 0.07 * far)
        colour = _between(near, bottom, far * 0.8)
        shade = np.clip((down - ridge) * 0.7, 0, 0.3)[..., None]
        picture = np.where((down > ridge)[..., None], colour * (1 - shade), picture)
    if chance.random() < 0.35:
        picture = _over_water(picture, top, chance)
    return np.clip(picture + chance.normal(0, 1.6, picture.shape), 0, 255)


def _between(one: Picture, other: Picture, share: Picture | float) -> Picture:
    return one + (other - one) * share


def _with_sun(picture: Picture, sun: Picture, chance: Generator, x: Picture, y: Picture, ratio: float) -> Picture:
    place = chance.uniform(0.2, 0.8) * ratio, chance.uniform(0.18, 0.42)
    distance = np.hypot(x - place[0], y - place[1])
    glow = np.exp(-((distance / 0.28) ** 2)) * 0.55
    disc = np.clip((chance.uniform(0.045, 0.075) - distance) * 200, 0, 1)
    return _between(picture, sun, np.maximum(glow, disc)[..., None])


def _ridge(chance: Generator, width: int) -> Picture:
    """A line of hills from -1 to 1: waves upon waves, each half as high and twice as fine."""
    x = np.linspace(0, 1, width)
    waves = [np.sin(x * chance.uniform(2, 5) * 2**octave + chance.uniform(0, 6.3)) / 1.9**octave for octave in range(7)]
    return np.asarray(np.sum(waves, axis=0) / 2)


def _over_water(picture: Picture, sky: Picture, chance: Generator) -> Picture:
    """The lower third mirrors what is above it, darker and rippled."""
    height = len(picture)
    shore = int(height * 0.72)
    rows = np.arange(shore, height)
    mirrored = np.clip(2 * shore - rows + (chance.normal(0, 2.2, len(rows))).astype(int), 0, shore - 1)
    picture = picture.copy()
    picture[shore:] = _between(picture[mirrored], sky, 0.35) * 0.86
    return picture
