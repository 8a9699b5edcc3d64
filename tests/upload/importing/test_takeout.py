"""What Google Takeout tells."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sparks.model.photo import Location
from sparks.upload.importing.takeout import Note, read_album, read_note

NOON = datetime(2019, 7, 4, 12, 0, tzinfo=UTC)


def raw(**told: Any) -> bytes:
    return json.dumps({"photoTakenTime": {"timestamp": str(int(NOON.timestamp()))}} | told).encode()


def test_a_photos_file_tells_its_name_words_time_and_place() -> None:
    geo = {"latitude": 48.8584, "longitude": 2.2945, "altitude": 35.5, "latitudeSpan": 0.0}
    assert read_note(raw(title="IMG_1.jpg", description="Tour\nEiffel", geoData=geo)) == Note(
        title="IMG_1.jpg",
        description="Tour\nEiffel",
        taken_at=NOON,
        location=Location(latitude=48.8584, longitude=2.2945, altitude=35.5),
    )


def test_nowhere_is_no_place_and_the_cameras_place_is_second() -> None:
    nowhere = {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0}
    there = {"latitude": -33.9, "longitude": 18.4, "altitude": 0.0}
    told = read_note(raw(geoData=nowhere, geoDataExif=there))
    assert told is not None
    assert told.location == Location(latitude=-33.9, longitude=18.4)
    told = read_note(raw(geoData=nowhere, geoDataExif=nowhere))
    assert told is not None
    assert told.location is None


def test_a_time_before_1970_is_one() -> None:
    told = read_note(raw(photoTakenTime={"timestamp": "-86400"}))
    assert told is not None
    assert told.taken_at == datetime(1969, 12, 31, tzinfo=UTC)


@pytest.mark.parametrize("time", ["0", "", "soon", "9" * 40, "99999999999", "-99999999999", None, {}, [], 1.5, False])
def test_a_time_that_nobody_knows_is_none(time: Any) -> None:
    told = read_note(raw(photoTakenTime={"timestamp": time}))
    assert told is not None
    assert told.taken_at is None


def test_what_is_in_the_bin_says_so() -> None:
    told = read_note(raw(trashed=True))
    assert told is not None
    assert told.is_trashed


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"null", b'"text"', b"\xff\xfe", b'{"title": "x"}', b"[" * 100_000]
)
def test_what_is_not_about_a_photo_is_nothing(content: bytes) -> None:
    assert read_note(content) is None


@pytest.mark.parametrize(
    "odd", [{"title": 5}, {"description": []}, {"geoData": "here"}, {"geoData": {"latitude": "1"}}]
)
def test_values_of_other_types_are_absent(odd: dict[str, Any]) -> None:
    assert read_note(raw(**odd)) == Note(taken_at=NOON)


def test_an_albums_file_tells_its_title_in_both_forms() -> None:
    assert read_album(b'{"title": "Gary\'s birthday", "description": "", "access": "protected"}') == "Gary's birthday"
    assert read_album(b'{"albumData": {"title": "Paris 2019"}}') == "Paris 2019"


@pytest.mark.parametrize("content", [b"{}", b'{"title": ""}', b'{"title": 3}', raw(title="IMG_1.jpg"), b"nonsense"])
def test_what_is_no_album_has_no_title(content: bytes) -> None:
    assert read_album(content) is None
