"""What is said between the booth and its jailed child. Free of OpenCV, which only the child loads."""

from typing import Annotated

import msgspec

from sparks.faces.opencv.engine import DIMENSIONS
from sparks.media.caps import Caps

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Four = tuple[float, float, float, float]  # left, top, width, height, as shares of the picture


class FindFaces(msgspec.Struct, frozen=True, tag=True):
    """Comes with a picture."""


class LookAt(msgspec.Struct, frozen=True, tag=True):
    """Comes with a picture, and is about one face in it."""

    box: Four


class Watch(msgspec.Struct, frozen=True, tag=True):
    """Comes with a film."""

    kind: str
    caps: Caps


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One face. Its crop is a blob of the answer, in the same place."""

    box: Four
    score: Share
    quality: Share
    embedding: Annotated[bytes, msgspec.Meta(min_length=2 * DIMENSIONS, max_length=2 * DIMENSIONS)]
