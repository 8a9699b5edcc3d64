"""Colours: everything becomes sRGB in eight bits, or grey, with or without transparency.

Only a picture that says it is not sRGB already is converted, and only after it was made small: it is the dearest step.
"""

from typing import Final

from sparks.media.pictures.light import is_wide, to_srgb_light
from sparks.media.pictures.profile import is_srgb, space_of
from sparks.media.pictures.vips import BLOB, Image, VipsError

_SPACES: Final = {"srgb": "RGB", "rgb16": "RGB", "b-w": "GRAY", "grey16": "GRAY", "cmyk": "CMYK"}
_REAL: Final = ("float", "double", "complex", "dpcomplex")


def to_srgb(image: Image, *, profile: bytes | None, nclx: tuple[int, int] | None) -> Image:
    if profile is not None and _SPACES.get(image.interpretation) == space_of(profile) and not is_srgb(profile):
        converted = _by_profile(image, profile)
        if converted is not None:
            return converted
    if profile is None and nclx is not None and is_wide(nclx):
        return to_srgb_light(image, nclx)
    return _plainly(image)


def _by_profile(image: Image, profile: bytes) -> Image | None:
    """None where the profile is broken: the picture then is shown as if it had none."""
    told = image.copy()
    told.set_type(BLOB, "icc-profile-data", profile)
    try:
        return told.icc_transform("srgb", embedded=True, depth=8)
    except VipsError:
        return None


def _plainly(image: Image) -> Image:
    if image.interpretation in ("multiband", "histogram", "matrix", "fourier"):
        image = image.extract_band(0, n=3 if image.bands >= 3 else 1)
        image = image.copy(interpretation="srgb" if image.bands == 3 else "b-w")
    if image.format in _REAL and image.interpretation in ("srgb", "b-w"):
        image = image.scaleimage()  # numbers of any size: the smallest is black, the largest white
    if image.interpretation not in ("srgb", "b-w"):
        image = image.colourspace("srgb")
    return image if image.format == "uchar" else image.cast("uchar")
