"""Thousands of broken files of every type: each gives a picture or Damaged, and never another error."""

import contextlib
import io
import random
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media import file_types
from sparks.media.file_types import KINDS, PICTURES, FileType
from sparks.media.metadata.read_metadata import Metadata, read_metadata
from sparks.media.renditions import render
from sparks.media.sniff import sniff
from sparks.media.video.poster import render_poster
from sparks.media.video.probe import probe_video
from sparks.media.video.transcode import transcode
from sparks.model.errors import Damaged, SparksError, UnsupportedType
from sparks.model.photo import AssetType
from tests.media.clips import KNOWN, clip_named
from tests.media.container_builders import SHORT, TEXT, animated, dng, exif, gradient, saved, with_exif
from tests.media.samples import sample
from tests.media.test_raw import SENSOR, STAMP

FEW, MANY = 25, 1500
BLOCK = exif({271: (TEXT, "Canon"), 274: (SHORT, 6)}, {0x9003: (TEXT, "2021:05:06 07:08:09")})


SMALL, CLEAR = gradient(48, 32), gradient(48, 32, opacity=True)
MADE: dict[str, Callable[[], bytes]] = {
    "jpeg": lambda: with_exif(saved(SMALL, "JPEG"), BLOCK),
    "progressive": lambda: saved(SMALL, "JPEG", progressive=True),
    "cmyk": lambda: sample("odd/pil_sample_cmyk.jpg"),
    "png": lambda: saved(CLEAR, "PNG"),
    "webp": lambda: saved(SMALL, "WEBP"),
    "clear": lambda: saved(CLEAR, "WEBP", lossless=True),
    "gif": lambda: animated("GIF", [SMALL, SMALL[::-1]]),
    "film": lambda: animated("WEBP", [SMALL, SMALL[::-1]]),
    "bmp": lambda: saved(SMALL, "BMP"),
    "tiff": lambda: saved(SMALL, "TIFF"),
    "avif": lambda: saved(SMALL, "AVIF", exif=BLOCK),
    "heic": lambda: sample("odd/truncated.heic"),
    "dng": lambda: dng(SENSOR[:40, :60], preview=STAMP),
}


@cache
def seed(name: str) -> bytes:
    return MADE[name]()


def mutated(content: bytes, luck: random.Random) -> bytes:
    """With a few bits, bytes or numbers changed, lost or added; its start is hit as often as all the rest."""
    changed = bytearray(content)
    for _ in range(luck.choice((1, 1, 2, 4, 16))):
        at = luck.randrange(max(1, len(changed) if luck.random() < 0.5 else min(len(changed), 200)))
        match luck.randrange(5):
            case 0:
                changed[at : at + 1] = bytes(byte ^ (1 << luck.randrange(8)) for byte in changed[at : at + 1])
            case 1:
                del changed[at:]
            case 2:
                changed[at:at] = luck.randbytes(luck.randrange(1, 9))
            case 3:
                del changed[at : at + luck.randrange(1, 9)]
            case _:
                changed[at : at + 4] = luck.choice((b"\xff" * 4, b"\x7f\xff\xff\xff", bytes(4), b"\x00\x00\x01\x00"))
    return bytes(changed)


def take(content: bytes) -> None:
    """All that happens to an upload, in one go."""
    kind = sniff(content)
    if kind.asset_type is AssetType.VIDEO:
        file = io.BytesIO(content)
        probe_video(file, kind)
        render_poster(file, kind, sizes={"t": 32})
        transcode(file, io.BytesIO(), kind)
    else:
        read_metadata(content, kind)
        render(content, kind, sizes={"a": 40, "b": 20})


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
def test_a_broken_picture_is_rendered_or_damaged(name: str, count: int) -> None:
    luck = random.Random(f"{name} {count}")
    take(seed(name))
    for _ in range(count):
        with contextlib.suppress(Damaged, UnsupportedType):
            take(mutated(seed(name), luck))


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("count", [3, pytest.param(150, marks=pytest.mark.long)])
def test_a_broken_video_is_probed_or_damaged(name: str, count: int) -> None:
    luck = random.Random(f"{name} {count}")
    for _ in range(count):
        with contextlib.suppress(Damaged, UnsupportedType):
            take(mutated(clip_named(name), luck))


@pytest.mark.parametrize("kind", PICTURES, ids=lambda kind: kind.name)
def test_an_empty_picture_is_damaged(kind: FileType) -> None:
    with pytest.raises(Damaged):
        render(b"", kind)
    assert read_metadata(b"", kind) == Metadata()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("jpeg", file_types.JPEG),
        ("progressive", file_types.JPEG),
        ("png", file_types.PNG),
        ("webp", file_types.WEBP),
        ("bmp", file_types.BMP),
        ("avif", file_types.AVIF),
    ],
)
@pytest.mark.parametrize("part", [0.5, 0.9])
def test_the_error_of_a_truncated_picture_says_that_a_part_is_missing(name: str, kind: FileType, part: float) -> None:
    content = seed(name)
    with pytest.raises(Damaged, match=f"This {kind.label} ends too early: a part of it is missing."):
        render(content[: int(len(content) * part)], kind)


def test_a_broken_file_gives_the_same_reason_every_time() -> None:
    luck = random.Random(7)
    for content in [mutated(seed("png"), luck) for _ in range(20)]:
        assert _reason(content) == _reason(content)


def _reason(content: bytes) -> str:
    try:
        take(content)
    except SparksError as error:
        return str(error)
    return ""


@given(st.sampled_from(sorted(KINDS)), st.binary(max_size=300), st.randoms(use_true_random=False))
def test_reading_metadata_never_raises_an_error(name: str, noise: bytes, luck: random.Random) -> None:
    kind = KINDS[name]
    start = seed("jpeg" if name not in MADE else name)
    for content in (noise, mutated(start, luck), start[: luck.randrange(len(start))] + noise):
        assert isinstance(read_metadata(content, kind), Metadata)
