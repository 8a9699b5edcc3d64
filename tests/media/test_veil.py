"""What strangers are given of a file: the same pixels, and nothing else that it told."""

import io

import numpy as np
import pytest
from PIL import Image
from pillow_heif import register_heif_opener

from sparks.media import kinds
from sparks.media.containers.find import find_blocks
from sparks.media.kinds import Kind
from sparks.media.metadata.read import read_metadata
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.media.veil import veil_of
from sparks.model.errors import UnsupportedType
from tests.media import build
from tests.media.samples import FOLDER, sample

register_heif_opener()

NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file())


def veiled(content: bytes, kind: Kind, *, step: int = 1000) -> bytes | None:
    """As it is sent, in pieces."""
    veil = veil_of(lambda start, end: content[start:end], len(content), kind)
    if veil is None:
        return None
    pieces = (content[start : start + step] for start in range(0, len(content), step))
    return b"".join(veil.over(piece, number * step) for number, piece in enumerate(pieces))


def pixels(content: bytes) -> bytes:
    with Image.open(io.BytesIO(content)) as picture:
        return np.asarray(picture.convert("RGB")).tobytes()


def kind_of(content: bytes) -> Kind | None:
    try:
        return sniff(content[:HEAD_BYTES], size=len(content))
    except UnsupportedType:
        return None


@pytest.mark.parametrize("name", NAMES)
def test_no_sample_tells_a_stranger_anything(name: str) -> None:
    content = sample(name)
    kind = kind_of(content)
    shown = None if kind is None else veiled(content, kind)
    if kind is None or shown is None:
        pytest.skip("given to nobody as it is")
    assert len(shown) == len(content)
    if kind in kinds.PICTURES:
        told = read_metadata(shown, kind)
        assert (told.location, told.camera, told.lens, told.taken_at) == (None, None, None, None)
        assert told.orientation == read_metadata(content, kind).orientation
        assert find_blocks(shown, kind).profile == find_blocks(content, kind).profile
    for word in (b"GPSLatitude", b"location.ISO6709", b"\xa9xyz", b"<x:xmpmeta"):
        assert word not in shown


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_looks_the_same(name: str) -> None:
    content = sample(name)
    kind = kind_of(content)
    if kind not in {kinds.JPEG, kinds.PNG, kinds.HEIC}:
        pytest.skip("not a picture that can be veiled")
    shown = veiled(content, kind)
    if shown is None:
        pytest.skip("given to nobody as it is")
    try:
        hoped = pixels(content)
    except (OSError, Image.DecompressionBombError):
        pytest.skip("it cannot be opened")
    assert pixels(shown) == hoped


def test_which_way_is_up_stays() -> None:
    jpeg = build.with_exif(
        build.saved(build.gradient(), "JPEG"), build.exif(main={0x0112: (3, 6), 0x010F: (2, "Maker")})
    )
    shown = veiled(jpeg, kinds.JPEG)
    assert shown is not None
    assert b"Maker" not in shown
    assert find_blocks(shown, kinds.JPEG).orientation == 6


def test_what_stands_behind_a_picture_goes() -> None:
    jpeg = build.saved(build.gradient(), "JPEG") + b"a film, with the place where it was taken"
    shown = veiled(jpeg, kinds.JPEG, step=7)
    assert shown is not None
    assert shown.endswith(bytes(len(b"a film, with the place where it was taken")))


def test_a_text_in_a_png_goes_and_its_checksums_are_right() -> None:
    png = build.with_chunk(build.saved(build.gradient(), "PNG"), b"tEXt", b"Author\x00Ann")
    shown = veiled(png, kinds.PNG)
    assert shown is not None
    assert b"Ann" not in shown
    assert pixels(shown) == pixels(png)


@pytest.mark.parametrize("kind", [kinds.JPEG, kinds.PNG, kinds.HEIC, kinds.MP4])
@pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff", bytes(100), b"\xff" * 5000])
def test_what_is_broken_is_given_to_nobody(kind: Kind, content: bytes) -> None:
    assert veiled(content, kind) is None
