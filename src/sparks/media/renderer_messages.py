"""Messages between the sandboxed renderer and its child, importable without decoders."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from sparks.media.decode_limits import DecodeLimits
from sparks.media.metadata.read_metadata import Metadata


class RenderRequest(msgspec.Struct, frozen=True, tag=True):
    """Render the one file of the request; the blobs of the result are WebP files, in the order of `sizes`."""

    kind: str
    limits: DecodeLimits
    sizes: Mapping[str, int]


class TranscodeRequest(msgspec.Struct, frozen=True, tag=True):
    """Transcode a file into a second file: a video that is not playable, or the video of a motion photo.

    For a playable video nothing is written.
    """

    kind: str
    limits: DecodeLimits


class CropRequest(msgspec.Struct, frozen=True, tag=True):
    """Crop a picture; the blob of the result is a JPEG of at most `side` pixels. See `renditions.crop_square`."""

    kind: str
    limits: DecodeLimits
    side: int
    around: tuple[float, float, float, float] | None


class RenderReply(msgspec.Struct, frozen=True, kw_only=True):
    """`width` and `height` are those of the original, upright.

    `duration` is that of a video, or of the video of a motion photo. A video is playable where browsers play it and its
    metadata can be stripped; a picture always is.
    """

    width: Annotated[int, msgspec.Meta(ge=1)]
    height: Annotated[int, msgspec.Meta(ge=1)]
    metadata: Metadata
    thumbhash: Annotated[bytes, msgspec.Meta(max_length=64)] = b""
    duration: Annotated[float, msgspec.Meta(ge=0)] | None = None
    animated: bool = False
    playable: bool = True
