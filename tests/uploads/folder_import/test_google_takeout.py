"""Parsing of Google Takeout's metadata files."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sparks.model.photo import Location
from sparks.uploads.folder_import.google_takeout import TakeoutMetadata, parse_takeout_album, parse_takeout_metadata

NOON = datetime(2019, 7, 4, 12, 0, tzinfo=UTC)


def raw(**told: Any) -> bytes:
    return json.dumps({"photoTakenTime": {"timestamp": str(int(NOON.timestamp()))}} | told).encode()


def test_a_photos_takeout_file_gives_its_title_description_time_and_location() -> None:
    geo = {"latitude": 48.8584, "longitude": 2.2945, "altitude": 35.5, "latitudeSpan": 0.0}
    assert parse_takeout_metadata(raw(title="IMG_1.jpg", description="Tour\nEiffel", geoData=geo)) == TakeoutMetadata(
        title="IMG_1.jpg",
        description="Tour\nEiffel",
        taken_at=NOON,
        location=Location(latitude=48.8584, longitude=2.2945, altitude=35.5),
    )


def test_the_coordinates_zero_are_no_location_and_the_cameras_location_is_second() -> None:
    nowhere = {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0}
    there = {"latitude": -33.9, "longitude": 18.4, "altitude": 0.0}
    told = parse_takeout_metadata(raw(geoData=nowhere, geoDataExif=there))
    assert told is not None
    assert told.location == Location(latitude=-33.9, longitude=18.4)
    told = parse_takeout_metadata(raw(geoData=nowhere, geoDataExif=nowhere))
    assert told is not None
    assert told.location is None


def test_a_time_before_1970_is_valid() -> None:
    told = parse_takeout_metadata(raw(photoTakenTime={"timestamp": "-86400"}))
    assert told is not None
    assert told.taken_at == datetime(1969, 12, 31, tzinfo=UTC)


@pytest.mark.parametrize("time", ["0", "", "soon", "9" * 40, "99999999999", "-99999999999", None, {}, [], 1.5, False])
def test_an_unknown_time_is_none(time: Any) -> None:
    told = parse_takeout_metadata(raw(photoTakenTime={"timestamp": time}))
    assert told is not None
    assert told.taken_at is None


def test_a_photo_in_googles_trash_is_marked() -> None:
    told = parse_takeout_metadata(raw(trashed=True))
    assert told is not None
    assert told.is_trashed


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"null", b'"text"', b"\xff\xfe", b'{"title": "x"}', b"[" * 100_000]
)
def test_a_file_that_does_not_describe_a_photo_gives_none(content: bytes) -> None:
    assert parse_takeout_metadata(content) is None


@pytest.mark.parametrize(
    "odd", [{"title": 5}, {"description": []}, {"geoData": "here"}, {"geoData": {"latitude": "1"}}]
)
def test_values_of_wrong_types_are_ignored(odd: dict[str, Any]) -> None:
    assert parse_takeout_metadata(raw(**odd)) == TakeoutMetadata(taken_at=NOON)


def test_an_albums_file_gives_its_title_in_both_forms() -> None:
    assert (
        parse_takeout_album(b'{"title": "Gary\'s birthday", "description": "", "access": "protected"}')
        == "Gary's birthday"
    )
    assert parse_takeout_album(b'{"albumData": {"title": "Paris 2019"}}') == "Paris 2019"


@pytest.mark.parametrize("content", [b"{}", b'{"title": ""}', b'{"title": 3}', raw(title="IMG_1.jpg"), b"nonsense"])
def test_a_file_that_describes_no_album_gives_no_title(content: bytes) -> None:
    assert parse_takeout_album(content) is None
