"""Faces of films: frames from all over, upright; one face a person."""

import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from sparks.faces.booth import Booth
from sparks.faces.film import frames_over
from sparks.media import kinds
from sparks.media.caps import USUAL
from sparks.model.errors import Damaged
from tests.faces.samples import find, likeness, opened, photo
from tests.media.clips import film

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
    return list(frames_over(io.BytesIO(content), kinds.MP4, caps=USUAL))


def test_each_person_of_a_film_is_found_once(booth: Booth) -> None:
    woman, couple = scene("groups/007_B.jpg"), scene("groups/010_2.jpg")
    with opened(scenes([woman, couple, woman], seconds=4)) as file:
        found = booth.watch(file, kinds.MP4)
    assert len(found) == 3
    (expected,) = find(booth, woman)
    assert max(likeness(expected, face) for face in found) > 0.8


def test_a_film_that_was_taken_sideways_is_looked_at_upright(booth: Booth) -> None:
    lying = scene("groups/010_2.jpg").transpose(Image.Transpose.ROTATE_90).resize(SIZE)
    with opened(scenes([lying], seconds=2, rotation=-90)) as file:
        assert len(booth.watch(file, kinds.MP4)) == 2


def test_frames_come_from_all_over_a_film() -> None:
    greys = [Image.new("RGB", SIZE, (grey, grey, grey)) for grey in (20, 90, 160, 230)]
    found = [float(np.mean(frame)) for frame in frames_of(scenes(greys, seconds=4))]
    assert len(found) == 8
    np.testing.assert_allclose(found, [20, 20, 90, 90, 160, 160, 230, 230], atol=6)


def test_a_long_film_has_no_more_frames_than_sixteen() -> None:
    assert len(frames_of(film("mp4", "libx264", frames=360, rate=10))) == 16


def test_a_film_of_one_frame_has_one() -> None:
    (frame,) = frames_of(film("mp4", "libx264", frames=1))
    assert frame.shape == (120, 160, 3)


def test_large_frames_are_made_smaller() -> None:
    (frame,) = frames_of(film("mp4", "libx264", size=(1920, 1080), frames=2))
    assert frame.shape == (720, 1280, 3)


def test_what_is_no_film_is_damaged(booth: Booth) -> None:
    with opened(b"no film") as file, pytest.raises(Damaged):
        booth.watch(file, kinds.MP4)
