"""The sandboxed renderer renders files, and survives decoders that crash or hang."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparks.media import file_types
from sparks.media.file_types import KINDS, FileType
from sparks.media.rendition_sizes import SIZES
from sparks.media.sandboxed_renderer import RenderedMedia, SandboxedRenderer
from sparks.model.errors import Damaged
from tests.media.clips import make_clip
from tests.media.container_builders import gradient, saved
from tests.media.sandbox.processes import children_of

PICTURE = saved(gradient(300, 200), "JPEG")


@contextmanager
def opened(content: bytes, folder: Path) -> Iterator[int]:
    path = folder / "file"
    path.write_bytes(content)
    file = os.open(path, os.O_RDONLY)
    try:
        yield file
    finally:
        os.close(file)


def show(renderer: SandboxedRenderer, content: bytes, folder: Path, kind: FileType = file_types.JPEG) -> RenderedMedia:
    with opened(content, folder) as file:
        return renderer.render(file, kind, renderer.sizes)


def test_a_picture_is_rendered_in_all_sizes(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    shown = show(renderer, PICTURE, tmp_path)
    assert list(shown.renditions) == list(SIZES)
    assert all(file[8:12] == b"WEBP" for file in shown.renditions.values())
    assert (shown.width, shown.height, shown.duration, shown.animated, shown.playable) == (300, 200, None, False, True)


def test_the_renderer_makes_the_thumbhash_without_sizes(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    with opened(PICTURE, tmp_path) as file:
        shown = renderer.render(file, file_types.JPEG, {})
    assert shown.renditions == {}
    assert shown.thumbhash


@pytest.mark.parametrize(
    ("form", "codec", "kind", "playable"),
    [("mp4", "libx264", "mp4", True), ("avi", "mpeg4", "avi", False), ("matroska", "libx264", "mkv", False)],
)
def test_a_rendered_video_has_a_duration_and_says_whether_browsers_play_it(
    form: str, codec: str, kind: str, *, playable: bool, renderer: SandboxedRenderer, tmp_path: Path
) -> None:
    shown = show(renderer, make_clip(form, codec), tmp_path, KINDS[kind])
    assert shown.duration == pytest.approx(0.4, abs=0.1)
    assert shown.playable is playable


def test_a_transcode_is_written_only_for_a_video_that_browsers_do_not_play(
    renderer: SandboxedRenderer, tmp_path: Path
) -> None:
    with opened(make_clip("avi", "mpeg4"), tmp_path) as file, (tmp_path / "video").open("w+b") as target:
        reports: list[float] = []
        assert renderer.transcode(file, file_types.AVI, target.fileno(), duration=0.4, progress=reports.append)
        assert os.pread(target.fileno(), 8, 0)[4:] == b"ftyp"
        assert reports[-1] == 1


def test_a_decoder_that_crashes_fails_its_file_and_no_other(tmp_path: Path) -> None:
    before = decoders()
    with SandboxedRenderer() as renderer, (tmp_path / "video").open("w+b") as target:
        renderer.start()
        (decoder,) = decoders() - before
        long = make_clip("avi", "mpeg4", frames=100)
        with opened(long, tmp_path) as file, pytest.raises(Damaged, match="the decoder crashed"):
            renderer.transcode(
                file, file_types.AVI, target.fileno(), progress=lambda _: os.kill(decoder, signal.SIGSEGV)
            )
        assert show(renderer, PICTURE, tmp_path).width == 300


def test_a_file_that_takes_too_long_is_damaged_and_the_next_one_is_rendered(tmp_path: Path) -> None:
    with SandboxedRenderer(seconds=0.0001) as renderer:
        with pytest.raises(Damaged, match="took too long"):
            show(renderer, PICTURE, tmp_path)
        renderer._seconds = 60
        assert show(renderer, PICTURE, tmp_path).width == 300


def decoders() -> set[int]:
    """The processes that came of those that came of this one."""
    return {child for parent in children_of(os.getpid()) for child in children_of(parent)}
