"""Sample photos of faces from beside the repository, as renditions for face detection."""

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sparks.faces.opencv_engine import OpenCvEngine
from sparks.faces.port import FoundFace
from tests.media.samples import FOLDER as MEDIA

FOLDER: Final = MEDIA.parent / "faces"


@cache
def photo(name: str) -> Image.Image:
    """Such as `groups/000_5.jpg`. Without the folder the test is skipped, and fails in CI."""
    if not FOLDER.is_dir():
        reason = "the photos of faces are not there; SPARKS_TEST_DATA may say where they are"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return Image.open(FOLDER / name).convert("RGB")


def rendition(picture: Image.Image, form: str = "WEBP") -> bytes:
    small = picture.copy()
    small.thumbnail((2048, 2048))
    file = io.BytesIO()
    small.save(file, form, quality=80, method=0)
    return file.getvalue()


@contextmanager
def opened(content: bytes) -> Iterator[int]:
    """A file that is open for reading only."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        descriptor = os.open(file.name, os.O_RDONLY)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def find(opencv_engine: OpenCvEngine, picture: Image.Image | bytes) -> list[FoundFace]:
    content = picture if isinstance(picture, bytes) else rendition(picture)
    with opened(content) as file:
        return list(opencv_engine.find_faces(file))


def vector(face: FoundFace) -> NDArray[np.float32]:
    return np.frombuffer(face.embedding, "<f2").astype(np.float32)


def likeness(one: FoundFace, other: FoundFace) -> float:
    return float(vector(one) @ vector(other))
