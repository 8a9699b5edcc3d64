"""Finalizing uploads: the same bytes of one owner make one photo, and duplicates leave nothing."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import entity_types, keys
from sparks.library.duplicates import find_existing_photo
from sparks.library.photo_deletion import begin_deletion, delete_rows_and_blobs
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.records import from_item, to_item
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.errors import ConditionFailed, NotFound, UploadLimitReached
from sparks.model.events import PhotoChanged, Uploaded
from sparks.model.photo import ORIGINAL, AssetType, Photo, PhotoState, ProcessingStatus
from sparks.model.photo_index import ContentDigest, Expiry
from sparks.table.port import Absent, Change, Put, Table
from sparks.uploads.finalize import FinalizedUpload, finalize_upload
from sparks.uploads.reservations import reserve_upload
from tests.factories import NOON
from tests.library.tables import check_sum, move, new_account, photo_in
from tests.uploads.files import a_jpeg, an_upload_request, keys_in, stored, upload


@pytest.fixture
def owner(any_table: Table) -> str:
    return new_account(any_table, photos=100, bytes=10**6)


def test_a_finalized_photo_is_pending(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    recorded = upload(owner, data, table=any_table, blobs=blobs, title="Sea")
    photo = recorded.photo
    assert photo_in(any_table, photo) == photo
    assert recorded == FinalizedUpload(photo, duplicate=False, follows=Uploaded(photo.image_id, owner))
    assert (photo.state, photo.processing_status) == (PhotoState.PENDING, ProcessingStatus.PENDING)
    assert (photo.original_key, photo.sizes) == (f"originals/{photo.image_id}.jpg", (ORIGINAL,))
    assert (photo.mime_type, photo.asset_type, photo.file_size) == ("image/jpeg", AssetType.IMAGE, len(data))
    assert (photo.expires_at, photo.ttl, photo.upload_id) == (None, None, None)
    assert (photo.title, photo.uploaded_at) == ("Sea", NOON)
    check_sum(any_table, owner)


def test_a_finalized_photo_is_found_by_its_bytes(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    photo = upload(owner, a_jpeg(), table=any_table, blobs=blobs).photo
    for digest in (photo.sha256, photo.sha1):
        row = any_table.get(keys.content_digest(owner, digest or ""))
        assert row is not None
        assert from_item(ContentDigest, row).image_id == photo.image_id


def test_the_same_bytes_return_the_existing_photo(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    first = upload(owner, data, table=any_table, blobs=blobs).photo
    again = upload(owner, data, table=any_table, blobs=blobs)
    assert (again.photo, again.duplicate, again.follows) == (first, True, None)
    assert keys_in(blobs) == [first.original_key]
    assert read_limit(owner, table=any_table).photos_left == 99
    check_sum(any_table, owner)


def test_of_twenty_copies_at_once_one_becomes_the_photo(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    with ThreadPoolExecutor(20) as pool:
        all_recorded = list(pool.map(lambda _: upload(owner, data, table=any_table, blobs=blobs), range(20)))
    assert Counter(recorded.duplicate for recorded in all_recorded) == {True: 19, False: 1}
    (image_id,) = {recorded.photo.image_id for recorded in all_recorded}
    assert keys_in(blobs) == [f"originals/{image_id}.jpg"]
    limit = read_limit(owner, table=any_table)
    assert (limit.used, limit.bytes_used) == (1, len(data))
    check_sum(any_table, owner)


def test_two_owners_may_have_the_same_bytes(table: Table, blobs: MemoryBlobs) -> None:
    data = a_jpeg()
    owners = [new_account(table, photos=1, bytes=10**4) for _ in range(2)]
    photos = {upload(owner, data, table=table, blobs=blobs).photo.image_id for owner in owners}
    assert len(photos) == 2


def test_the_same_bytes_restore_a_photo_from_the_trash(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    first = upload(owner, data, table=any_table, blobs=blobs).photo
    trash_photo(first, at=NOON, table=any_table)
    again = upload(owner, data, table=any_table, blobs=blobs)
    assert (again.photo.image_id, again.photo.state) == (first.image_id, PhotoState.PENDING)
    assert again.follows == Uploaded(first.image_id, owner)


def test_a_finished_photo_that_is_restored_from_the_trash_appears_in_its_lists(
    table: Table, blobs: MemoryBlobs
) -> None:
    owner, data = new_account(table, photos=2, bytes=10**4), a_jpeg()
    ready = move(table, upload(owner, data, table=table, blobs=blobs).photo, PhotoState.READY)
    trash_photo(ready, at=NOON, table=table)
    again = upload(owner, data, table=table, blobs=blobs)
    assert again.follows == PhotoChanged(ready.image_id, owner)


def test_the_bytes_of_a_deleted_photo_may_be_uploaded_again(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    first = upload(owner, data, table=any_table, blobs=blobs).photo
    begin_deletion(first, table=any_table)
    again = upload(owner, data, table=any_table, blobs=blobs)
    assert (again.duplicate, again.photo.image_id == first.image_id) == (False, False)
    delete_rows_and_blobs(first, table=any_table, blobs=blobs)
    assert find_existing_photo(owner, again.photo.sha256 or "", at=NOON, table=any_table) is not None
    check_sum(any_table, owner)


def test_the_bytes_of_an_expired_photo_may_be_uploaded_again(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data, soon = a_jpeg(), NOON + timedelta(hours=1)
    first = upload(owner, data, table=any_table, blobs=blobs, expires_at=soon).photo
    photo = reserve_upload(an_upload_request(owner, data), at=soon, table=any_table)
    again = finalize_upload(photo, stored(photo, data, blobs), at=soon, table=any_table, blobs=blobs)
    assert not again.duplicate
    delete_rows_and_blobs(first, table=any_table, blobs=blobs)
    same = find_existing_photo(owner, again.photo.sha256 or "", at=soon, table=any_table)
    assert same is not None
    assert same.photo.image_id == again.photo.image_id
    check_sum(any_table, owner)


def test_another_file_with_the_same_sha1_is_another_photo(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    first = upload(owner, a_jpeg(), table=any_table, blobs=blobs).photo
    data = a_jpeg()
    photo = reserve_upload(an_upload_request(owner, data), at=NOON, table=any_table)
    forged = replace(stored(photo, data, blobs), sha1=first.sha1)
    recorded = finalize_upload(photo, forged, at=NOON, table=any_table, blobs=blobs)
    assert not recorded.duplicate
    row = any_table.get(keys.content_digest(owner, first.sha1 or ""))
    assert row is not None
    assert row["imageId"] == first.image_id


def test_a_photo_with_an_expiry_is_listed_under_that_time(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    soon = NOON + timedelta(days=7)
    photo = upload(owner, a_jpeg(), table=any_table, blobs=blobs, expires_at=soon).photo
    assert (photo.expires_at, photo.ttl) == (soon, soon + timedelta(days=30))
    rows = any_table.query(entity_types.EXPIRING, limit=1000).items
    mine = [row for row in rows if row["PK"] == photo.image_id]
    assert mine == [to_item(Expiry(image_id=photo.image_id, owner=owner, expires_at=soon))]
    delete_rows_and_blobs(photo, table=any_table, blobs=blobs)
    assert any_table.get(keys.expiry(photo.image_id)) is None


def test_finalizing_again_is_harmless(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    photo = reserve_upload(an_upload_request(owner, data), at=NOON, table=any_table)
    original = stored(photo, data, blobs)
    for _ in range(2):
        recorded = finalize_upload(photo, original, at=NOON, table=any_table, blobs=blobs)
        assert (recorded.photo.image_id, recorded.duplicate) == (photo.image_id, False)
    assert keys_in(blobs) == [original.key]
    check_sum(any_table, owner)


def test_an_original_without_hashes_is_finalized_without_them(table: Table, blobs: MemoryBlobs) -> None:
    owner, data = new_account(table, photos=1, bytes=10**4), a_jpeg()
    photo = reserve_upload(an_upload_request(owner, data, sha256="a" * 64), at=NOON, table=table)
    original = replace(stored(photo, data, blobs), sha256=None, sha1=None)
    recorded = finalize_upload(photo, original, at=NOON, table=table, blobs=blobs)
    assert (recorded.photo.sha256, recorded.photo.sha1) == (None, None)
    assert table.get(keys.content_digest(owner, "a" * 64)) is None


@pytest.mark.parametrize("hours", [1, 25])
def test_a_cancelled_or_expired_upload_leaves_nothing(
    any_table: Table, blobs: MemoryBlobs, owner: str, hours: int
) -> None:
    data = a_jpeg()
    photo = reserve_upload(an_upload_request(owner, data), at=NOON, table=any_table)
    if hours < 24:
        begin_deletion(photo, table=any_table)
    original = stored(photo, data, blobs)
    with pytest.raises(NotFound, match="begin a new one"):
        finalize_upload(photo, original, at=NOON + timedelta(hours=hours), table=any_table, blobs=blobs)
    assert keys_in(blobs) == []
    assert photo_in(any_table, photo) is None
    assert read_limit(owner, table=any_table).used == 0


def test_a_file_that_exceeds_the_limit_leaves_nothing(any_table: Table, blobs: MemoryBlobs) -> None:
    owner = new_account(any_table, photos=1, bytes=999)
    data = a_jpeg(1000)
    photo = reserve_upload(an_upload_request(owner, data, size=0), at=NOON, table=any_table)
    with pytest.raises(UploadLimitReached):
        finalize_upload(photo, stored(photo, data, blobs), at=NOON, table=any_table, blobs=blobs)
    assert keys_in(blobs) == []
    limit = read_limit(owner, table=any_table)
    assert (limit.photos_left, limit.bytes_left) == (1, 999)


def test_extra_changes_are_written_together_with_the_photo(any_table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    told: list[tuple[str, bool]] = []

    def also(photo: Photo, *, duplicate: bool) -> list[Change]:
        told.append((photo.image_id, duplicate))
        return [Put({"PK": f"NOTE#{owner}", "SK": "NOTE"}, when=(Absent(),))]

    first, second = (reserve_upload(an_upload_request(owner, data), at=NOON, table=any_table) for _ in range(2))
    finalize_upload(first, stored(first, data, blobs), at=NOON, table=any_table, blobs=blobs, also=also)
    with pytest.raises(ConditionFailed):
        finalize_upload(second, stored(second, data, blobs), at=NOON, table=any_table, blobs=blobs, also=also)
    assert told[0] == (first.image_id, False)
    assert photo_in(any_table, second) == second


def test_extra_changes_of_a_duplicate_get_the_existing_photo(table: Table, blobs: MemoryBlobs) -> None:
    owner, data = new_account(table, photos=2, bytes=10**4), a_jpeg()
    there = upload(owner, data, table=table, blobs=blobs).photo

    def also(photo: Photo, *, duplicate: bool) -> list[Change]:
        return [Put({"PK": "NOTE", "SK": "NOTE", "about": photo.image_id, "duplicate": duplicate}, when=(Absent(),))]

    photo = reserve_upload(an_upload_request(owner, data), at=NOON, table=table)
    finalize_upload(photo, stored(photo, data, blobs), at=NOON, table=table, blobs=blobs, also=also)
    assert table.query(keys.photo_rows(photo.image_id)).items == []
    note = table.scan().items
    assert [item["about"] for item in note if item["PK"] == "NOTE"] == [there.image_id]
