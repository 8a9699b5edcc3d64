"""Pictures with more light or more colour than sRGB has, told by numbers instead of a profile (ITU-T H.273).

Values become light, the primaries become sRGB's, and light beyond white is pressed softly into what is left below it.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.media.pictures.vips import Image

PQ, HLG = 16, 18
LINEAR: Final = 8
DISPLAY_P3, DCI_P3, BT2020 = 12, 11, 9
WHITE: Final = 203.0  # candelas of a white wall in a bright picture
BRIGHTEST: Final = 8.0  # times white; whatever is beyond is equal
KNEE: Final = 0.7  # up to here nothing changes
STEPS: Final = 65535

_TO_SRGB: Final = {
    DISPLAY_P3: [[1.2249, -0.2247, 0.0], [-0.0420, 1.0419, 0.0], [-0.0197, -0.0786, 1.0979]],
    BT2020: [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]],
}
_TO_SRGB[DCI_P3] = _TO_SRGB[DISPLAY_P3]
_SAME: Final = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]

Floats = NDArray[np.float64]


def is_wide(nclx: tuple[int, int]) -> bool:
    primaries, transfer = nclx
    return primaries in _TO_SRGB or transfer in (PQ, HLG, LINEAR)


def to_srgb_light(image: Image, nclx: tuple[int, int]) -> Image:
    """Of eight bits, with or without transparency."""
    primaries, transfer = nclx
    if image.bands < 3:
        return image
    colours, rest = image.extract_band(0, n=3), image.extract_band(3, n=image.bands - 3) if image.bands > 3 else None
    light = colours.maplut(_light_table(transfer)).recomb(Image.new_from_list(_TO_SRGB.get(primaries, _SAME)))
    stepped = (light * (STEPS / BRIGHTEST)).cast("ushort")
    shown = stepped.maplut(_value_table()).copy(interpretation="srgb")
    return shown if rest is None else shown.bandjoin(rest)


@cache
def _light_table(transfer: int) -> Image:
    light = light_of(np.arange(256) / 255, transfer)
    return Image.new_from_array(light[np.newaxis, :].astype(np.float32))


@cache
def _value_table() -> Image:
    values = value_of(np.arange(STEPS + 1) / STEPS * BRIGHTEST)
    return Image.new_from_array(np.round(values[np.newaxis, :] * 255).astype(np.uint8))


def light_of(values: Floats, transfer: int) -> Floats:
    """How much light each value from 0 to 1 means; 1 is white."""
    return _CURVES.get(transfer, _srgb)(values)


def value_of(light: Floats) -> Floats:
    """The value of sRGB that shows it: straight up to the knee, and softly bent above it."""
    above = KNEE + (1 - KNEE) * (1 - np.exp(-(light - KNEE) / (1 - KNEE)))
    pressed = np.where(light <= KNEE, light, above)
    return np.where(pressed <= 0.0031308, 12.92 * pressed, 1.055 * pressed ** (1 / 2.4) - 0.055)


def _srgb(values: Floats) -> Floats:
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def _pq(values: Floats) -> Floats:
    """SMPTE ST 2084: absolute light, up to 10,000 candelas."""
    power = values ** (1 / 78.84375)
    return (np.maximum(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125) * 10_000 / WHITE


def _hlg(values: Floats) -> Floats:
    """ARIB STD-B67 on a screen of 1,000 candelas, its bend applied to each colour by itself."""
    scene = np.where(values <= 0.5, values**2 / 3, (np.exp((values - 0.55991073) / 0.17883277) + 0.28466892) / 12)
    return scene**1.2 * 1000 / WHITE


def _linear(values: Floats) -> Floats:
    return values


_CURVES: Final[dict[int, Callable[[Floats], Floats]]] = {PQ: _pq, HLG: _hlg, LINEAR: _linear}
