"""Every sample file gives its expected result."""

import io
from dataclasses import asdict

import pytest
from PIL import Image

from sparks.media.file_types import KINDS
from sparks.media.metadata.read_metadata import Metadata, read_metadata
from sparks.media.renditions import RenderedPicture, render
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.media.video.poster import render_poster
from sparks.media.video.probe import probe_video
from sparks.model.errors import Damaged, UnsupportedType
from sparks.model.times import iso
from tests.media import sample_results
from tests.media.sample_results import Outcome
from tests.media.samples import FOLDER, sample

SLOW = [pytest.param(name, outcome, marks=pytest.mark.long) for name, outcome in sample_results.HUGE.items()]


def test_every_sample_file_has_an_expected_result() -> None:
    sample("odd/logo.svg")
    there = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*")}
    assert there == {*sample_results.ALL, *sample_results.NOT_TAKEN}


@pytest.mark.parametrize(("name", "outcome"), sample_results.ALL.items())
def test_the_type_of_every_sample_is_detected(name: str, outcome: Outcome) -> None:
    assert sniff(sample(name)[:HEAD_BYTES]) is KINDS[outcome.kind]


@pytest.mark.parametrize(("name", "words"), sample_results.NOT_TAKEN.items())
def test_an_unsupported_sample_is_described_in_the_error(name: str, words: str) -> None:
    with pytest.raises(UnsupportedType, match=words):
        sniff(sample(name)[:HEAD_BYTES])


@pytest.mark.parametrize(("name", "outcome"), {**sample_results.PICTURES, **sample_results.HUGE}.items())
def test_time_and_camera_of_every_sample_are_read(name: str, outcome: Outcome) -> None:
    metadata = read_metadata(sample(name), KINDS[outcome.kind])
    assert _taken(metadata) == outcome.taken
    assert metadata.taken_from == outcome.source
    assert metadata.camera == outcome.camera


@pytest.mark.parametrize(("name", "outcome"), [*sample_results.PICTURES.items(), *SLOW])
def test_every_picture_sample_is_rendered_or_damaged_with_a_reason(name: str, outcome: Outcome) -> None:
    if outcome.refused is not None:
        with pytest.raises(Damaged, match=outcome.refused):
            render(sample(name), KINDS[outcome.kind])
        return
    rendered = render(sample(name), KINDS[outcome.kind])
    assert (rendered.width, rendered.height, rendered.animated) == (outcome.width, outcome.height, outcome.animated)
    _check_sizes(rendered, outcome)


@pytest.mark.parametrize(("name", "outcome"), sample_results.VIDEO.items())
def test_a_video_sample_is_probed_and_has_a_poster(name: str, outcome: Outcome) -> None:
    file = io.BytesIO(sample(name))
    clip = probe_video(file, KINDS[outcome.kind])
    assert (clip.width, clip.height, clip.playable) == (outcome.width, outcome.height, True)
    rendered = render_poster(file, KINDS[outcome.kind])
    assert (rendered.width, rendered.height) == (outcome.width, outcome.height)
    _check_sizes(rendered, outcome)


def test_all_metadata_of_a_rich_photo_are_read() -> None:
    metadata = asdict(read_metadata(sample("camera/train.jpg"), KINDS["jpeg"]))
    assert {
        name: value for name, value in metadata.items() if name not in ("taken_at", "taken_offset", "taken_from")
    } == {
        "camera": "Apple iPhone 6s",
        "make": "Apple",
        "model": "iPhone 6s",
        "lens": "iPhone 6s back camera 4.15mm f/2.2",
        "iso": 25,
        "shutter_speed": "1/801",
        "f_number": 2.2,
        "focal_length": 4.15,
        "focal_length_35mm": 29,
        "exposure_bias": 0.0,
        "flash": False,
        "location": {"latitude": 52.2096778, "longitude": -0.8955306, "altitude": 103.64, "extra": {}},
        "orientation": 1,
        "rating": None,
        "title": None,
        "description": None,
        "keywords": (),
        "width": 4032,
        "height": 3024,
    }


def test_texts_are_read_from_iptc_and_xmp() -> None:
    falcon = read_metadata(sample("metadata/prairie_falcon.jpg"), KINDS["jpeg"])
    assert falcon.title == "Prairie falcon female with eggs"
    assert falcon.description is not None
    assert falcon.description.startswith("Adult female prairie falcon")
    assert falcon.keywords == ("SFAN", "PINN", "raptors", "Events", "birds", "monitoring", "prairie falcons")
    assert falcon.lens == "RF100-500mm F4.5-7.1 L IS USM"


def test_a_location_that_is_not_a_number_is_absent() -> None:
    assert read_metadata(sample("metadata/empty_gps.jpg"), KINDS["jpeg"]).location is None
    assert read_metadata(sample("odd/200MP.heic"), KINDS["heic"]).location is None


def _taken(metadata: Metadata) -> str | None:
    return None if metadata.taken_at is None else iso(metadata.taken_at) + (metadata.taken_offset or "")


def _check_sizes(rendered: RenderedPicture, outcome: Outcome) -> None:
    for name, side in (("large", 2048), ("medium", 720), ("thumb", 256)):
        scale = min(1, side / max(outcome.width, outcome.height))
        expected = (round(outcome.width * scale), round(outcome.height * scale))
        with Image.open(io.BytesIO(rendered.renditions[name])) as made:
            if name == "large":
                assert made.size == (outcome.large or expected)
            assert made.format == "WEBP"
            assert max(abs(one - other) for one, other in zip(made.size, expected, strict=True)) <= (
                32 if name == "large" else 1
            )
