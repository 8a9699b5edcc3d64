"""Opens a picture with the decoder of its file type."""

from typing import Final, Protocol

from sparks.media import file_types
from sparks.media.containers.blocks import MetadataBlocks
from sparks.media.containers.find_blocks import find_blocks
from sparks.media.decode.heif import decode_heif
from sparks.media.decode.jpeg import decode_jpeg
from sparks.media.decode.libvips_formats import decode_with_libvips
from sparks.media.decode.picture import Picture
from sparks.media.decode.pillow import decode_with_pillow
from sparks.media.decode.raw import decode_raw
from sparks.media.decode_errors import no_decoder
from sparks.media.decode_limits import DecodeLimits
from sparks.media.file_types import FileType


class Decoder(Protocol):
    """Decodes a picture whose frames may be smaller than the original, but not smaller than `target_side`.

    It raises Damaged and no other error.
    """

    def __call__(
        self, content: memoryview, kind: FileType, blocks: MetadataBlocks, *, target_side: int, limits: DecodeLimits
    ) -> Picture: ...


def open_picture(content: bytes | memoryview, kind: FileType, *, target_side: int, limits: DecodeLimits) -> Picture:
    """Damaged where the picture is broken, truncated, or larger than the limits."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise no_decoder(kind)
    return decoder(memoryview(content), kind, find_blocks(content, kind), target_side=target_side, limits=limits)


_DECODERS: Final[dict[FileType, Decoder]] = {
    file_types.JPEG: decode_jpeg,
    file_types.BMP: decode_with_pillow,
    file_types.AVIF: decode_with_pillow,
    file_types.HEIC: decode_heif,
    file_types.HEIF: decode_heif,
    **dict.fromkeys(
        (file_types.PNG, file_types.WEBP, file_types.GIF, file_types.TIFF, file_types.JXL), decode_with_libvips
    ),
    **dict.fromkeys(file_types.RAW, decode_raw),
}
