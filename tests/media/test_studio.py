"""The studio shows files as their decoders see them, and lives through what they do."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparks.media import kinds
from sparks.media.kinds import KINDS, Kind
from sparks.media.sizes import SIZES
from sparks.media.studio import Shown, Studio
from sparks.model.errors import Damaged
from tests.media.build import gradient, saved
from tests.media.clips import film
from tests.media.jail.processes import children_of

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


def show(studio: Studio, content: bytes, folder: Path, kind: Kind = kinds.JPEG) -> Shown:
    with opened(content, folder) as file:
        return studio.show(file, kind, studio.sizes)


def test_a_picture_is_shown_in_all_sizes(studio: Studio, tmp_path: Path) -> None:
    shown = show(studio, PICTURE, tmp_path)
    assert list(shown.renditions) == list(SIZES)
    assert all(file[8:12] == b"WEBP" for file in shown.renditions.values())
    assert (shown.width, shown.height, shown.duration, shown.animated, shown.playable) == (300, 200, None, False, True)


def test_no_sizes_give_the_thumbhash_alone(studio: Studio, tmp_path: Path) -> None:
    with opened(PICTURE, tmp_path) as file:
        shown = studio.show(file, kinds.JPEG, {})
    assert shown.renditions == {}
    assert shown.thumbhash


@pytest.mark.parametrize(
    ("form", "codec", "kind", "playable"),
    [("mp4", "libx264", "mp4", True), ("avi", "mpeg4", "avi", False), ("matroska", "libx264", "mkv", False)],
)
def test_a_video_has_a_length_and_may_be_played_or_not(
    form: str, codec: str, kind: str, *, playable: bool, studio: Studio, tmp_path: Path
) -> None:
    shown = show(studio, film(form, codec), tmp_path, KINDS[kind])
    assert shown.duration == pytest.approx(0.4, abs=0.1)
    assert shown.playable is playable


def test_a_film_is_written_where_it_is_needed(studio: Studio, tmp_path: Path) -> None:
    with opened(film("avi", "mpeg4"), tmp_path) as file, (tmp_path / "film").open("w+b") as target:
        heard: list[float] = []
        assert studio.film(file, kinds.AVI, target.fileno(), duration=0.4, progress=heard.append)
        assert os.pread(target.fileno(), 8, 0)[4:] == b"ftyp"
        assert heard[-1] == 1


def test_a_decoder_that_crashes_fails_its_file_and_no_other(tmp_path: Path) -> None:
    before = decoders()
    with Studio() as studio, (tmp_path / "film").open("w+b") as target:
        studio.start()
        (decoder,) = decoders() - before
        long = film("avi", "mpeg4", frames=100)
        with opened(long, tmp_path) as file, pytest.raises(Damaged, match="the decoder crashed"):
            studio.film(file, kinds.AVI, target.fileno(), progress=lambda _: os.kill(decoder, signal.SIGSEGV))
        assert show(studio, PICTURE, tmp_path).width == 300


def test_a_file_that_takes_too_long_is_damaged_and_the_next_one_is_shown(tmp_path: Path) -> None:
    with Studio(seconds=0.0001) as studio:
        with pytest.raises(Damaged, match="took too long"):
            show(studio, PICTURE, tmp_path)
        studio._seconds = 60
        assert show(studio, PICTURE, tmp_path).width == 300


def decoders() -> set[int]:
    """The processes that came of those that came of this one."""
    return {child for parent in children_of(os.getpid()) for child in children_of(parent)}
