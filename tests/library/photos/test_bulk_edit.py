"""Bulk edits: tags are added and removed independently of other changes."""

import pytest

from sparks.library.photos.edit_and_trash import bulk_edit_photo, edit_photo
from sparks.library.photos.photo_edit import BulkPhotoEdit, PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.model.errors import BadInput, NotFound
from sparks.model.photo import Visibility
from sparks.table.port import Table
from tests.factories import a_photo
from tests.library.photos.photo_makers import LATER, kept
from tests.library.tables import Meddled

TWENTY = tuple(f"tag {number}" for number in range(20))


@pytest.mark.parametrize(
    ("had", "add", "remove", "has"),
    [
        (("Sea",), ("wind",), (), ("Sea", "wind")),
        (("Sea",), ("sea", " SEA "), (), ("Sea",)),
        (("Sea", "wind"), (), ("SEA",), ("wind",)),
        (("Sea",), ("sea",), ("sea",), ("sea",)),
        (("sea", "wind"), ("sea",), ("sea",), ("sea", "wind")),
        (("Sea",), (), ("wind",), ("Sea",)),
        ((), ("", "  "), ("",), ()),
        (TWENTY, ("one more",), ("tag 7",), (*TWENTY[:7], *TWENTY[8:], "one more")),
        ((*TWENTY, "too many", "x" * 60), TWENTY[:1], ("tag 0", "x" * 60), (*TWENTY, "too many")),
    ],
    ids=str,
)
def test_tags_are_added_and_removed_ignoring_case(
    had: tuple[str, ...], add: tuple[str, ...], remove: tuple[str, ...], has: tuple[str, ...]
) -> None:
    adjusted = BulkPhotoEdit(add_tags=add, remove_tags=remove).applied_to(a_photo(tags=had))
    assert adjusted.tags == has


def test_no_photo_gets_more_tags_than_it_may_have() -> None:
    with pytest.raises(BadInput, match="at most 20 tags, and this one would have 21"):
        BulkPhotoEdit(add_tags=("one more",)).applied_to(a_photo(tags=TWENTY))
    with pytest.raises(BadInput, match="at most 50 characters"):
        BulkPhotoEdit(add_tags=("x" * 51,))


def test_a_concurrent_change_stays(table: Table) -> None:
    photo = kept(table, tags=("sea",))
    edit = PhotoEdit(title="Waves", tags=("sea", "wind"))
    meddled = Meddled(table, lambda: edit_photo(photo, edit, version=1, at=LATER, table=table))
    adjustment = BulkPhotoEdit(add_tags=("wind", "salt"), remove_tags=("sea",), visibility=Visibility.PRIVATE)
    before, after = bulk_edit_photo(photo, adjustment, at=LATER, table=meddled)
    assert (before.tags, before.version) == (("sea", "wind"), 2)
    assert (after.tags, after.title, after.visibility) == (("wind", "salt"), "Waves", Visibility.PRIVATE)
    assert (after.version, after.updated_at) == (3, LATER)
    assert find_photo(photo.image_id, table=table) == after


def test_a_bulk_edit_without_effect_writes_nothing(table: Table) -> None:
    photo = kept(table, tags=("sea",))
    adjustment = BulkPhotoEdit(add_tags=("Sea",), remove_tags=("wind",), visibility=photo.visibility)
    assert bulk_edit_photo(photo, adjustment, at=LATER, table=table) == (photo, photo)
    assert find_photo(photo.image_id, table=table) == photo


def test_a_photo_that_has_expired_is_not_there(table: Table) -> None:
    photo = kept(table, expires_at=LATER)
    with pytest.raises(NotFound):
        bulk_edit_photo(photo, BulkPhotoEdit(add_tags=("sea",)), at=LATER, table=table)
