"""Opens a picture: the right decoder for its kind."""

from typing import Final, Protocol

from sparks.media import kinds
from sparks.media.caps import Caps
from sparks.media.containers.blocks import Blocks
from sparks.media.containers.find import find_blocks
from sparks.media.kinds import Kind
from sparks.media.pictures.heif import decode_heif
from sparks.media.pictures.jpeg import decode_jpeg
from sparks.media.pictures.picture import Picture
from sparks.media.pictures.pillow import decode_with_pillow
from sparks.media.pictures.plain import decode_plain
from sparks.media.pictures.raw import decode_raw
from sparks.media.reasons import no_decoder


class Decoder(Protocol):
    """`wanted` is the longest side that is needed; the frames may be smaller than the original, not than this.

    Raises Damaged, and nothing else.
    """

    def __call__(self, content: memoryview, kind: Kind, blocks: Blocks, *, wanted: int, caps: Caps) -> Picture: ...


def open_picture(content: bytes | memoryview, kind: Kind, *, wanted: int, caps: Caps) -> Picture:
    """Damaged where it is broken, cut off, or larger than the caps."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise no_decoder(kind)
    return decoder(memoryview(content), kind, find_blocks(content, kind), wanted=wanted, caps=caps)


_DECODERS: Final[dict[Kind, Decoder]] = {
    kinds.JPEG: decode_jpeg,
    kinds.BMP: decode_with_pillow,
    kinds.AVIF: decode_with_pillow,
    kinds.HEIC: decode_heif,
    kinds.HEIF: decode_heif,
    **dict.fromkeys((kinds.PNG, kinds.WEBP, kinds.GIF, kinds.TIFF, kinds.JXL), decode_plain),
    **dict.fromkeys(kinds.RAW, decode_raw),
}
