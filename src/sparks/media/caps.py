"""How much a picture or a video may ask for. Checked from its header, before anything is decoded."""

from dataclasses import dataclass
from typing import Final

from sparks.media.kinds import Kind
from sparks.model.errors import Damaged


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """`memory` is what decoding may take; how many pixels that is depends on the kind.

    An animation of more frames or more pixels in all than these becomes a still of its first frame.
    """

    pixels: int = 2**28  # 268 megapixels: phones have 200
    memory: int = 1280 * 1024 * 1024
    frames: int = 600
    animated_pixels: int = 100_000_000
    seconds: float = 4 * 3600.0  # of a video


USUAL: Final = Caps()


def check_pixels(width: int, height: int, kind: Kind, *, caps: Caps, bytes_per_pixel: float) -> None:
    """Damaged where the picture is too large to be decoded here."""
    most = min(caps.pixels, int(caps.memory / bytes_per_pixel))
    if width < 1 or height < 1:
        raise Damaged(f"This {kind.label} says that it has no pixels.")
    if width * height > most:
        raise Damaged(
            f"This {kind.label} has {width} x {height} pixels ({width * height // 10**6:,} megapixels); "
            f"at most {most // 10**6:,} megapixels can be shown."
        )
