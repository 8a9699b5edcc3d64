"""Limits on pixels, memory and duration, checked from a file's header before it is decoded."""

from dataclasses import dataclass
from typing import Final

from sparks.media.file_types import FileType
from sparks.model.errors import Damaged


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeLimits:
    """`memory` is the bytes that decoding may use; how many pixels these allow depends on the file type.

    An animation with more than `frames` frames or `animated_pixels` pixels in all is reduced to its first frame.
    """

    pixels: int = 2**28  # 268 megapixels; phones have up to 200
    memory: int = 1280 * 1024 * 1024
    frames: int = 600
    animated_pixels: int = 100_000_000
    seconds: float = 4 * 3600.0  # of a video


DEFAULT_LIMITS: Final = DecodeLimits()


def check_pixels(width: int, height: int, kind: FileType, *, limits: DecodeLimits, bytes_per_pixel: float) -> None:
    """Damaged where the picture has no pixels, or more than the limits allow."""
    max_pixels = min(limits.pixels, int(limits.memory / bytes_per_pixel))
    if width < 1 or height < 1:
        raise Damaged(f"This {kind.label} says that it has no pixels.")
    if width * height > max_pixels:
        raise Damaged(
            f"This {kind.label} has {width} x {height} pixels ({width * height // 10**6:,} megapixels); "
            f"at most {max_pixels // 10**6:,} megapixels can be shown."
        )
