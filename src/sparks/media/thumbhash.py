"""ThumbHash: a picture in about 25 bytes, enough to show its colours and shapes until it is loaded.

The format is Evan Wallace's: the mean colour, then the lowest waves of lightness, of two colour differences and, where
it is needed, of opacity, each in four bits.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

LONGEST: Final = 100  # pixels of a side; more would cost time and change nothing
FLAT: Final = 1e-9

Floats = NDArray[np.float64]


class Channel(NamedTuple):
    mean: float
    waves: list[float]  # from 0 to 1
    largest: float  # by which the waves were divided


def thumbhash(pixels: NDArray[np.uint8]) -> bytes:
    """Of rows of red, green, blue and opacity."""
    height, width = pixels.shape[:2]
    colours, opacity = pixels[:, :, :3] / 255, pixels[:, :, 3] / 255
    clear = bool((opacity < 1).any())
    most = 5 if clear else 7
    across, down = (max(1, _round(most * side / max(width, height))) for side in (width, height))
    light, yellow, red = _differences(colours, opacity)
    channels = [_channel(light, max(3, across), max(3, down)), _channel(yellow, 3, 3), _channel(red, 3, 3)]
    if clear:
        channels.append(_channel(opacity, 5, 5))
    return _pack(channels, wide=width > height, short=down if width > height else across)


def _differences(colours: Floats, opacity: Floats) -> tuple[Floats, Floats, Floats]:
    """Lightness, yellow against blue, red against green; what is clear shows the mean colour."""
    seen = opacity.sum()
    weighted = colours * opacity[:, :, np.newaxis]
    mean = weighted.sum(axis=(0, 1)) / seen if seen else np.zeros(3)
    red, green, blue = np.moveaxis(weighted + mean * (1 - opacity[:, :, np.newaxis]), 2, 0)
    return (red + green + blue) / 3, (red + green) / 2 - blue, red - green


def _channel(values: Floats, across: int, down: int) -> Channel:
    """The waves of a triangle of frequencies, the slow ones first."""
    height, width = values.shape
    waves = _cosines(down, height) @ values @ _cosines(across, width).T / (width * height)
    kept = [float(waves[y, x]) for y in range(down) for x in range(across) if x * down < across * (down - y)]
    largest = max(map(abs, kept[1:]))
    if largest < FLAT:
        return Channel(kept[0], [0.0] * (len(kept) - 1), 0.0)
    return Channel(kept[0], [0.5 + 0.5 * wave / largest for wave in kept[1:]], largest)


def _cosines(count: int, length: int) -> Floats:
    return np.cos(np.pi / length * np.outer(np.arange(count), np.arange(length) + 0.5))


def _pack(channels: list[Channel], *, wide: bool, short: int) -> bytes:
    light, yellow, red, *opacity = channels
    colour = _round(63 * light.mean) | _round(31.5 + 31.5 * yellow.mean) << 6 | _round(31.5 + 31.5 * red.mean) << 12
    colour |= _round(31 * light.largest) << 18 | bool(opacity) << 23
    scales = short | _round(63 * yellow.largest) << 3 | _round(63 * red.largest) << 9 | wide << 15
    clear = bytes(_round(15 * channel.mean) | _round(15 * channel.largest) << 4 for channel in opacity)
    nibbles = [_round(15 * wave) for channel in channels for wave in channel.waves]
    pairs = zip(nibbles[::2], [*nibbles[1::2], 0], strict=False)
    return (
        colour.to_bytes(3, "little")
        + scales.to_bytes(2, "little")
        + clear
        + bytes(low | high << 4 for low, high in pairs)
    )


def _round(number: float) -> int:
    """A half goes up, as the format has it."""
    return math.floor(number + 0.5)
