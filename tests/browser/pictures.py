"""Pictures to upload: drawn ones, each unlike the others, with a date; and portraits where the test data is there."""

import os
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from PIL import Image

from tests.browser.landscapes import landscape

SHARED: Final = Path(__file__).parents[3] / "shared" / "data"
DATE_TAKEN: Final = 0x9003
EXIF_IFD: Final = 0x8769


def drawn(folder: Path, name: str, *, taken: datetime, size: tuple[int, int] = (900, 600), seed: int = 0) -> Path:
    """A landscape, as JPEG; another name or seed makes another one."""
    chance = np.random.default_rng([seed, *name.encode()])
    half = landscape(chance, size[0] // 2, size[1] // 2)
    image = Image.fromarray(half.astype(np.uint8)).resize(size, Image.Resampling.BICUBIC)
    exif = Image.Exif()
    exif.get_ifd(EXIF_IFD)[DATE_TAKEN] = taken.strftime("%Y:%m:%d %H:%M:%S")
    path = folder / name
    image.save(path, quality=88, exif=exif)
    return path


def shared(*path: str) -> Path:
    """A file or folder of the test data; the test is skipped where it is missing."""
    found = SHARED.joinpath(*path)
    if not found.exists():
        missing = f"there is no test data at {found}"
        if "CI" in os.environ:
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def portraits(person: str) -> list[Path]:
    """Of one person in public-domain portraits, two or three; the test is skipped where there are none."""
    return sorted(shared("faces", "congress", person).iterdir())
