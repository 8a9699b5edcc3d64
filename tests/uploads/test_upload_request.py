"""Upload requests and their validation."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from sparks.model.errors import BadInput, TooLarge, UnsupportedType
from sparks.model.photo import PhotoState, Visibility
from sparks.uploads.upload_request import UploadRequest, check_size, check_type, usable_name
from tests.factories import ANN, NOON, a_photo

IMAGE_ID = a_photo().image_id


def wish(**more: Any) -> UploadRequest:
    return UploadRequest(**{"filename": "sea.jpg", "size": 100, "owner": ANN, **more})


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("sea.jpg", "sea.jpg"),
        ("/home/ann/sea.jpg", "sea.jpg"),
        ("C:\\Users\\ann\\sea.jpg", "sea.jpg"),
        ("../../etc/passwd", "passwd"),
        ("a\x00b\nc\x7f.jpg", "abc.jpg"),
        ("gpj.\u202ees", "gpj.es"),
        ("half\ud800.jpg", "half.jpg"),
        ("u\u0308ber.jpg", "über.jpg"),
        ("  sea.jpg  ", "sea.jpg"),
        ("", None),
        (None, None),
        ("folder/", None),
        ("👩‍🚀.jpg", "👩‍🚀.jpg"),
        ("a" * 300 + ".jpeg", "a" * 250 + ".jpeg"),
        ("." + "a" * 300, "." + "a" * 254),
        ("a" * 300, "a" * 255),
    ],
)
def test_a_file_name_is_the_last_segment_of_a_path_without_invisible_characters(
    name: str | None, kept: str | None
) -> None:
    assert usable_name(name) == kept
    assert wish(filename=name).filename == kept


def test_an_upload_request_becomes_a_reservation_for_a_day() -> None:
    taken = datetime.fromisoformat("2025-08-01T09:24:22.1599+02:00")
    photo = wish(
        title=" Sea ", tags=("Sun", "sun", "sand"), taken_at=taken, taken_offset="+02:00", visibility=Visibility.PRIVATE
    ).reservation(IMAGE_ID, at=NOON)
    assert (photo.state, photo.owner, photo.file_size) == (PhotoState.RESERVED, ANN, 100)
    assert (photo.title, photo.tags, photo.visibility) == ("Sea", ("Sun", "sand"), Visibility.PRIVATE)
    assert photo.taken_at == datetime.fromisoformat("2025-08-01T07:24:22.159+00:00")
    assert (photo.expires_at, photo.ttl) == (NOON + timedelta(days=1), NOON + timedelta(days=31))
    assert photo.uploaded_by is None


def test_a_reservation_does_not_outlive_the_expiry_of_its_photo() -> None:
    soon = NOON + timedelta(hours=1)
    photo = wish(expires_at=soon).reservation(IMAGE_ID, at=NOON)
    assert (photo.expires_at, photo.kept_until) == (soon, soon)


@pytest.mark.parametrize(
    "off",
    [
        {"title": "a" * 256},
        {"description": "a" * 5001},
        {"alt_text": "a\x00b"},
        {"tags": tuple(f"tag {number}" for number in range(21))},
        {"tags": ("a" * 51,)},
        {"taken_at": datetime(2025, 1, 1)},  # noqa: DTZ001  without a zone, on purpose
        {"taken_offset": "2 hours"},
        {"sha256": "abc"},
        {"mime_type": "a picture"},
    ],
)
def test_values_that_cannot_be_stored_are_bad_input(off: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        wish(**off)


def test_an_expiry_in_the_past_is_bad_input() -> None:
    with pytest.raises(BadInput, match="has passed"):
        wish(expires_at=NOON).reservation(IMAGE_ID, at=NOON)


def test_an_empty_and_a_too_large_file_are_refused() -> None:
    check_size(1, most=100)
    check_size(100, most=100)
    with pytest.raises(TooLarge, match="101 bytes, but the maximum is 100"):
        check_size(101, most=100)
    with pytest.raises(UnsupportedType, match="an empty file"):
        check_size(0, most=100)


@pytest.mark.parametrize(
    "mime_type", [None, "image/jpeg", "video/x-matroska", "application/octet-stream", "image/x-raw"]
)
def test_a_declared_type_that_may_be_a_picture_passes(mime_type: str | None) -> None:
    check_type(mime_type)


@pytest.mark.parametrize(
    "mime_type", ["text/html", "application/pdf", "image/svg+xml", "AUDIO/mpeg", "application/xml"]
)
def test_a_declared_type_that_is_no_picture_or_video_is_refused(mime_type: str) -> None:
    with pytest.raises(UnsupportedType, match="pictures and videos"):
        check_type(mime_type)
