"""What is said between the studio and its jailed child. Free of decoders, which only the child loads."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from sparks.media.caps import Caps
from sparks.media.metadata.read import Metadata


class Show(msgspec.Struct, frozen=True, tag=True):
    """Comes with the file; the answer's blobs are WebP files, in the order of `sizes`."""

    kind: str
    caps: Caps
    sizes: Mapping[str, int]


class MakeFilm(msgspec.Struct, frozen=True, tag=True):
    """Comes with the file and one for the film: of a video that is not playable, else nothing is written; of a picture,
    of the film behind it.
    """

    kind: str
    caps: Caps


class CutSquare(msgspec.Struct, frozen=True, tag=True):
    """Comes with a picture; the answer's blob is a JPEG of at most `side` pixels. See `squares`."""

    kind: str
    caps: Caps
    side: int
    around: tuple[float, float, float, float] | None


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """`width` and `height` are those of the original, upright. The duration is that of a video, or of the film behind a
    picture. A video is playable where any browser plays it and a veil can be laid over it; a picture always is.
    """

    width: Annotated[int, msgspec.Meta(ge=1)]
    height: Annotated[int, msgspec.Meta(ge=1)]
    metadata: Metadata
    thumbhash: Annotated[bytes, msgspec.Meta(max_length=64)] = b""
    duration: Annotated[float, msgspec.Meta(ge=0)] | None = None
    animated: bool = False
    playable: bool = True
