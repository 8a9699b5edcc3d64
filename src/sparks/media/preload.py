"""Preloads decoders before a fork, without using them.

A child that is forked afterwards has all libraries in memory and needs no files. No decoder is used, because libvips
does not survive a fork once it was used.
"""

import ctypes
import importlib
import platform
from typing import Final

MODULES: Final = (
    "sparks.media.sniff",
    "sparks.media.metadata.read_metadata",
    "sparks.media.motion_photo.find_video",
    "sparks.media.motion_photo.embedded_video",
    "sparks.media.renditions",
    "sparks.media.video.probe",
    "sparks.media.video.poster",
    "sparks.media.video.transcode",
    # Modules that the libraries import only at their first use:
    "PIL.ImageOps",
    "PIL.TiffImagePlugin",
    "av.subtitles.stream",
    "multiprocessing",
    "encodings.ascii",
    "encodings.cp1252",
    "encodings.latin_1",
    "encodings.utf_16_le",
)
MALLOC_ARENAS: Final = 2  # by default each thread keeps its own, also after its end: 330 MB instead of 214

_M_ARENA_MAX: Final = -8  # of glibc's mallopt


def preload() -> None:
    """Imports all decoders. It may be called again, and the process may fork afterwards."""
    for module in MODULES:
        importlib.import_module(module)
    importlib.import_module("PIL.Image").preinit()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MALLOC_ARENAS)
