"""libvips, as Sparks uses it: no cache, and no loaders for files that were never meant to be safe.

[Note: a process that has used libvips must not fork. Importing this module does not use it yet.]
"""

import logging
from typing import Any, Final

import pyvips

LEAST: Final = (8, 18)

if (pyvips.version(0), pyvips.version(1)) < LEAST:
    raise ImportError(
        f"Sparks needs libvips {LEAST[0]}.{LEAST[1]} or newer and found {pyvips.version(0)}.{pyvips.version(1)}, whose "
        "WebP files keep the place where a photo was taken. Install the one that Sparks comes with: "
        "pip install --force-reinstall --no-deps pyvips-binary"
    )

logging.getLogger("pyvips").setLevel(logging.CRITICAL)  # what is wrong with a file is told in our own words
pyvips.cache_set_max(0)
pyvips.block_untrusted_set(True)

Image = pyvips.Image
VipsError = pyvips.Error
BLOB: Final = pyvips.GValue.blob_type
INT: Final = pyvips.GValue.gint_type
INTS: Final = pyvips.GValue.array_int_type


def has_loader(loader: str) -> bool:
    return bool(pyvips.type_find("VipsOperation", f"{loader}_source"))


def load(loader: str, content: memoryview, **options: Any) -> pyvips.Image:
    """By this loader and no other. Reads from the bytes where they are: handing libvips a buffer would copy it.

    Fails where a part is missing; lesser faults pass.
    """
    source = pyvips.Source.new_from_memory(content)
    return getattr(Image, f"{loader}_source")(source, fail_on="truncated", **options)
