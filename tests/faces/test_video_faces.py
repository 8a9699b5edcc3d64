"""Faces of videos: upright frames spread over the video, and one face of each person."""

import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from sparks.faces.opencv_engine import OpenCvEngine
from sparks.faces.video_faces import frames_over
from sparks.media import file_types
from sparks.media.decode_limits import DEFAULT_LIMITS
from sparks.model.errors import Damaged
from tests.faces.samples import find, likeness, opened, photo
from tests.media.clips import make_clip

SIZE = (640, 480)


def scenes(pictures: Sequence[Image.Image], *, seconds: float, rotation: int | None = None) -> bytes:
    """Each picture for a while, ten frames a second."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream: Any = container.add_stream("libx264", rate=10, options={"crf": "18", "preset": "ultrafast", "g": "20"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        if rotation is not None:
            stream.set_display_rotation(rotation)
        for number in range(round(len(pictures) * seconds * 10)):
            frame = av.VideoFrame.from_ndarray(np.asarray(pictures[int(number / 10 / seconds)]), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame.reformat(format="yuv420p")))
        container.mux(stream.encode(None))
    return file.getvalue()


def scene(name: str) -> Image.Image:
    whole = Image.new("RGB", SIZE, (90, 110, 100))
    inner = photo(name).copy()
    inner.thumbnail(SIZE)
    whole.paste(inner, ((SIZE[0] - inner.width) // 2, (SIZE[1] - inner.height) // 2))
    return whole


def frames_of(content: bytes) -> list[Any]:
    return list(frames_over(io.BytesIO(content), file_types.MP4, limits=DEFAULT_LIMITS))


def test_each_person_of_a_video_is_found_once(opencv_engine: OpenCvEngine) -> None:
    woman, couple = scene("groups/007_B.jpg"), scene("groups/010_2.jpg")
    with opened(scenes([woman, couple, woman], seconds=4)) as file:
        found = opencv_engine.find_faces_in_video(file, file_types.MP4)
    assert len(found) == 3
    (expected,) = find(opencv_engine, woman)
    assert max(likeness(expected, face) for face in found) > 0.8


def test_a_sideways_video_is_analyzed_upright(opencv_engine: OpenCvEngine) -> None:
    lying = scene("groups/010_2.jpg").transpose(Image.Transpose.ROTATE_90).resize(SIZE)
    with opened(scenes([lying], seconds=2, rotation=-90)) as file:
        assert len(opencv_engine.find_faces_in_video(file, file_types.MP4)) == 2


def test_frames_are_spread_over_the_whole_video() -> None:
    greys = [Image.new("RGB", SIZE, (gray, gray, gray)) for gray in (20, 90, 160, 230)]
    found = [float(np.mean(frame)) for frame in frames_of(scenes(greys, seconds=4))]
    assert len(found) == 8
    np.testing.assert_allclose(found, [20, 20, 90, 90, 160, 160, 230, 230], atol=6)


def test_at_most_sixteen_frames_of_a_long_video_are_sampled() -> None:
    assert len(frames_of(make_clip("mp4", "libx264", frames=360, rate=10))) == 16


def test_one_frame_of_a_video_with_one_frame_is_sampled() -> None:
    (frame,) = frames_of(make_clip("mp4", "libx264", frames=1))
    assert frame.shape == (120, 160, 3)


def test_large_frames_are_shrunk() -> None:
    (frame,) = frames_of(make_clip("mp4", "libx264", size=(1920, 1080), frames=2))
    assert frame.shape == (720, 1280, 3)


def test_bytes_that_are_no_video_are_damaged(opencv_engine: OpenCvEngine) -> None:
    with opened(b"no film") as file, pytest.raises(Damaged):
        opencv_engine.find_faces_in_video(file, file_types.MP4)
