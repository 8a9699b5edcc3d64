"""A repeated upload extends the expiry of its photo."""

from datetime import datetime, timedelta

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import entity_types
from sparks.library.duplicates import extend_expiry
from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.model.errors import BadInput, NotFound
from sparks.model.events import PhotoChanged
from sparks.model.photo import PhotoState
from sparks.table.port import Table, every
from sparks.upkeep.expired_photos import expired_photos
from sparks.uploads.upload_request import LATEST_EXPIRY
from tests.factories import NOON
from tests.library.tables import Meddled, check_sum, move, new_account, photo_in
from tests.uploads.files import a_jpeg, an_upload_request, upload

SOON, LATER = NOON + timedelta(hours=1), NOON + timedelta(hours=2)


@pytest.fixture
def owner(any_table: Table) -> str:
    return new_account(any_table, photos=10, bytes=10**6)


def photos_due_of(table: Table, owner: str, *, at: datetime) -> list[str]:
    due = expired_photos(at=at, trash_days=30, table=table)
    return [each.photo.image_id for each in due if each.photo.owner == owner]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (SOON, None, None),
        (SOON, LATER, LATER),
        (LATER, SOON, LATER),
        (None, SOON, None),
    ],
)
def test_a_repeated_upload_extends_the_expiry_and_never_shortens_it(
    any_table: Table,
    blobs: MemoryBlobs,
    owner: str,
    first: datetime | None,
    second: datetime | None,
    kept: datetime | None,
) -> None:
    data = a_jpeg()
    photo = upload(owner, data, table=any_table, blobs=blobs, expires_at=first).photo
    again = upload(owner, data, table=any_table, blobs=blobs, expires_at=second)
    assert (again.duplicate, again.photo.image_id, again.photo.expires_at) == (True, photo.image_id, kept)
    row = photo_in(any_table, photo)
    assert row is not None
    assert (row.expires_at, row.ttl) == (kept, None if kept is None else kept + timedelta(days=30))
    expiring = [item for item in every(any_table, entity_types.EXPIRING) if item["PK"] == photo.image_id]
    assert len(expiring) == (0 if kept is None else 1)
    assert photos_due_of(any_table, owner, at=SOON) == []
    check_sum(any_table, owner)


def test_a_photo_whose_expiry_is_removed_appears_in_its_lists(table: Table, blobs: MemoryBlobs) -> None:
    owner, data = new_account(table, photos=2, bytes=10**4), a_jpeg()
    photo = upload(owner, data, table=table, blobs=blobs, expires_at=SOON).photo
    again = upload(owner, data, table=table, blobs=blobs)
    assert again.follows == PhotoChanged(photo.image_id, owner)


def test_a_repeated_upload_restores_a_trashed_photo_and_removes_its_expiry(table: Table, blobs: MemoryBlobs) -> None:
    owner, data = new_account(table, photos=2, bytes=10**4), a_jpeg()
    photo = upload(owner, data, table=table, blobs=blobs, expires_at=SOON).photo
    trash_photo(move(table, photo, PhotoState.READY), at=NOON, table=table)
    again = upload(owner, data, table=table, blobs=blobs)
    assert (again.photo.state, again.photo.expires_at) == (PhotoState.READY, None)


def test_the_expiry_of_a_photo_that_is_deleted_meanwhile_is_not_extended(table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(table, photos=2, bytes=10**4)
    photo = upload(owner, a_jpeg(), table=table, blobs=blobs, expires_at=SOON).photo
    meddled = Meddled(table, lambda: begin_deletion(photo, table=table))
    with pytest.raises(NotFound):
        extend_expiry(photo, None, table=meddled)
    assert photos_due_of(table, owner, at=LATER) == []
    check_sum(table, owner)


def test_an_expiry_at_the_end_of_the_calendar_is_refused() -> None:
    with pytest.raises(BadInput, match="for good"):
        an_upload_request("ann@example.com", b"", expires_at=LATEST_EXPIRY)
