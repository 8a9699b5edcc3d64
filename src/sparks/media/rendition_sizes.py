"""Sizes, format and quality of renditions, importable without decoders."""

from collections.abc import Mapping
from typing import Final

from sparks.model.photo import Rendition

FORMAT: Final = "webp"
QUALITY: Final = 80
SIZES: Final[Mapping[str, int]] = {Rendition.LARGE: 2048, Rendition.MEDIUM: 720, Rendition.THUMB: 256}
