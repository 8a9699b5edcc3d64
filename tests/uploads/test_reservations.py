"""Reservations: made within the limit, returned to it once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys, keys
from sparks.library.duplicates import find_existing_photo
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.errors import Conflict, NotFound, UploadLimitReached
from sparks.model.photo import PhotoState
from sparks.table.port import Table
from sparks.uploads.finalize import finalize_upload
from sparks.uploads.reservations import cancel_upload, reserve_upload
from tests.factories import NOON
from tests.library.tables import check_sum, new_account, photo_in
from tests.uploads.files import a_jpeg, an_upload_request, keys_in, stored, upload

LATER = NOON + timedelta(hours=1)
LARGE = 17 * 1024 * 1024


def test_a_reservation_takes_a_photo_and_its_bytes_from_the_limit(any_table: Table) -> None:
    owner = new_account(any_table, photos=2, bytes=1000)
    photo = reserve_upload(an_upload_request(owner, a_jpeg(600)), at=NOON, table=any_table)
    assert photo_in(any_table, photo) == photo
    limit = read_limit(owner, table=any_table)
    assert (limit.photos_left, limit.bytes_left) == (1, 400)
    with pytest.raises(UploadLimitReached):
        reserve_upload(an_upload_request(owner, a_jpeg(401)), at=NOON, table=any_table)
    check_sum(any_table, owner)


def test_of_many_concurrent_reservations_only_as_many_succeed_as_the_limit_allows(any_table: Table) -> None:
    owner = new_account(any_table, photos=3, bytes=10**6)

    def reserve(_: int) -> bool:
        try:
            reserve_upload(an_upload_request(owner, a_jpeg()), at=NOON, table=any_table)
        except UploadLimitReached:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(reserve, range(20))) == 3
    check_sum(any_table, owner)


def test_a_large_file_begins_a_multipart_upload(table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(table, photos=2, bytes=10**9)
    photo = reserve_upload(an_upload_request(owner, b"", size=LARGE), at=NOON, table=table, blobs=blobs)
    assert photo.upload_id is not None
    assert blobs.list_parts(blob_keys.upload(photo.image_id), photo.upload_id) == []
    small = reserve_upload(an_upload_request(owner, b"", size=100), at=NOON, table=table, blobs=blobs)
    assert small.upload_id is None


def test_a_reservation_above_the_limit_leaves_no_multipart_upload(table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(table, photos=0, bytes=10**9)
    with pytest.raises(UploadLimitReached):
        reserve_upload(an_upload_request(owner, b"", size=LARGE), at=NOON, table=table, blobs=blobs)
    assert list(blobs.list_uploads(started_before=NOON + timedelta(days=36500))) == []


def test_a_removed_account_reserves_nothing(table: Table) -> None:
    with pytest.raises(NotFound):
        reserve_upload(an_upload_request("gone@example.com", a_jpeg()), at=NOON, table=table)


def test_a_cancelled_reservation_is_returned_to_the_limit_once(any_table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(any_table, photos=1, bytes=LARGE)
    photo = reserve_upload(an_upload_request(owner, b"", size=LARGE), at=NOON, table=any_table, blobs=blobs)
    blobs.put(blob_keys.upload(photo.image_id), [b"what came"])
    for _ in range(2):
        cancel_upload(photo, table=any_table, blobs=blobs)
        assert (keys_in(blobs), photo_in(any_table, photo)) == ([], None)
        assert read_limit(owner, table=any_table).used == 0
    assert list(blobs.list_uploads(started_before=NOON + timedelta(days=36500))) == []
    check_sum(any_table, owner)


def test_a_completed_upload_cannot_be_cancelled(table: Table, blobs: MemoryBlobs) -> None:
    owner, data = new_account(table, photos=1, bytes=10**4), a_jpeg()
    photo = reserve_upload(an_upload_request(owner, data), at=NOON, table=table)
    original = stored(photo, data, blobs)
    finalize_upload(photo, original, at=NOON, table=table, blobs=blobs)
    with pytest.raises(Conflict):
        cancel_upload(photo, original.key, table=table, blobs=blobs)
    assert keys_in(blobs) == [original.key]


def test_a_reservation_is_not_found_as_a_duplicate(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=10**4)
    reserve_upload(an_upload_request(owner, a_jpeg(), sha256="a" * 64), at=NOON, table=table)
    assert find_existing_photo(owner, "a" * 64, at=NOON, table=table) is None


def test_an_expired_photo_is_not_found_as_a_duplicate(table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(table, photos=1, bytes=10**4)
    photo = upload(owner, a_jpeg(), table=table, blobs=blobs, expires_at=LATER).photo
    assert photo.state is PhotoState.PENDING
    assert find_existing_photo(owner, photo.sha256 or "", at=NOON, until=LATER, table=table) is not None
    assert find_existing_photo(owner, photo.sha256 or "", at=LATER, until=LATER, table=table) is None
    assert table.get(keys.content_digest(owner, photo.sha256 or "")) is not None
