"""Videos: probing, posters and transcoding for browsers."""

import io
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np
import pytest

from sparks.media import file_types
from sparks.media.decode.color import HLG
from sparks.media.decode_limits import DecodeLimits
from sparks.media.file_types import FileType
from sparks.media.sniff import sniff
from sparks.media.video.encoders import fit_even
from sparks.media.video.poster import render_poster
from sparks.media.video.probe import VideoInfo, probe_video
from sparks.media.video.transcode import transcode
from sparks.model.errors import Damaged
from tests.media.clips import KNOWN, PLAYED, QUIET, clip_named, make_clip, scene
from tests.media.container_builders import box
from tests.media.decoded_renditions import difference, opened, pixels
from tests.media.samples import sample


def made_of(content: bytes, kind: FileType) -> tuple[bytes, VideoInfo, list[float]]:
    """The transcoded file, its probe, and the reported progress."""
    target, reports = io.BytesIO(), list[float]()
    transcode(io.BytesIO(content), target, kind, progress=reports.append)
    made = target.getvalue()
    return made, probe_video(io.BytesIO(made), sniff(made[:4096])), reports


@pytest.mark.parametrize("name", KNOWN)
def test_a_video_is_probed(name: str) -> None:
    content = clip_named(name)
    kind = sniff(content)
    assert kind.extension == name.rpartition(".")[2]
    clip = probe_video(io.BytesIO(content), kind)
    assert (clip.width, clip.height) == ((192, 144) if name == "h263.3gp" else (160, 120))  # H.263 is not square
    assert clip.duration == pytest.approx(0.4, abs=0.05)
    assert clip.playable is (name in PLAYED)
    assert clip.frame_rate == pytest.approx(25, abs=1)


@pytest.mark.parametrize("name", [name for name in KNOWN if name not in PLAYED])
def test_a_video_that_browsers_do_not_play_is_transcoded_to_one_that_they_play(name: str) -> None:
    content = clip_named(name)
    made, clip, reports = made_of(content, sniff(content))
    before = probe_video(io.BytesIO(content), sniff(content))
    assert (clip.video_codec, clip.playable) == ("h264", True)
    assert clip.audio_codec == (None if before.audio_codec is None else "aac")
    assert (clip.width, clip.height) == (before.width, before.height)
    assert clip.duration == pytest.approx(before.duration, abs=0.1)
    assert made.index(b"moov") < made.index(b"mdat")
    assert reports == sorted(reports)
    assert reports[-1] == 1.0


@pytest.mark.parametrize(("rotation", "turns"), [(-90, -1), (90, 1), (180, 2), (None, 0)])
def test_a_rotated_video_is_upright_in_its_poster_and_its_transcode(rotation: int | None, turns: int) -> None:
    content = make_clip("mp4", "libx264", rotation=rotation)
    upright = np.rot90(scene(160, 120), turns)
    clip = probe_video(io.BytesIO(content), file_types.MP4)
    assert (clip.height, clip.width) == upright.shape[:2]
    poster = render_poster(io.BytesIO(content), file_types.MP4)
    assert (poster.height, poster.width) == upright.shape[:2]
    assert difference(pixels(poster)[:, :, :2], upright[:, :, :2].astype(np.float64)) < 12
    made, turned, _ = made_of(content, file_types.MP4)
    assert (turned.width, turned.height, turned.orientation) == (clip.width, clip.height, 1)
    again = render_poster(io.BytesIO(made), file_types.MP4)
    assert difference(pixels(again)[:, :, :2], pixels(poster)[:, :, :2]) < 12


def test_non_square_pixels_are_made_square() -> None:
    content = make_clip("matroska", "libx264", shape=Fraction(2))
    clip = probe_video(io.BytesIO(content), file_types.MKV)
    assert (clip.width, clip.height) == (320, 120)
    assert opened(render_poster(io.BytesIO(content), file_types.MKV)).size == (320, 120)


