"""The filter of rows for the community agrees with the rule of the audience."""

from datetime import timedelta
from itertools import product

import pytest

from sparks.library.photos.photo_lists import SHOWN_BY, is_shown_to_community
from sparks.library.records import from_item, to_item
from sparks.model.audience import is_in_community, is_shown
from sparks.model.photo import Photo, PhotoState, Visibility
from tests.factories import NOON, a_photo


@pytest.mark.parametrize(("state", "visibility"), [*product(PhotoState, Visibility)])
@pytest.mark.parametrize("expires_in", [None, -1, 0, 1])
def test_the_row_filter_keeps_exactly_the_photos_that_the_community_sees(
    state: PhotoState, visibility: Visibility, expires_in: int | None
) -> None:
    expires_at = None if expires_in is None else NOON + timedelta(seconds=expires_in)
    photo = a_photo(state=state, visibility=visibility, expires_at=expires_at)
    row = {name: value for name, value in to_item(photo).items() if name in SHOWN_BY}
    assert is_shown_to_community(NOON)(row) is (is_in_community(photo) and is_shown(photo, NOON))


def test_the_row_filter_reads_a_missing_visibility_as_a_photo_does() -> None:
    row = to_item(a_photo(state=PhotoState.READY))
    del row["visibility"]
    assert is_in_community(from_item(Photo, row))
    assert is_shown_to_community(NOON)(row)


def test_the_row_filter_leaves_out_an_unknown_visibility() -> None:
    row = to_item(a_photo(state=PhotoState.READY)) | {"visibility": "planet"}
    assert not is_shown_to_community(NOON)(row)
