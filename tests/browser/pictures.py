"""Pictures to upload: drawn ones, each unlike the others, with a date; and portraits where the test data is there."""

import os
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from PIL import Image

SHARED: Final = Path(__file__).parents[3] / "shared" / "data"
DATE_TAKEN: Final = 0x9003
EXIF_IFD: Final = 0x8769


def drawn(folder: Path, name: str, *, taken: datetime, size: tuple[int, int] = (900, 600), seed: int = 0) -> Path:
    """A sky, hills and a sun, as JPEG; the seed moves them about."""
    chance = np.random.default_rng(abs(hash((name, seed))) % 2**32)
    width, height = size
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    sky, hill, sun = chance.uniform(60, 255, (3, 3))
    picture = sky + (255 - sky) * down[..., None] * 0.5
    ridge = 0.6 + 0.12 * np.sin(across * chance.uniform(4, 14) + chance.uniform(0, 6))
    picture = np.where((down > ridge)[..., None], hill * (1.2 - 0.6 * down[..., None]), picture)
    place = chance.uniform(0.2, 0.8), chance.uniform(0.15, 0.4)
    disc = (across - place[0]) ** 2 * (width / height) ** 2 + (down - place[1]) ** 2 < chance.uniform(0.004, 0.015)
    picture = np.where(disc[..., None], sun, picture)
    image = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    exif = Image.Exif()
    exif.get_ifd(EXIF_IFD)[DATE_TAKEN] = taken.strftime("%Y:%m:%d %H:%M:%S")
    path = folder / name
    image.save(path, quality=88, exif=exif)
    return path


def portraits(person: str) -> list[Path]:
    """Of one person in public-domain portraits, two or three; the test is skipped where there are none."""
    folder = SHARED / "faces" / "congress" / person
    if not folder.is_dir():
        missing = f"there is no test data at {folder}"
        if "CI" in os.environ:
            pytest.fail(missing)
        pytest.skip(missing)
    return sorted(folder.iterdir())
