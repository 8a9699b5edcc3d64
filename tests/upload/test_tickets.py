"""Reservations: made while there is room, given back once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import keys, objects
from sparks.library.limits import read_limit
from sparks.model.errors import Conflict, NotFound, UploadLimitReached
from sparks.model.photo import PhotoState
from sparks.table.port import Table
from sparks.upload.recording import record_upload
from sparks.upload.tickets import find_same, give_up_upload, reserve_upload
from tests.factories import NOON
from tests.library.tables import check_sum, new_account, photo_in
from tests.upload.files import a_jpeg, a_wish, keys_in, stored, upload

LATER = NOON + timedelta(hours=1)
LARGE = 17 * 1024 * 1024


def test_a_reservation_takes_a_photo_and_its_bytes(any_table: Table) -> None:
    owner = new_account(any_table, photos=2, bytes=1000)
    photo = reserve_upload(a_wish(owner, a_jpeg(600)), at=NOON, table=any_table)
    assert photo_in(any_table, photo) == photo
    limit = read_limit(owner, table=any_table)
    assert (limit.photos_left, limit.bytes_left) == (1, 400)
    with pytest.raises(UploadLimitReached):
        reserve_upload(a_wish(owner, a_jpeg(401)), at=NOON, table=any_table)
    check_sum(any_table, owner)


def test_of_many_at_once_as_many_are_reserved_as_there_is_room_for(any_table: Table) -> None:
    owner = new_account(any_table, photos=3, bytes=10**6)

    def reserve(_: int) -> bool:
        try:
            reserve_upload(a_wish(owner, a_jpeg()), at=NOON, table=any_table)
        except UploadLimitReached:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(reserve, range(20))) == 3
    check_sum(any_table, owner)


def test_a_large_file_is_to_come_in_parts(table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(table, photos=2, bytes=10**9)
    photo = reserve_upload(a_wish(owner, b"", size=LARGE), at=NOON, table=table, blobs=blobs)
    assert photo.upload_id is not None
    assert blobs.list_parts(objects.upload(photo.image_id), photo.upload_id) == []
    small = reserve_upload(a_wish(owner, b"", size=100), at=NOON, table=table, blobs=blobs)
    assert small.upload_id is None


def test_where_there_is_no_room_no_parts_are_waited_for(table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(table, photos=0, bytes=10**9)
    with pytest.raises(UploadLimitReached):
        reserve_upload(a_wish(owner, b"", size=LARGE), at=NOON, table=table, blobs=blobs)
    assert list(blobs.list_uploads(started_before=NOON + timedelta(days=36500))) == []


def test_an_account_that_is_gone_reserves_nothing(table: Table) -> None:
    with pytest.raises(NotFound):
        reserve_upload(a_wish("gone@example.com", a_jpeg()), at=NOON, table=table)


def test_what_is_given_up_is_given_back_once(any_table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(any_table, photos=1, bytes=LARGE)
    photo = reserve_upload(a_wish(owner, b"", size=LARGE), at=NOON, table=any_table, blobs=blobs)
    blobs.put(objects.upload(photo.image_id), [b"what came"])
    for _ in range(2):
        give_up_upload(photo, table=any_table, blobs=blobs)
        assert (keys_in(blobs), photo_in(any_table, photo)) == ([], None)
        assert read_limit(owner, table=any_table).used == 0
    assert list(blobs.list_uploads(started_before=NOON + timedelta(days=36500))) == []
    check_sum(any_table, owner)


def test_what_is_a_photo_by_now_is_not_given_up(table: Table, blobs: MemoryBlobs) -> None:
    owner, data = new_account(table, photos=1, bytes=10**4), a_jpeg()
    photo = reserve_upload(a_wish(owner, data), at=NOON, table=table)
    original = stored(photo, data, blobs)
    record_upload(photo, original, at=NOON, table=table, blobs=blobs)
    with pytest.raises(Conflict):
        give_up_upload(photo, original.key, table=table, blobs=blobs)
    assert keys_in(blobs) == [original.key]


def test_what_was_only_reserved_is_not_the_same_bytes(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=10**4)
    reserve_upload(a_wish(owner, a_jpeg(), sha256="a" * 64), at=NOON, table=table)
    assert find_same(owner, "a" * 64, at=NOON, table=table) is None


def test_what_has_expired_is_not_the_same_bytes(table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(table, photos=1, bytes=10**4)
    photo = upload(owner, a_jpeg(), table=table, blobs=blobs, expires_at=LATER).photo
    assert photo.state is PhotoState.PENDING
    assert find_same(owner, photo.sha256 or "", at=NOON, until=LATER, table=table) is not None
    assert find_same(owner, photo.sha256 or "", at=LATER, until=LATER, table=table) is None
    assert table.get(keys.same_bytes(owner, photo.sha256 or "")) is not None
