"""PNG, WebP, GIF, TIFF and JPEG XL decoder, by libvips."""

from typing import Any, Final

from sparks.media import file_types
from sparks.media.containers.blocks import MetadataBlocks, matches
from sparks.media.decode.picture import Picture, upright_size
from sparks.media.decode.vips import Image, VipsError, has_loader, load
from sparks.media.decode_errors import no_decoder, unreadable
from sparks.media.decode_limits import DecodeLimits, check_pixels
from sparks.media.file_types import FileType

LOADERS: Final = {
    file_types.PNG: "pngload",
    file_types.WEBP: "webpload",
    file_types.GIF: "gifload",
    file_types.TIFF: "tiffload",
    file_types.JXL: "jxlload",
}
OPTIONS: Final[dict[FileType, dict[str, Any]]] = {
    file_types.TIFF: {"unlimited": True}
}  # the limits of Sparks are lower
BYTES_PER_PIXEL: Final = {
    file_types.PNG: 3,
    file_types.WEBP: 9,
    file_types.GIF: 6,
    file_types.TIFF: 8,
    file_types.JXL: 16,
}
BYTES_IF_INTERLACED: Final = 8  # of a PNG, which then cannot be read row by row
ANIMATED: Final = frozenset({file_types.GIF, file_types.WEBP})

_COLORS: Final = {"b-w": 1, "grey16": 1, "cmyk": 4}
_PNG_INTERLACE: Final = 28  # offset of the flag in the file


def decode_with_libvips(
    content: memoryview,
    kind: FileType,
    blocks: MetadataBlocks,
    *,
    target_side: int,  # noqa: ARG001
    limits: DecodeLimits,
) -> Picture:
    if not has_loader(LOADERS[kind]):
        raise no_decoder(kind)
    try:
        return _decode(content, kind, blocks, limits=limits)
    except VipsError as error:
        raise unreadable(kind, error) from error


def _decode(content: memoryview, kind: FileType, blocks: MetadataBlocks, *, limits: DecodeLimits) -> Picture:
    loader, options = LOADERS[kind], {"access": "sequential", **OPTIONS.get(kind, {})}
    first = load(loader, content, **options)
    interlaced = kind is file_types.PNG and matches(content, b"\x01", _PNG_INTERLACE)
    cost = BYTES_IF_INTERLACED if interlaced else BYTES_PER_PIXEL[kind]
    check_pixels(first.width, first.height, kind, limits=limits, bytes_per_pixel=cost)
    width, height = upright_size(first.width, first.height, blocks.orientation)
    count = _number(first, "n-pages", 1) if kind in ANIMATED else 1
    if count == 1 or count > limits.frames or count * first.width * first.height > limits.animated_pixels:
        return Picture(
            frames=(_without_extras(first),),
            width=width,
            height=height,
            orientation=blocks.orientation,
            profile=blocks.profile,
        )
    strip = load(loader, content, n=-1, **options).copy_memory()
    return Picture(
        frames=tuple(strip.crop(0, at * first.height, first.width, first.height) for at in range(count)),
        width=width,
        height=height,
        orientation=blocks.orientation,
        profile=blocks.profile,
        delays=_delays(strip, count),
        loop=_number(strip, "loop", 0),
    )


def _without_extras(image: Image) -> Image:
    """The image with colors and opacity only: a TIFF may have dozens of further channels."""
    colors = _COLORS.get(image.interpretation, 3)
    return image if image.bands <= colors + 1 else image.extract_band(0, n=colors)


def _number(image: Image, name: str, absent: int) -> int:
    return int(image.get(name)) if image.get_typeof(name) else absent


def _delays(strip: Image, count: int) -> tuple[int, ...]:
    delays = list(strip.get("delay")) if strip.get_typeof("delay") else []
    return tuple((delays + [100] * count)[:count])
