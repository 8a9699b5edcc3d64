"""Stripping metadata from originals: the pixels stay the same, and no metadata is left."""

import io

import numpy as np
import pytest
from PIL import Image
from pillow_heif import register_heif_opener

from sparks.media import file_types
from sparks.media.containers.find_blocks import find_blocks
from sparks.media.file_types import FileType
from sparks.media.metadata.read_metadata import read_metadata
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.media.strip_metadata import patches_for
from sparks.model.errors import UnsupportedType
from tests.media import container_builders
from tests.media.samples import FOLDER, sample

register_heif_opener()

NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file())


def patched(content: bytes, kind: FileType, *, step: int = 1000) -> bytes | None:
    """As it is sent, in pieces."""
    patches = patches_for(lambda start, end: content[start:end], len(content), kind)
    if patches is None:
        return None
    pieces = (content[start : start + step] for start in range(0, len(content), step))
    return b"".join(patches.over(piece, number * step) for number, piece in enumerate(pieces))


def pixels(content: bytes) -> bytes:
    with Image.open(io.BytesIO(content)) as picture:
        return np.asarray(picture.convert("RGB")).tobytes()


def kind_of(content: bytes) -> FileType | None:
    try:
        return sniff(content[:HEAD_BYTES], size=len(content))
    except UnsupportedType:
        return None


@pytest.mark.parametrize("name", NAMES)
def test_a_stripped_sample_contains_no_metadata(name: str) -> None:
    content = sample(name)
    kind = kind_of(content)
    shown = None if kind is None else patched(content, kind)
    if kind is None or shown is None:
        pytest.skip("this sample has no patches")
    assert len(shown) == len(content)
    if kind in file_types.PICTURES:
        metadata = read_metadata(shown, kind)
        assert (metadata.location, metadata.camera, metadata.lens, metadata.taken_at) == (None, None, None, None)
        assert metadata.orientation == read_metadata(content, kind).orientation
        assert find_blocks(shown, kind).profile == find_blocks(content, kind).profile
    for word in (b"GPSLatitude", b"location.ISO6709", b"\xa9xyz", b"<x:xmpmeta"):
        assert word not in shown


@pytest.mark.parametrize("name", NAMES)
def test_a_stripped_sample_looks_the_same(name: str) -> None:
    content = sample(name)
    kind = kind_of(content)
    if kind not in {file_types.JPEG, file_types.PNG, file_types.HEIC}:
        pytest.skip("not a picture whose metadata can be stripped")
    shown = patched(content, kind)
    if shown is None:
        pytest.skip("this sample has no patches")
    try:
        hoped = pixels(content)
    except (OSError, Image.DecompressionBombError):
        pytest.skip("it cannot be opened")
    assert pixels(shown) == hoped


def test_the_orientation_is_kept_when_metadata_are_stripped() -> None:
    jpeg = container_builders.with_exif(
        container_builders.saved(container_builders.gradient(), "JPEG"),
        container_builders.exif(main={0x0112: (3, 6), 0x010F: (2, "Maker")}),
    )
    shown = patched(jpeg, file_types.JPEG)
    assert shown is not None
    assert b"Maker" not in shown
    assert find_blocks(shown, file_types.JPEG).orientation == 6


def test_bytes_behind_the_end_of_a_picture_are_stripped() -> None:
    jpeg = container_builders.saved(container_builders.gradient(), "JPEG") + b"a video with a location"
    shown = patched(jpeg, file_types.JPEG, step=7)
    assert shown is not None
    assert shown.endswith(bytes(len(b"a video with a location")))


def test_a_text_in_a_png_is_stripped_and_checksums_are_right() -> None:
    png = container_builders.with_chunk(
        container_builders.saved(container_builders.gradient(), "PNG"), b"tEXt", b"Author\x00Ann"
    )
    shown = patched(png, file_types.PNG)
    assert shown is not None
    assert b"Ann" not in shown
    assert pixels(shown) == pixels(png)


@pytest.mark.parametrize("kind", [file_types.JPEG, file_types.PNG, file_types.HEIC, file_types.MP4])
@pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff", bytes(100), b"\xff" * 5000])
def test_a_broken_file_has_no_patches(kind: FileType, content: bytes) -> None:
    assert patched(content, kind) is None
