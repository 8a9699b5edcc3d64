"""Renditions that the source has made already: taken over where they decode and have a usual size.

Renditions are shown as they are, so one that holds metadata, perhaps a place, is refused. Those that are missing or
refused are made by the pipeline, as for any photo.
"""

import logging
from collections.abc import Mapping
from typing import Final

from sparks.blobs.local_file import local_file
from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.media.file_types import WEBP
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.media.sniff import HEAD_BYTES
from sparks.migrate.objects import Objects, kind_of
from sparks.model.errors import Damaged, TooLarge, UnsupportedType

MAX_BYTES: Final = 32 * 1024 * 1024
CHECKED_SIZE: Final = {"check": 16}  # decoding is what counts
FACTOR: Final = 2  # at most so many times smaller or larger than ours

log = logging.getLogger(__name__)


def take_over_renditions(
    image_id: str, keys: Mapping[str, str], *, objects: Objects, blobs: Blobs, renderer: SandboxedRenderer
) -> dict[str, int]:
    """The names of those that were stored, each with its bytes."""
    taken: dict[str, int] = {}
    for name, source_key in keys.items():
        content = objects.read(source_key, most=MAX_BYTES) if name in renderer.sizes else None
        if content is None or kind_of(content[:HEAD_BYTES], len(content)) is not WEBP or has_metadata(content):
            continue
        key = blob_keys.rendition(image_id, name)
        blobs.put(key, [content], size=len(content), content_type=WEBP.mime)
        if _is_usable(key, renderer.sizes[name], blobs, renderer):
            taken[name] = len(content)
        else:
            blobs.delete(key)
    return taken


def has_metadata(webp: bytes) -> bool:
    """Whether the file has a chunk of EXIF or XMP, or its chunks cannot be followed."""
    at = 12  # behind RIFF, its size and WEBP
    while at + 8 <= len(webp):
        if webp[at : at + 4] in (b"EXIF", b"XMP "):
            return True
        size = int.from_bytes(webp[at + 4 : at + 8], "little")
        at += 8 + size + size % 2
    return at != len(webp)


def _is_usable(key: str, side: int, blobs: Blobs, renderer: SandboxedRenderer) -> bool:
    try:
        with local_file(key, blobs=blobs) as file:
            found = renderer.render(file, WEBP, CHECKED_SIZE)
    except (Damaged, TooLarge, UnsupportedType) as error:
        log.info("a rendition of the source is not taken over: %s", error)
        return False
    return side / FACTOR <= max(found.width, found.height) <= side * FACTOR and not found.animated
