"""Color conversion to sRGB from ICC profiles, wide gamut and HDR.

Only a picture that declares another color space is converted, and only after it was shrunk, because conversion is the
most expensive step. Values are converted to linear light, the primaries to those of sRGB, and light above white is
compressed softly into the range below it.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.media.decode.vips import BLOB, Image, VipsError

PQ, HLG = 16, 18
LINEAR: Final = 8
DISPLAY_P3, DCI_P3, BT2020 = 12, 11, 9
WHITE: Final = 203.0  # candelas of diffuse white in an HDR picture
MAX_LIGHT: Final = 8.0  # times white; brighter light is clipped
KNEE: Final = 0.7  # light up to here is not compressed
STEPS: Final = 65535

_TO_SRGB: Final = {
    DISPLAY_P3: [[1.2249, -0.2247, 0.0], [-0.0420, 1.0419, 0.0], [-0.0197, -0.0786, 1.0979]],
    BT2020: [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]],
}
_TO_SRGB[DCI_P3] = _TO_SRGB[DISPLAY_P3]
_IDENTITY: Final = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]

Floats = NDArray[np.float64]
CURVE_POINTS: Final = (0.1, 0.5, 0.8)
COLOR_TOLERANCE: Final = 0.004
CURVE_TOLERANCE: Final = 0.006
SRGB_PRIMARIES: Final = {
    b"rXYZ": (0.4361, 0.2225, 0.0139),
    b"gXYZ": (0.3851, 0.7169, 0.0971),
    b"bXYZ": (0.1431, 0.0606, 0.7141),
}  # under D50, as in all profiles
MAX_TAGS: Final = 100
_SPACES: Final = {"srgb": "RGB", "rgb16": "RGB", "b-w": "GRAY", "grey16": "GRAY", "cmyk": "CMYK"}
_REAL: Final = ("float", "double", "complex", "dpcomplex")


def is_wide(nclx: tuple[int, int]) -> bool:
    primaries, transfer = nclx
    return primaries in _TO_SRGB or transfer in (PQ, HLG, LINEAR)


def to_srgb_light(image: Image, nclx: tuple[int, int]) -> Image:
    """Converts an image of eight bits, with or without transparency, by its primaries and transfer."""
    primaries, transfer = nclx
    if image.bands < 3:
        return image
    colors, rest = image.extract_band(0, n=3), image.extract_band(3, n=image.bands - 3) if image.bands > 3 else None
    light = colors.maplut(_light_table(transfer)).recomb(Image.new_from_list(_TO_SRGB.get(primaries, _IDENTITY)))
    stepped = (light * (STEPS / MAX_LIGHT)).cast("ushort")
    shown = stepped.maplut(_value_table()).copy(interpretation="srgb")
    return shown if rest is None else shown.bandjoin(rest)


@cache
def _light_table(transfer: int) -> Image:
    light = light_of(np.arange(256) / 255, transfer)
    return Image.new_from_array(light[np.newaxis, :].astype(np.float32))


@cache
def _value_table() -> Image:
    values = value_of(np.arange(STEPS + 1) / STEPS * MAX_LIGHT)
    return Image.new_from_array(np.round(values[np.newaxis, :] * 255).astype(np.uint8))


def light_of(values: Floats, transfer: int) -> Floats:
    """The linear light of each value from 0 to 1; light of 1 is white."""
    return _CURVES.get(transfer, _srgb)(values)


def value_of(light: Floats) -> Floats:
    """The sRGB value of each light: exact up to the knee, compressed above it."""
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
    """ARIB STD-B67 on a screen of 1,000 candelas, its gamma applied to each color separately."""
    scene = np.where(values <= 0.5, values**2 / 3, (np.exp((values - 0.55991073) / 0.17883277) + 0.28466892) / 12)
    return scene**1.2 * 1000 / WHITE


def _linear(values: Floats) -> Floats:
    return values


_CURVES: Final[dict[int, Callable[[Floats], Floats]]] = {PQ: _pq, HLG: _hlg, LINEAR: _linear}


def space_of(profile: bytes) -> str:
    """The color space of an ICC profile: `RGB`, `GRAY`, `CMYK`, ..; empty where this is no profile."""
    return profile[16:20].decode("ascii", "replace").strip() if profile[36:40] == b"acsp" else ""


def is_srgb(profile: bytes) -> bool:
    tags = _tags(profile)
    return (
        space_of(profile) == "RGB"
        and all(
            _is_close(_xyz(tags.get(name, b"")), expected, COLOR_TOLERANCE) for name, expected in SRGB_PRIMARIES.items()
        )
        and all(_is_srgb_curve(tags.get(name, b"")) for name in (b"rTRC", b"gTRC", b"bTRC"))
    )


def _tags(profile: bytes) -> dict[bytes, bytes]:
    count = min(int.from_bytes(profile[128:132], "big"), MAX_TAGS)
    tags = {}
    for at in range(132, 132 + 12 * count, 12):
        offset, size = (int.from_bytes(profile[at + part : at + part + 4], "big") for part in (4, 8))
        tags[profile[at : at + 4]] = profile[offset : offset + size]
    return tags


def _xyz(tag: bytes) -> tuple[float, ...]:
    return tuple(_fixed(tag, at) for at in (8, 12, 16))


def _fixed(tag: bytes, at: int) -> float:
    """A fixed-point number with sixteen fractional bits."""
    return int.from_bytes(tag[at : at + 4], "big", signed=True) / 65536


def _is_srgb_curve(tag: bytes) -> bool:
    curve = [_curve_at(tag, point) for point in CURVE_POINTS]
    return _is_close(curve, [((point + 0.055) / 1.055) ** 2.4 for point in CURVE_POINTS], CURVE_TOLERANCE)


def _curve_at(tag: bytes, value: float) -> float:
    """The light of a value by a curve of an ICC profile: a power, a table, or a line that becomes a power."""
    if tag[:4] == b"para":
        gamma, a, b = _fixed(tag, 12), _fixed(tag, 16), _fixed(tag, 20)
        return float(value**gamma) if tag[8:10] == b"\x00\x00" else float(max(a * value + b, 0.0) ** gamma)
    count = int.from_bytes(tag[8:12], "big")
    if tag[:4] != b"curv" or count == 0:
        return value
    if count == 1:
        return float(value ** (int.from_bytes(tag[12:14], "big") / 256))
    step, part = divmod(value * (count - 1), 1)
    below, above = (int.from_bytes(tag[at : at + 2], "big") / 65535 for at in (12 + 2 * int(step), 14 + 2 * int(step)))
    return below + part * (above - below)


def _is_close(found: "list[float] | tuple[float, ...]", expected: "list[float] | tuple[float, ...]", by: float) -> bool:
    return all(abs(one - other) <= by for one, other in zip(found, expected, strict=True))


def to_srgb(image: Image, *, profile: bytes | None, nclx: tuple[int, int] | None) -> Image:
    if profile is not None and _SPACES.get(image.interpretation) == space_of(profile) and not is_srgb(profile):
        converted = _by_profile(image, profile)
        if converted is not None:
            return converted
    if profile is None and nclx is not None and is_wide(nclx):
        return to_srgb_light(image, nclx)
    return _without_profile(image)


def _by_profile(image: Image, profile: bytes) -> Image | None:
    """None where the profile is broken; the picture is then shown as if it had none."""
    tagged = image.copy()
    tagged.set_type(BLOB, "icc-profile-data", profile)
    try:
        return tagged.icc_transform("srgb", embedded=True, depth=8)
    except VipsError:
        return None


def _without_profile(image: Image) -> Image:
    if image.interpretation in ("multiband", "histogram", "matrix", "fourier"):
        image = image.extract_band(0, n=3 if image.bands >= 3 else 1)
        image = image.copy(interpretation="srgb" if image.bands == 3 else "b-w")
    if image.format in _REAL and image.interpretation in ("srgb", "b-w"):
        image = image.scaleimage()  # values of any range: the smallest becomes black, the largest white
    if image.interpretation not in ("srgb", "b-w"):
        image = image.colourspace("srgb")
    return image if image.format == "uchar" else image.cast("uchar")
