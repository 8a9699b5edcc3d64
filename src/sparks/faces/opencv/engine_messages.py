"""Messages between the OpenCV engine and its child, and the engine's constants, importable without OpenCV.

NAME changes whenever boxes, alignment or weights change.
"""

from typing import Annotated, Final

import msgspec

from sparks.faces.port import Thresholds
from sparks.media.decode_limits import DecodeLimits

NAME: Final = "yunet-sface-1"
DIMENSIONS: Final = 128
THRESHOLDS: Final = Thresholds(candidate=0.42, strong=0.49, founding=0.4)
"""Measured on pairs of faces. Of two persons, one pair in 10,000 reaches `candidate`, and one in some 100,000 reaches
`strong`; of one person, 99 % and 95 % do. For `founding` see `quality.py`."""


Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
BoxSides = tuple[float, float, float, float]  # left, top, width, height, as shares of the picture


class FindFacesRequest(msgspec.Struct, frozen=True, tag=True):
    """Find the faces of a picture."""


class AnalyzeBoxRequest(msgspec.Struct, frozen=True, tag=True):
    """Analyze one face of a picture."""

    box: BoxSides


class AnalyzeVideoRequest(msgspec.Struct, frozen=True, tag=True):
    """Find the faces of a video."""

    kind: str
    limits: DecodeLimits


class FaceReply(msgspec.Struct, frozen=True, kw_only=True):
    """One face. Its crop is the blob with the same index in the result."""

    box: BoxSides
    score: Share
    quality: Share
    embedding: Annotated[bytes, msgspec.Meta(min_length=2 * DIMENSIONS, max_length=2 * DIMENSIONS)]
