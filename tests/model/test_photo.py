"""Photos: their month, and whose list they are in."""

from datetime import UTC, datetime

import pytest

from sparks.model.ids import image_id_at
from sparks.model.photo import PhotoState, size_name
from tests.factories import ANN, a_photo

NEW_YEAR = datetime(2024, 12, 31, 23, 30, tzinfo=UTC)


def test_a_photo_is_of_the_month_in_which_it_was_taken_where_it_was_taken() -> None:
    assert a_photo(taken_at=NEW_YEAR).month == "2024-12"
    assert a_photo(taken_at=NEW_YEAR, taken_offset="+01:00").month == "2025-01"


def test_a_photo_without_a_time_is_of_the_month_of_its_upload() -> None:
    assert a_photo(taken_at=None, uploaded_at=NEW_YEAR).month == "2024-12"


def test_a_photo_without_any_time_is_of_the_month_in_its_id() -> None:
    photo = a_photo(taken_at=None, uploaded_at=None, image_id=image_id_at(NEW_YEAR))
    assert (photo.month, photo.time) == ("2024-12", NEW_YEAR)


@pytest.mark.parametrize("image_id", ["9f1c2d3e-4b5a-4c6d-8e7f-a0b1c2d3e4f5", "ffffffff-ffff-7c6d-8e7f-a0b1c2d3e4f5"])
def test_a_photo_whose_id_holds_no_time_has_no_month(image_id: str) -> None:
    assert a_photo(taken_at=None, uploaded_at=None, image_id=image_id).month is None


def test_a_photo_that_is_still_to_come_has_no_month() -> None:
    assert a_photo(taken_at=None, uploaded_at=None, state=PhotoState.RESERVED).month is None


@pytest.mark.parametrize("state", PhotoState)
def test_a_reserved_trashed_or_deleting_photo_is_in_no_list_of_uploads(state: PhotoState) -> None:
    hidden = state in {PhotoState.RESERVED, PhotoState.TRASHED, PhotoState.DELETING}
    assert a_photo(state=state).uploaded_by == (None if hidden else ANN)


def test_sizes_are_named_in_capitals() -> None:
    assert size_name("large") == "LARGE"
