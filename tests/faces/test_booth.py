"""The booth finds faces in any picture that a rendition can be, and lives through those that it cannot."""

import io
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from sparks.faces.booth import Booth
from sparks.faces.opencv.weights import missing_weights
from sparks.faces.port import FaceEngine
from sparks.media import kinds
from sparks.media.studio import Studio
from sparks.model.errors import BadInput, Damaged, Unavailable
from sparks.model.face import Box
from tests.faces.samples import find, likeness, opened, photo, rendition, vector
from tests.media.build import gradient
from tests.media.jail.processes import children_of

COUPLE = "groups/010_2.jpg"
SOMEBODY = "groups/007_B.jpg"


def test_a_booth_is_an_engine(booth: Booth) -> None:
    engine: FaceEngine = booth
    assert (engine.name, engine.dimensions, engine.missing) == ("yunet-sface-1", 128, "")
    assert 0 < engine.thresholds.candidate < engine.thresholds.strong < 1


def test_a_face_comes_with_all_that_is_kept_of_it(booth: Booth) -> None:
    face, *_ = find(booth, photo(COUPLE))
    assert 90 <= face.confidence <= 100
    assert 0.4 < face.quality <= 1
    assert len(face.embedding) == 2 * booth.dimensions
    assert np.linalg.norm(vector(face)) == pytest.approx(1, abs=0.001)
    assert 0 < face.box.left < face.box.left + face.box.width < 1
    with Image.open(io.BytesIO(face.crop)) as crop:
        assert (crop.format, crop.width) == ("JPEG", crop.height)
        assert crop.width <= 256


def test_the_crop_shows_the_face(booth: Booth) -> None:
    face = find(booth, photo(SOMEBODY))[0]
    with Image.open(io.BytesIO(face.crop)) as crop:
        (again,) = find(booth, crop.convert("RGB"))
    assert likeness(face, again) > booth.thresholds.strong


def test_the_same_picture_gives_the_same_faces(booth: Booth) -> None:
    content = rendition(photo(COUPLE))
    assert find(booth, content) == find(booth, content)


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_a_photo_that_was_taken_sideways_has_the_same_faces(booth: Booth, studio: Studio, orientation: int) -> None:
    upright = photo(COUPLE)
    turned = upright.rotate({3: 180, 6: 90, 8: -90}[orientation], expand=True)
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    turned.save(file, "JPEG", quality=95, exif=exif)
    with opened(file.getvalue()) as original:
        large = studio.show(original, kinds.JPEG, {"large": 2048}).renditions["large"]
    expected, found = find(booth, upright), find(booth, large)
    assert all(one.box.is_same_face(other.box) for one, other in zip(expected, found, strict=True))


def test_a_face_that_fills_the_frame_is_found(booth: Booth) -> None:
    whole = photo(SOMEBODY)
    box = find(booth, whole)[0].box
    left, right = ((box.left + part * box.width) * whole.width for part in (0.1, 0.9))
    top, bottom = ((box.top + part * box.height) * whole.height for part in (0.1, 0.9))
    close = whole.crop((round(left), round(top), round(right), round(bottom)))
    assert len(find(booth, close.resize((1200, 1200)))) == 1


def test_a_small_face_in_a_large_picture_is_found(booth: Booth) -> None:
    wall = Image.new("RGB", (2048, 1536), (90, 110, 100))
    somebody = photo(SOMEBODY).copy()
    somebody.thumbnail((200, 200))
    wall.paste(somebody, (1500, 1100))
    (face,) = find(booth, wall)
    assert (face.box.left > 0.7, face.box.top > 0.7) == (True, True)


def test_a_face_at_the_edge_has_a_box_that_reaches_beyond_it_and_a_crop_that_does_not(booth: Booth) -> None:
    whole = photo(SOMEBODY)
    box = find(booth, whole)[0].box
    cut = whole.crop((round((box.left + box.width * 0.35) * whole.width), 0, *whole.size))
    (face,) = find(booth, cut)
    assert face.box.left <= 0.01
    with Image.open(io.BytesIO(face.crop)) as crop:
        assert crop.width == crop.height


@pytest.mark.parametrize("mode", ["L", "RGBA"])
def test_grey_and_transparent_pictures_have_faces_too(booth: Booth, mode: str) -> None:
    assert len(find(booth, rendition(photo(COUPLE).convert(mode)))) == 2


def test_the_first_frame_of_an_animation_is_looked_at(booth: Booth) -> None:
    file = io.BytesIO()
    photo(COUPLE).save(file, "WEBP", save_all=True, append_images=[ImageOps.mirror(photo(COUPLE))], duration=100)
    assert len(find(booth, file.getvalue())) == 2


@pytest.mark.parametrize("size", [(1, 1), (2, 2000), (2000, 2), (31, 33)])
def test_there_are_no_faces_in_pictures_of_odd_sizes(booth: Booth, size: tuple[int, int]) -> None:
    assert find(booth, Image.fromarray(gradient(*size))) == []


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no picture at all", rendition(Image.new("RGB", (300, 200)))[:-9]])
def test_what_is_no_picture_is_damaged(booth: Booth, content: bytes) -> None:
    with pytest.raises(Damaged, match="cannot be decoded"):
        find(booth, content)
    assert len(find(booth, photo(COUPLE))) == 2


def test_a_child_that_was_killed_is_replaced(booth: Booth) -> None:
    before = {child for parent in children_of(os.getpid()) for child in children_of(parent)}
    with Booth() as another:
        another.start()
        (child,) = {child for parent in children_of(os.getpid()) for child in children_of(parent)} - before
        os.kill(child, signal.SIGKILL)
        assert len(find(another, photo(COUPLE))) == 2


def test_somebodys_box_is_looked_at(booth: Booth) -> None:
    picture = rendition(photo(COUPLE))
    face = find(booth, picture)[0]
    drawn = Box(face.box.left - 0.01, face.box.top - 0.01, face.box.width + 0.02, face.box.height + 0.02)
    with opened(picture) as file:
        looked = booth.look_at(file, drawn)
    assert looked.box == drawn
    assert looked.quality > booth.thresholds.founding
    assert likeness(face, looked) > 0.9


@pytest.mark.parametrize(
    "box", [Box(0, 0, 0.1, 0.1), Box(0.9, 0.9, 0.5, 0.5), Box(2, 2, 1, 1), Box(0.5, 0.5, 1e-6, 1e-6)]
)
def test_a_box_without_a_face_gives_a_guess_that_founds_nobody(booth: Booth, box: Box) -> None:
    with opened(rendition(photo("groups/017_0.jpg"))) as file:
        looked = booth.look_at(file, box)
    assert (looked.box, looked.quality < booth.thresholds.founding) == (box, True)


def test_a_box_of_no_size_is_refused(booth: Booth) -> None:
    with opened(rendition(photo(COUPLE))) as file, pytest.raises(BadInput, match="a width and a height"):
        booth.look_at(file, Box(0.1, 0.1, 0, 0.1))


def test_without_weights_a_booth_says_so_and_finds_nothing(tmp_path: Path) -> None:
    with Booth(missing=missing_weights(tmp_path)) as blind:
        assert blind.start() == ()
        assert "install Sparks again" in blind.missing
        with opened(b"x") as file, pytest.raises(Unavailable, match="faces cannot be found: the weights face"):
            blind.find_faces(file)
