"""The decoders of Sparks work inside a sandbox."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparks.media.sandbox import Sandbox
from sparks.model.errors import Damaged
from tests.media.sandbox import decoders
from tests.media.sandbox.samples import make_dng, opened
from tests.media.sandbox.tasks import SECONDS, Result, TaskRequest, call, make_sandbox, name_of

MEMORY = 1 << 30


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox[Result]]:
    with make_sandbox(preload=decoders.preload, memory=MEMORY) as made:
        yield made


@pytest.mark.parametrize(
    ("decode", "name", "size"),
    [
        (decoders.decode_with_vips, "camera/train.jpg", [4032, 3024]),
        (decoders.decode_with_vips, "formats/density_plot.png", [800, 800]),
        (decoders.decode_with_vips, "formats/denali.webp", [600, 315]),
        (decoders.decode_with_vips, "formats/8bit-sRGB.avif", [1617, 1080]),
        (decoders.decode_with_vips, "odd/animated-loop-3.gif", [370, 285]),
        (decoders.decode_with_pillow, "odd/pil_sample_cmyk.jpg", [100, 100]),
        (decoders.decode_with_pillow, "formats/8bit-sRGB.avif", [1617, 1080]),
        (decoders.decode_with_heif, "formats/IMG_2682.heic", [4032, 3024]),
        (decoders.take_poster, "video/bikes.mp4", [640, 272]),
        (decoders.take_poster, "video/bigbuckbunny.mp4", [1280, 720]),
    ],
)
def test_a_decoder_works_in_a_sandbox(
    sandbox: Sandbox[Result], decode: Callable[[], list[int]], name: str, size: list[int]
) -> None:
    with opened(name) as file:
        assert call(sandbox, decode, files=[file]) == size


def test_a_raw_photo_is_developed_in_a_sandbox(sandbox: Sandbox[Result], tmp_path: Path) -> None:
    path = tmp_path / "wall.dng"
    path.write_bytes(make_dng(side=64))
    with path.open("rb") as file:
        assert call(sandbox, decoders.decode_with_libraw, files=[file.fileno()]) == [64, 64]


def test_renditions_are_encoded_in_a_sandbox(sandbox: Sandbox[Result]) -> None:
    with opened("camera/train.jpg") as file:
        answer = sandbox.run(TaskRequest(name_of(decoders.encode_webp)), [file], seconds=SECONDS)

    assert [blob[8:12] for blob in answer.blobs] == [b"WEBP", b"WEBP"]


def test_a_video_is_transcoded_in_a_sandbox(sandbox: Sandbox[Result]) -> None:
    with opened("video/bikes.mp4") as file:
        answer = sandbox.run(TaskRequest(name_of(decoders.transcode), [25]), [file], seconds=SECONDS)

    assert answer.blobs[0][4:8] == b"ftyp"


def test_a_decoder_that_needs_too_much_memory_fails_and_the_next_one_works() -> None:
    with make_sandbox(preload=decoders.preload, memory=64 << 20) as sandbox:
        with opened("formats/IMG_2682.heic") as file, pytest.raises(Damaged, match="could not be decoded"):
            call(sandbox, decoders.decode_with_heif, files=[file])
        with opened("formats/density_plot.png") as file:
            assert call(sandbox, decoders.decode_with_vips, files=[file]) == [800, 800]


@pytest.mark.parametrize("name", ["odd/corrupted.heic", "odd/corrupt-header.jpg"])
def test_a_broken_file_is_damaged(sandbox: Sandbox[Result], name: str) -> None:
    with opened(name) as file, pytest.raises(Damaged, match="the decoder failed"):
        call(sandbox, decoders.decode_with_heif, files=[file])
