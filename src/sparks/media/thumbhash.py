"""ThumbHash: placeholder of a picture in about 25 bytes.

The format is Evan Wallace's: the mean color, then the coefficients of the lowest frequencies of lightness, of two color
differences and, where it is needed, of opacity, each in four bits.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_SIDE: Final = 100  # pixels; a larger picture gives the same hash
EPSILON: Final = 1e-9

Floats = NDArray[np.float64]


class HashChannel(NamedTuple):
    mean: float
    waves: list[float]  # from 0 to 1
    largest: float  # by which the waves were divided


def thumbhash(pixels: NDArray[np.uint8]) -> bytes:
    """The hash of rows of red, green, blue and opacity."""
    height, width = pixels.shape[:2]
    colors, opacity = pixels[:, :, :3] / 255, pixels[:, :, 3] / 255
    has_alpha = bool((opacity < 1).any())
    max_waves = 5 if has_alpha else 7
    across, down = (max(1, _round(max_waves * side / max(width, height))) for side in (width, height))
    light, yellow, red = _differences(colors, opacity)
    channels = [_channel(light, max(3, across), max(3, down)), _channel(yellow, 3, 3), _channel(red, 3, 3)]
    if has_alpha:
        channels.append(_channel(opacity, 5, 5))
    return _pack(channels, wide=width > height, short=down if width > height else across)


def _differences(colors: Floats, opacity: Floats) -> tuple[Floats, Floats, Floats]:
    """Lightness, yellow against blue, and red against green; transparent pixels get the mean color."""
    total_opacity = opacity.sum()
    weighted = colors * opacity[:, :, np.newaxis]
    mean = weighted.sum(axis=(0, 1)) / total_opacity if total_opacity else np.zeros(3)
    red, green, blue = np.moveaxis(weighted + mean * (1 - opacity[:, :, np.newaxis]), 2, 0)
    return (red + green + blue) / 3, (red + green) / 2 - blue, red - green


def _channel(values: Floats, across: int, down: int) -> HashChannel:
    """The cosine coefficients of a triangle of frequencies, the lowest first."""
    height, width = values.shape
    waves = _cosines(down, height) @ values @ _cosines(across, width).T / (width * height)
    coefficients = [float(waves[y, x]) for y in range(down) for x in range(across) if x * down < across * (down - y)]
    largest = max(map(abs, coefficients[1:]))
    if largest < EPSILON:
        return HashChannel(coefficients[0], [0.0] * (len(coefficients) - 1), 0.0)
    return HashChannel(coefficients[0], [0.5 + 0.5 * wave / largest for wave in coefficients[1:]], largest)


def _cosines(count: int, length: int) -> Floats:
    return np.cos(np.pi / length * np.outer(np.arange(count), np.arange(length) + 0.5))


def _pack(channels: list[HashChannel], *, wide: bool, short: int) -> bytes:
    light, yellow, red, *opacity = channels
    color = _round(63 * light.mean) | _round(31.5 + 31.5 * yellow.mean) << 6 | _round(31.5 + 31.5 * red.mean) << 12
    color |= _round(31 * light.largest) << 18 | bool(opacity) << 23
    scales = short | _round(63 * yellow.largest) << 3 | _round(63 * red.largest) << 9 | wide << 15
    alpha = bytes(_round(15 * channel.mean) | _round(15 * channel.largest) << 4 for channel in opacity)
    nibbles = [_round(15 * wave) for channel in channels for wave in channel.waves]
    pairs = zip(nibbles[::2], [*nibbles[1::2], 0], strict=False)
    return (
        color.to_bytes(3, "little")
        + scales.to_bytes(2, "little")
        + alpha
        + bytes(low | high << 4 for low, high in pairs)
    )


def _round(number: float) -> int:
    """Rounds a half up, as the format requires."""
    return math.floor(number + 0.5)
