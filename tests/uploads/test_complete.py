"""Completion of uploads by signed URLs, also repeated and concurrent."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.photo_deletion import begin_deletion, delete_rows_and_blobs
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.errors import Conflict, Damaged, NotFound, UnsupportedType
from sparks.model.photo import Photo, PhotoState
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from sparks.uploads.complete import complete_upload
from sparks.uploads.finalize import FinalizedUpload
from sparks.uploads.reservations import reserve_upload
from sparks.uploads.upload_urls import expected_parts
from tests.account_makers import at_once
from tests.factories import NOON
from tests.library.tables import Meddled, check_sum, new_account, photo_in
from tests.uploads.files import KEYRING, a_jpeg, an_upload_request, keys_in

LARGE = 17 * 1024 * 1024


@pytest.fixture
def owner(table: Table) -> str:
    return new_account(table, photos=10, bytes=10**9)


def begun(owner: str, data: bytes, *, table: Table, blobs: Blobs, **more: Any) -> Photo:
    return reserve_upload(an_upload_request(owner, data, **more), at=NOON, table=table, blobs=blobs)


def send(photo: Photo, data: bytes, blobs: Blobs, *, without: int = 0) -> None:
    """As a client does, but for one part."""
    key = blob_keys.upload(photo.image_id)
    if photo.upload_id is None:
        blobs.put(key, [data])
        return
    start = 0
    for number, size in expected_parts(photo).items():
        if number != without:
            blobs.put_part(key, photo.upload_id, number, [data[start : start + size]], size=size)
        start += size


def complete(photo: Photo, *, table: Table, blobs: Blobs) -> FinalizedUpload:
    return complete_upload(photo, at=NOON, table=table, blobs=blobs)


@pytest.mark.parametrize("size", [1000, LARGE])
def test_the_uploaded_file_becomes_the_original(table: Table, any_blobs: Blobs, owner: str, size: int) -> None:
    data = a_jpeg(size)
    photo = begun(owner, data, table=table, blobs=any_blobs)
    send(photo, data, any_blobs)
    recorded = complete(photo, table=table, blobs=any_blobs).photo
    assert photo_in(table, photo) == recorded
    assert recorded.state is PhotoState.PENDING
    assert recorded.sha256 == hashlib.sha256(data).hexdigest()
    assert keys_in(any_blobs) == [recorded.original_key]
    assert b"".join(any_blobs.open(recorded.original_key or "")) == data
    check_sum(table, owner)


def test_in_a_remote_store_a_job_hashes_the_original(table: Table, owner: str) -> None:
    blobs = MemoryBlobs(keyring=KEYRING, is_local=False)
    data = a_jpeg()
    photo = begun(owner, data, table=table, blobs=blobs, sha256=hashlib.sha256(data).hexdigest())
    send(photo, data, blobs)
    recorded = complete(photo, table=table, blobs=blobs).photo
    assert (recorded.sha256, recorded.sha1) == (None, None)
    assert recorded.mime_type == "image/jpeg"


@pytest.mark.parametrize("size", [1000, LARGE])
def test_an_upload_with_missing_bytes_is_not_completed(table: Table, any_blobs: Blobs, owner: str, size: int) -> None:
    data = a_jpeg(size)
    photo = begun(owner, data, table=table, blobs=any_blobs)
    if photo.upload_id is not None:
        send(photo, data, any_blobs, without=2)
    with pytest.raises(Conflict, match="not all bytes of this upload have arrived"):
        complete(photo, table=table, blobs=any_blobs)
    assert photo_in(table, photo) == photo
    send(photo, data, any_blobs)
    assert complete(photo, table=table, blobs=any_blobs).photo.state is PhotoState.PENDING


def test_completion_continues_after_an_interruption(table: Table, blobs: MemoryBlobs, owner: str) -> None:
    """The parts are joined, or the original is in its place, and the one who did that was killed."""
    data = a_jpeg(LARGE)
    photo = begun(owner, data, table=table, blobs=blobs)
    send(photo, data, blobs)
    key, upload_id = blob_keys.upload(photo.image_id), photo.upload_id or ""
    blobs.complete_upload(key, upload_id, blobs.list_parts(key, upload_id))
    blobs.copy(key, blob_keys.original(photo.image_id, "jpg"))
    recorded = complete(photo, table=table, blobs=blobs).photo
    assert recorded.state is PhotoState.PENDING
    assert keys_in(blobs) == [recorded.original_key]


@pytest.mark.parametrize("size", [1000, LARGE])
def test_concurrent_completions_make_one_photo(table: Table, any_blobs: Blobs, owner: str, size: int) -> None:
    data = a_jpeg(size)
    photo = begun(owner, data, table=table, blobs=any_blobs)
    send(photo, data, any_blobs)

    def attempt() -> FinalizedUpload:
        for _ in range(50):
            with suppress(Conflict):  # another is joining the parts this very moment
                return complete(photo, table=table, blobs=any_blobs)
        raise AssertionError("it is never complete")

    for recorded in at_once(*[attempt] * 4):
        assert (recorded.photo.image_id, recorded.duplicate) == (photo.image_id, False)
    (key,) = keys_in(any_blobs)
    assert b"".join(any_blobs.open(key)) == data
    check_sum(table, owner)


def test_an_unsupported_file_cancels_the_reservation(table: Table, any_blobs: Blobs, owner: str) -> None:
    photo = begun(owner, b"%PDF-1.7 and so on", table=table, blobs=any_blobs)
    send(photo, b"%PDF-1.7 and so on", any_blobs)
    with pytest.raises(UnsupportedType, match="a PDF document"):
        complete(photo, table=table, blobs=any_blobs)
    assert (keys_in(any_blobs), photo_in(table, photo)) == ([], None)
    assert read_limit(owner, table=table).used == 0


def test_bytes_with_another_hash_than_announced_cancel_the_reservation(
    table: Table, blobs: MemoryBlobs, owner: str
) -> None:
    data = a_jpeg(LARGE)
    photo = begun(owner, data, table=table, blobs=blobs, sha256="a" * 64)
    send(photo, data, blobs)
    with pytest.raises(Damaged, match="sha256 of the received bytes"):
        complete(photo, table=table, blobs=blobs)
    assert (keys_in(blobs), photo_in(table, photo)) == ([], None)
    assert read_limit(owner, table=table).used == 0


def test_the_same_bytes_sent_twice_are_one_photo(table: Table, any_blobs: Blobs, owner: str) -> None:
    data = a_jpeg()
    first, second = (begun(owner, data, table=table, blobs=any_blobs) for _ in range(2))
    for photo in (first, second):
        send(photo, data, any_blobs)
    complete(first, table=table, blobs=any_blobs)
    again = complete(second, table=table, blobs=any_blobs)
    assert (again.photo.image_id, again.duplicate) == (first.image_id, True)
    assert keys_in(any_blobs) == [again.photo.original_key]
    assert read_limit(owner, table=table).used == 1


def test_a_photo_that_is_deleted_while_it_is_completed_leaves_nothing(blobs: MemoryBlobs) -> None:
    plain = MemoryTable()
    owner, data = new_account(plain, photos=1, bytes=10**4), a_jpeg()
    photo = begun(owner, data, table=plain, blobs=blobs)
    send(photo, data, blobs)
    table = Meddled(plain, lambda: delete_rows_and_blobs(photo, table=plain, blobs=blobs))
    with pytest.raises(NotFound):
        complete(photo, table=table, blobs=blobs)
    assert (keys_in(blobs), photo_in(plain, photo)) == ([], None)
    check_sum(plain, owner)


def test_a_photo_keeps_its_bytes_if_its_supposed_duplicate_is_deleted_meanwhile(blobs: MemoryBlobs) -> None:
    """Two complete the same upload while the photo of the same bytes is deleted between them."""
    plain = MemoryTable()
    owner, data = new_account(plain, photos=3, bytes=10**4), a_jpeg()
    first, second = (begun(owner, data, table=plain, blobs=blobs) for _ in range(2))
    for photo in (first, second):
        send(photo, data, blobs)
    there = complete(first, table=plain, blobs=blobs).photo

    def meddle() -> None:
        begin_deletion(there, table=plain)
        complete(second, table=plain, blobs=blobs)

    table = Meddled(plain, lambda: None, meddle)
    recorded = complete(second, table=table, blobs=blobs)
    assert (recorded.photo.image_id, recorded.duplicate) == (second.image_id, False)
    assert b"".join(blobs.open(recorded.photo.original_key or "")) == data


@pytest.mark.parametrize("seed", range(20))
def test_a_photo_completed_and_deleted_at_once_is_whole_or_gone(blobs: MemoryBlobs, seed: int) -> None:
    table = MemoryTable()
    owner, data = new_account(table, photos=1, bytes=10**4), a_jpeg(1000 + seed)
    photo = begun(owner, data, table=table, blobs=blobs)
    send(photo, data, blobs)

    def delete() -> None:
        with suppress(Conflict):
            delete_rows_and_blobs(photo, table=table, blobs=blobs)

    def finish() -> None:
        with suppress(NotFound, Conflict):
            complete(photo, table=table, blobs=blobs)

    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(finish), pool.submit(delete), pool.submit(finish)]:
            done.result()
    row = photo_in(table, photo)
    assert keys_in(blobs) == ([] if row is None else [row.original_key])
    check_sum(table, owner)


def test_an_expired_reservation_is_not_completed(table: Table, blobs: MemoryBlobs, owner: str) -> None:
    data = a_jpeg()
    photo = begun(owner, data, table=table, blobs=blobs)
    send(photo, data, blobs)
    with pytest.raises(NotFound, match="took too long"):
        complete_upload(photo, at=NOON + timedelta(days=1), table=table, blobs=blobs)
    assert keys_in(blobs) == []
