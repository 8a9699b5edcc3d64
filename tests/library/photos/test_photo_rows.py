"""Finding a photo by its id."""

import pytest

from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.photo_rows import find_photo, get_photo
from sparks.model import ids
from sparks.model.errors import NotFound
from sparks.model.photo import PhotoState
from sparks.table.port import Table
from tests.factories import ANN, NOON
from tests.library.photos.photo_makers import LATER, kept


def test_a_photo_is_found_by_its_id_in_any_state(any_table: Table) -> None:
    for state in PhotoState:
        photo = kept(any_table, state=state)
        assert find_photo(photo.image_id, table=any_table) == photo


@pytest.mark.parametrize("image_id", [ids.image_id_at(NOON), "", "x", "x" * 36, ANN, "a#b"], ids=lambda text: text[:3])
def test_a_missing_photo_is_not_found(table: Table, image_id: str) -> None:
    assert find_photo(image_id, table=table) is None
    with pytest.raises(NotFound, match="no such photo"):
        get_photo(image_id, at=NOON, table=table)


def test_a_photo_that_is_being_deleted_or_has_expired_is_not_found(table: Table) -> None:
    photo = kept(table)
    assert get_photo(photo.image_id, at=NOON, table=table) == photo
    begin_deletion(photo, table=table)
    with pytest.raises(NotFound):
        get_photo(photo.image_id, at=NOON, table=table)
    expiring = kept(table, expires_at=LATER)
    assert get_photo(expiring.image_id, at=NOON, table=table) == expiring
    with pytest.raises(NotFound):
        get_photo(expiring.image_id, at=LATER, table=table)
