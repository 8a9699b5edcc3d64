"""The OpenCV engine finds faces in every kind of rendition, and survives broken files."""

import io
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from sparks.faces.opencv.weights import missing_weights
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.faces.port import FaceEngine
from sparks.media import file_types
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.errors import BadInput, Damaged, Unavailable
from sparks.model.face import Box
from tests.faces.samples import find, likeness, opened, photo, rendition, vector
from tests.media.container_builders import gradient
from tests.media.sandbox.processes import children_of
from tests.servers.process import wait_until

COUPLE = "groups/010_2.jpg"
PERSON = "groups/007_B.jpg"


def test_the_opencv_engine_is_a_face_engine(opencv_engine: OpenCvEngine) -> None:
    engine: FaceEngine = opencv_engine
    assert (engine.name, engine.dimensions, engine.missing) == ("yunet-sface-1", 128, "")
    assert 0 < engine.thresholds.candidate < engine.thresholds.strong < 1


def test_a_found_face_has_all_values_that_are_stored(opencv_engine: OpenCvEngine) -> None:
    face, *_ = find(opencv_engine, photo(COUPLE))
    assert 90 <= face.confidence <= 100
    assert 0.4 < face.quality <= 1
    assert len(face.embedding) == 2 * opencv_engine.dimensions
    assert np.linalg.norm(vector(face)) == pytest.approx(1, abs=0.001)
    assert 0 < face.box.left < face.box.left + face.box.width < 1
    with Image.open(io.BytesIO(face.crop)) as crop:
        assert (crop.format, crop.width) == ("JPEG", crop.height)
        assert crop.width <= 256


def test_the_crop_shows_the_face(opencv_engine: OpenCvEngine) -> None:
    face = find(opencv_engine, photo(PERSON))[0]
    with Image.open(io.BytesIO(face.crop)) as crop:
        (again,) = find(opencv_engine, crop.convert("RGB"))
    assert likeness(face, again) > opencv_engine.thresholds.strong


def test_the_same_picture_gives_the_same_faces(opencv_engine: OpenCvEngine) -> None:
    content = rendition(photo(COUPLE))
    assert find(opencv_engine, content) == find(opencv_engine, content)


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_a_sideways_photo_has_the_same_faces(
    opencv_engine: OpenCvEngine, renderer: SandboxedRenderer, orientation: int
) -> None:
    upright = photo(COUPLE)
    turned = upright.rotate({3: 180, 6: 90, 8: -90}[orientation], expand=True)
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    turned.save(file, "JPEG", quality=95, exif=exif)
    with opened(file.getvalue()) as original:
        large = renderer.render(original, file_types.JPEG, {"large": 2048}).renditions["large"]
    expected, found = find(opencv_engine, upright), find(opencv_engine, large)
    assert all(one.box.is_same_face(other.box) for one, other in zip(expected, found, strict=True))


def test_a_face_that_fills_the_frame_is_found(opencv_engine: OpenCvEngine) -> None:
    whole = photo(PERSON)
    box = find(opencv_engine, whole)[0].box
    left, right = ((box.left + part * box.width) * whole.width for part in (0.1, 0.9))
    top, bottom = ((box.top + part * box.height) * whole.height for part in (0.1, 0.9))
    close = whole.crop((round(left), round(top), round(right), round(bottom)))
    assert len(find(opencv_engine, close.resize((1200, 1200)))) == 1


def test_a_small_face_in_a_large_picture_is_found(opencv_engine: OpenCvEngine) -> None:
    wall = Image.new("RGB", (2048, 1536), (90, 110, 100))
    person = photo(PERSON).copy()
    person.thumbnail((200, 200))
    wall.paste(person, (1500, 1100))
    (face,) = find(opencv_engine, wall)
    assert (face.box.left > 0.7, face.box.top > 0.7) == (True, True)


def test_a_face_at_the_edge_has_a_box_that_reaches_beyond_it_and_a_crop_that_does_not(
    opencv_engine: OpenCvEngine,
) -> None:
    whole = photo(PERSON)
    box = find(opencv_engine, whole)[0].box
    cut = whole.crop((round((box.left + box.width * 0.35) * whole.width), 0, *whole.size))
    (face,) = find(opencv_engine, cut)
    assert face.box.left <= 0.01
    with Image.open(io.BytesIO(face.crop)) as crop:
        assert crop.width == crop.height


