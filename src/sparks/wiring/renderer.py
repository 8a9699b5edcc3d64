"""Sandboxed renderer with the sizes and limits of the settings."""

import logging

from sparks.media.decode_limits import DecodeLimits
from sparks.media.rendition_sizes import SIZES
from sparks.media.sandboxed_renderer import SandboxedRenderer, has_landlock
from sparks.settings import Settings

log = logging.getLogger(__name__)


def open_renderer(settings: Settings) -> SandboxedRenderer:
    """Logs a warning where this kernel cannot sandbox the decoders fully."""
    if not has_landlock():
        log.warning("this kernel has no Landlock (Linux 5.13 or later): the sandbox of decoders works without it")
    return SandboxedRenderer({**SIZES, **settings.extra_sizes}, decode_limits(settings))


def decode_limits(settings: Settings) -> DecodeLimits:
    return DecodeLimits(pixels=settings.max_pixels, seconds=settings.max_duration)
