"""Set-up of libvips: no cache, and safe loaders only.

A process that has used libvips must not fork. Importing this module does not use it yet.
"""

import logging
from typing import Any, Final

import pyvips

MIN_VERSION: Final = (8, 18)

if (pyvips.version(0), pyvips.version(1)) < MIN_VERSION:
    raise ImportError(
        f"Sparks needs libvips {MIN_VERSION[0]}.{MIN_VERSION[1]} or newer and found {pyvips.version(0)}."
        f"{pyvips.version(1)}, whose WebP files keep the location of a photo. Install the version that Sparks needs: "
        "pip install --force-reinstall --no-deps pyvips-binary"
    )

logging.getLogger("pyvips").setLevel(logging.CRITICAL)  # Sparks raises its own errors
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
    """Opens the content with this loader only. A source does not copy the content, as a buffer would.

    VipsError where a part is missing; smaller faults are accepted.
    """
    source = pyvips.Source.new_from_memory(content)
    return getattr(Image, f"{loader}_source")(source, fail_on="truncated", **options)
