"""PNG, WebP, GIF, TIFF and, where it is built in, JPEG XL: decoded by libvips, animations frame by frame."""

from typing import Any, Final

from sparks.media import kinds
from sparks.media.caps import Caps, check_pixels
from sparks.media.containers.blocks import Blocks
from sparks.media.containers.view import matches
from sparks.media.kinds import Kind
from sparks.media.pictures.picture import Picture, upright_size
from sparks.media.pictures.vips import Image, VipsError, has_loader, load
from sparks.media.reasons import no_decoder, unreadable

LOADERS: Final = {
    kinds.PNG: "pngload",
    kinds.WEBP: "webpload",
    kinds.GIF: "gifload",
    kinds.TIFF: "tiffload",
    kinds.JXL: "jxlload",
}
OPTIONS: Final[dict[Kind, dict[str, Any]]] = {kinds.TIFF: {"unlimited": True}}  # the caps are ours, and lower
BYTES_PER_PIXEL: Final = {kinds.PNG: 3, kinds.WEBP: 9, kinds.GIF: 6, kinds.TIFF: 8, kinds.JXL: 16}
INTERLACED: Final = 8  # bytes a pixel of a PNG that cannot be read row by row
ANIMATED: Final = frozenset({kinds.GIF, kinds.WEBP})

_COLOURS: Final = {"b-w": 1, "grey16": 1, "cmyk": 4}
_PNG_INTERLACE: Final = 28  # where the header says so


def decode_plain(content: memoryview, kind: Kind, blocks: Blocks, *, wanted: int, caps: Caps) -> Picture:  # noqa: ARG001
    if not has_loader(LOADERS[kind]):
        raise no_decoder(kind)
    try:
        return _decode(content, kind, blocks, caps=caps)
    except VipsError as error:
        raise unreadable(kind, error) from error


def _decode(content: memoryview, kind: Kind, blocks: Blocks, *, caps: Caps) -> Picture:
    loader, options = LOADERS[kind], {"access": "sequential", **OPTIONS.get(kind, {})}
    first = load(loader, content, **options)
    interlaced = kind is kinds.PNG and matches(content, b"\x01", _PNG_INTERLACE)
    cost = INTERLACED if interlaced else BYTES_PER_PIXEL[kind]
    check_pixels(first.width, first.height, kind, caps=caps, bytes_per_pixel=cost)
    width, height = upright_size(first.width, first.height, blocks.orientation)
    count = _number(first, "n-pages", 1) if kind in ANIMATED else 1
    if count == 1 or count > caps.frames or count * first.width * first.height > caps.animated_pixels:
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
    """Colours and opacity alone: a TIFF may have dozens of further channels."""
    colours = _COLOURS.get(image.interpretation, 3)
    return image if image.bands <= colours + 1 else image.extract_band(0, n=colours)


def _number(image: Image, name: str, absent: int) -> int:
    return int(image.get(name)) if image.get_typeof(name) else absent


def _delays(strip: Image, count: int) -> tuple[int, ...]:
    told = list(strip.get("delay")) if strip.get_typeof("delay") else []
    return tuple((told + [100] * count)[:count])