@pytest.mark.parametrize("black", [15, 55])
def test_a_poster_is_not_black(black: int) -> None:
    content = make_clip("mp4", "libx264", frames=70, black=black, options={"g": "20"})
    assert pixels(render_poster(io.BytesIO(content), file_types.MP4)).mean() > 40


def test_a_video_that_is_all_black_has_a_black_poster() -> None:
    content = make_clip("mp4", "libx264", frames=5, black=5)
    assert pixels(render_poster(io.BytesIO(content), file_types.MP4)).mean() < 10


def test_a_poster_has_the_requested_sizes() -> None:
    poster = render_poster(io.BytesIO(sample("video/bigbuckbunny.mp4")), file_types.MP4, sizes={"thumb": 256})
    assert opened(poster, "thumb").size == (256, 144)


def test_a_large_video_is_transcoded_to_720p() -> None:
    _, clip, _ = made_of(make_clip("mp4", "mpeg4", size=(1920, 1080), frames=3), file_types.MP4)
    assert (clip.width, clip.height) == (1280, 720)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1920, 1080), (1280, 720)),
        ((1080, 1920), (720, 1280)),
        ((3840, 1600), (1280, 534)),
        ((640, 480), (640, 480)),
        ((321, 241), (320, 240)),
        ((1, 1), (2, 2)),
        ((1000, 1000), (720, 720)),
    ],
)
def test_transcoded_sizes_fit_and_are_even(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert fit_even(*size) == expected


def test_frames_beyond_sixty_a_second_are_dropped() -> None:
    _, clip, _ = made_of(make_clip("mp4", "mpeg4", rate=120, frames=60), file_types.MP4)
    assert clip.frame_rate is not None
    assert clip.frame_rate <= 66
    assert clip.duration == pytest.approx(0.5, abs=0.05)


def test_an_hdr_video_is_converted() -> None:
    content = make_clip("mov", "libx265", pixels="yuv420p10le", light=HLG, options=QUIET)
    made, clip, _ = made_of(content, file_types.MOV)
    assert clip.playable
    assert pixels(render_poster(io.BytesIO(made), file_types.MP4)).mean() > 40


def test_time_and_location_of_a_video_are_read() -> None:
    tags = {
        "com.apple.quicktime.creationdate": "2021-05-06T07:08:09+0200",
        "com.apple.quicktime.location.ISO6709": "+48.8577+002.2950+035.0/",
    }
    content = make_clip("mov", "libx264", frames=2, tags=tags)
    metadata = probe_video(io.BytesIO(content), file_types.MOV).metadata
    assert metadata.taken_at == datetime(2021, 5, 6, 5, 8, 9, tzinfo=UTC)
    assert metadata.location is not None
    made, clip, _ = made_of(content, file_types.MOV)
    assert (clip.metadata.taken_at, clip.metadata.location) == (None, None)
    assert b"+48.8577" not in made


def test_the_limits_apply_to_videos() -> None:
    content = io.BytesIO(clip_named("h264.mp4"))
    with pytest.raises(Damaged, match="160 x 120 pixels"):
        probe_video(content, file_types.MP4, limits=DecodeLimits(pixels=160 * 120 - 1))
    with pytest.raises(Damaged, match="minutes; at most"):
        probe_video(content, file_types.MP4, limits=DecodeLimits(seconds=0.1))


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_the_error_of_a_truncated_video_says_that_a_part_is_missing(part: float) -> None:
    content = clip_named("h264.mp4")
    with pytest.raises(Damaged, match="ends too early"):
        probe_video(io.BytesIO(content[: int(len(content) * part)]), file_types.MP4)


def test_the_error_of_a_container_without_a_video_says_so() -> None:
    with pytest.raises(Damaged):
        probe_video(io.BytesIO(box(b"ftyp", b"isom", bytes(4)) + box(b"mdat", b"..")), file_types.MP4)


def test_a_full_disk_does_not_make_a_video_damaged() -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        transcode(io.BytesIO(clip_named("mpeg4.mp4")), Full(), file_types.MP4)
