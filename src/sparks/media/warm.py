"""Makes a process ready to decode, as far as that is possible before it forks.

Everything is loaded and nothing is used: whoever forks afterwards has the libraries and their tables in memory, so that
the child needs no files; and libvips, which does not survive a fork once it was used, has not been.
"""

import ctypes
import importlib
import platform
from typing import Final

MODULES: Final = (
    "sparks.media.sniff",
    "sparks.media.metadata.read",
    "sparks.media.motion.find",
    "sparks.media.motion.part",
    "sparks.media.renditions",
    "sparks.media.squares",
    "sparks.media.video.clip",
    "sparks.media.video.poster",
    "sparks.media.video.transcode",
    # What the libraries load by themselves, but only at their first use:
    "PIL.ImageOps",
    "PIL.TiffImagePlugin",
    "av.subtitles.stream",
    "multiprocessing",
    "encodings.ascii",
    "encodings.cp1252",
    "encodings.latin_1",
    "encodings.utf_16_le",
)
MALLOC_ARENAS: Final = 2  # each thread that was ever there would keep one: 330 MB instead of 214

_M_ARENA_MAX: Final = -8  # of glibc's mallopt


def warm() -> None:
    """May be called again, and after it a process may still fork."""
    for module in MODULES:
        importlib.import_module(module)
    importlib.import_module("PIL.Image").preinit()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MALLOC_ARENAS)
