"""Which kinds of file can be veiled, and how."""

from collections.abc import Callable, Iterator
from typing import Final

from sparks.media import kinds
from sparks.media.kinds import Kind
from sparks.media.veil.chunks import png_patches, webp_patches
from sparks.media.veil.films import film_patches
from sparks.media.veil.heif import heif_patches
from sparks.media.veil.jpeg import jpeg_patches
from sparks.media.veil.patches import Patch, Read, Veil, windowed

_VEILS: Final[dict[Kind, Callable[[Read, int], Iterator[Patch] | None]]] = {
    kinds.JPEG: jpeg_patches,
    kinds.PNG: png_patches,
    kinds.WEBP: webp_patches,
    **dict.fromkeys((kinds.HEIC, kinds.HEIF, kinds.AVIF), heif_patches),
    **dict.fromkeys((kinds.MP4, kinds.MOV, kinds.THREE_GP), film_patches),
}


def has_veil(kind: Kind) -> bool:
    """Whether files of this kind can be veiled, if there is nothing odd about them."""
    return kind in _VEILS


def veil_of(read: Read, size: int, kind: Kind | None) -> Veil | None:
    """What is to stand over the bytes of a file before a stranger is given it. None where nobody can tell: then they
    are given something else, that Sparks has made itself.
    """
    patches = None if kind is None else _VEILS.get(kind)
    found = None if patches is None else patches(windowed(read), size)
    return None if found is None else Veil(found)