@pytest.mark.parametrize("mode", ["L", "RGBA"])
def test_faces_are_found_in_gray_and_transparent_pictures(opencv_engine: OpenCvEngine, mode: str) -> None:
    assert len(find(opencv_engine, rendition(photo(COUPLE).convert(mode)))) == 2


def test_faces_are_found_in_the_first_frame_of_an_animation(opencv_engine: OpenCvEngine) -> None:
    file = io.BytesIO()
    photo(COUPLE).save(file, "WEBP", save_all=True, append_images=[ImageOps.mirror(photo(COUPLE))], duration=100)
    assert len(find(opencv_engine, file.getvalue())) == 2


@pytest.mark.parametrize("size", [(1, 1), (2, 2000), (2000, 2), (31, 33)])
def test_pictures_of_odd_sizes_have_no_faces_and_no_error(opencv_engine: OpenCvEngine, size: tuple[int, int]) -> None:
    assert find(opencv_engine, Image.fromarray(gradient(*size))) == []


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no picture at all", rendition(Image.new("RGB", (300, 200)))[:-9]])
def test_bytes_that_are_no_picture_are_damaged(opencv_engine: OpenCvEngine, content: bytes) -> None:
    with pytest.raises(Damaged, match="cannot be decoded"):
        find(opencv_engine, content)
    assert len(find(opencv_engine, photo(COUPLE))) == 2


def test_a_child_that_was_killed_is_replaced(opencv_engine: OpenCvEngine) -> None:
    before = {child for parent in children_of(os.getpid()) for child in children_of(parent)}
    with OpenCvEngine() as another:
        another.start()
        (child,) = {child for parent in children_of(os.getpid()) for child in children_of(parent)} - before
        os.kill(child, signal.SIGKILL)
        wait_until(lambda: has_ended(child), what="the child to end")
        assert len(find(another, photo(COUPLE))) == 2


def has_ended(process: int) -> bool:
    """Whether its files are closed, also where its parent has not noticed yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_drawn_box_is_analyzed(opencv_engine: OpenCvEngine) -> None:
    picture = rendition(photo(COUPLE))
    face = find(opencv_engine, picture)[0]
    drawn = Box(face.box.left - 0.01, face.box.top - 0.01, face.box.width + 0.02, face.box.height + 0.02)
    with opened(picture) as file:
        analyzed = opencv_engine.analyze_box(file, drawn)
    assert analyzed.box == drawn
    assert analyzed.quality > opencv_engine.thresholds.founding
    assert likeness(face, analyzed) > 0.9


@pytest.mark.parametrize(
    "box", [Box(0, 0, 0.1, 0.1), Box(0.9, 0.9, 0.5, 0.5), Box(2, 2, 1, 1), Box(0.5, 0.5, 1e-6, 1e-6)]
)
def test_a_box_without_a_face_has_a_quality_that_starts_no_person(opencv_engine: OpenCvEngine, box: Box) -> None:
    with opened(rendition(photo("groups/017_0.jpg"))) as file:
        analyzed = opencv_engine.analyze_box(file, box)
    assert (analyzed.box, analyzed.quality < opencv_engine.thresholds.founding) == (box, True)


def test_a_box_without_size_is_bad_input(opencv_engine: OpenCvEngine) -> None:
    with opened(rendition(photo(COUPLE))) as file, pytest.raises(BadInput, match="a width and a height"):
        opencv_engine.analyze_box(file, Box(0.1, 0.1, 0, 0.1))


def test_without_weights_the_engine_is_unavailable_and_says_why(tmp_path: Path) -> None:
    with OpenCvEngine(missing=missing_weights(tmp_path)) as blind:
        assert blind.start() == ()
        assert "install Sparks again" in blind.missing
        with opened(b"x") as file, pytest.raises(Unavailable, match="faces cannot be found: the weights face"):
            blind.find_faces(file)
