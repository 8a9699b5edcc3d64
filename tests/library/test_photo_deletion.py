"""Deletion of a photo for good: no trace is left, whatever happens meanwhile."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import blob_keys, keys
from sparks.library.photo_deletion import begin_deletion, delete_rows_and_blobs
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import changes, key_of
from sparks.library.upload_limits.account_limit import read_limit
from sparks.library.upload_limits.photo_usage import confirm_photo, reserve_photo
from sparks.model.errors import ConditionFailed, Conflict, Unavailable
from sparks.model.photo import PhotoState, Rendition
from sparks.model.scope import Scope
from sparks.table.port import Check, Present, Table, every
from tests.account_makers import an_account, at_once, everything, hang, interrupted, keep, stored_keys
from tests.factories import ANN, NOON, a_photo
from tests.library.tables import Meddled, a_reservation, arrived
from tests.stored_traces import traces_of

DIGEST = "a" * 64


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs()


@pytest.mark.parametrize("guest_id", [None, "guest1"])
@pytest.mark.parametrize("state", PhotoState)
def test_a_photo_in_any_state_leaves_no_trace(
    table: Table, blobs: MemoryBlobs, state: PhotoState, guest_id: str | None
) -> None:
    hang(table, blobs, owner="cyd@example.com")
    before = (everything(table), stored_keys(blobs))
    delete_rows_and_blobs(hang(table, blobs, state=state, guest_id=guest_id), table=table, blobs=blobs)
    assert (everything(table), stored_keys(blobs)) == before


def test_a_deletion_begins_by_hiding_it_and_giving_it_back(table: Table, blobs: MemoryBlobs) -> None:
    """The rest follows later; until then nothing is lost or counted twice."""
    an_account(table)
    photo = hang(table, blobs)
    assert photo.sha256 is not None
    for _ in range(2):
        begin_deletion(photo, table=table)
        hidden = find_photo(photo.image_id, table=table)
        assert hidden is not None
        assert hidden.state is PhotoState.DELETING
        assert read_limit(ANN, table=table).photos_left == 11
        assert table.get(keys.content_digest(ANN, photo.sha256)) is None
    assert photo.original_key in stored_keys(blobs)
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []
    assert read_limit(ANN, table=table).photos_left == 11


def test_it_is_counted_off_wherever_it_was_listed(table: Table, blobs: MemoryBlobs) -> None:
    stays, goes = hang(table, blobs, tags=("sea",)), hang(table, blobs, tags=("sea", "secret"))
    for photo in (stays, goes):
        reconcile_links(photo.image_id, ANN, table=table)
    delete_rows_and_blobs(goes, table=table, blobs=blobs)
    assert traces_of(goes.image_id, table=table, blobs=blobs) == []
    counts = {item["SK"]: item["count"] for scope in (ANN, "ALL") for item in every(table, keys.tags(Scope(scope)))}
    assert counts == {"sea": 1}


def test_unrecorded_renditions_are_deleted_too(table: Table, blobs: MemoryBlobs) -> None:
    """The process that made them was killed before it could record them."""
    photo = a_photo(state=PhotoState.PENDING)
    keep(table, photo)
    for size in Rendition:
        blobs.put(blob_keys.rendition(photo.image_id, size), [b"webp"])
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert stored_keys(blobs) == []


def test_it_is_given_back_once_however_often_it_is_interrupted(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    before = everything(table)
    reservation = a_reservation(ANN, 10)
    reserve_photo(reservation, table=table)
    photo = hang(table, blobs, image_id=reservation.image_id)
    for writes in range(20):
        try:
            delete_rows_and_blobs(photo, table=interrupted(table, after=writes), blobs=blobs)
        except Unavailable:
            continue
        break
    assert (everything(table), stored_keys(blobs)) == (before, [])


def test_deleting_again_is_harmless(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    photo = hang(table, blobs)
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    left = read_limit(ANN, table=table)
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert read_limit(ANN, table=table) == left


def test_renditions_made_during_the_deletion_are_deleted_too(table: Table, blobs: MemoryBlobs) -> None:
    """The photo was read before its renditions were made and its bytes were hashed."""
    photo = hang(table, blobs, state=PhotoState.PENDING)
    seen = replace(photo, renditions=None, original_key=None, sha256=None)
    keep(table, seen)
    delete_rows_and_blobs(seen, table=Meddled(table, lambda: table.write(changes(seen, photo))), blobs=blobs)
    assert (everything(table), stored_keys(blobs)) == ([], [])


def test_the_same_bytes_of_another_photo_stay_known(table: Table, blobs: MemoryBlobs) -> None:
    """A reservation may tell the hash of bytes that are there already."""
    photo = hang(table, blobs)
    assert photo.sha256 is not None
    claim = a_reservation(ANN, sha256=photo.sha256)
    keep(table, claim)
    delete_rows_and_blobs(claim, table=table, blobs=blobs)
    assert table.get(keys.content_digest(ANN, photo.sha256)) is not None


def test_an_upload_that_is_completed_this_moment_is_not_taken_for_a_reservation(
    table: Table, blobs: MemoryBlobs
) -> None:
    an_account(table)
    photo = a_reservation(ANN)
    reserve_photo(photo, table=table)
    complete = lambda: confirm_photo(photo, arrived(photo), at=NOON, table=table)  # noqa: E731
    with pytest.raises(Conflict, match="completed or restored meanwhile"):
        delete_rows_and_blobs(photo, table=Meddled(table, complete), blobs=blobs)
    assert table.get(key_of(photo)) is not None


def test_a_failing_additional_condition_prevents_the_deletion(table: Table, blobs: MemoryBlobs) -> None:
    photo = hang(table, blobs)
    before = (everything(table), stored_keys(blobs))
    with pytest.raises(ConditionFailed):
        delete_rows_and_blobs(photo, also=(Check(keys.user(ANN), (Present(),)),), table=table, blobs=blobs)
    assert (everything(table), stored_keys(blobs)) == before


def test_concurrent_deletions_all_succeed(sqlite: Table, blobs: MemoryBlobs) -> None:
    an_account(sqlite)
    photo = hang(sqlite, blobs)
    assert at_once(*[lambda: delete_rows_and_blobs(photo, table=sqlite, blobs=blobs)] * 4) == [frozenset()] * 4
    assert stored_keys(blobs) == []
    assert read_limit(ANN, table=sqlite).photos_left == 11


# -- While its bytes arrive


def test_the_uploaded_parts_are_deleted_too(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    photo = a_reservation(ANN)
    key = blob_keys.upload(photo.image_id)
    photo = replace(photo, upload_id=blobs.create_upload(key))
    reserve_photo(photo, table=table)
    blobs.put_part(key, str(photo.upload_id), 1, [b"part"], size=4)
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert list(blobs.list_uploads(started_before=datetime.max.replace(tzinfo=UTC))) == []
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []
    assert read_limit(ANN, table=table).photos_left == 10


def test_an_unrecorded_original_is_deleted_too(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    photo = a_reservation(ANN, original_key=None)
    reserve_photo(photo, table=table)
    blobs.put(blob_keys.original(photo.image_id, "heic"), [b"all of it"])
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert stored_keys(blobs) == []


def test_unrecorded_renditions_of_custom_sizes_are_deleted_too(table: Table, blobs: MemoryBlobs) -> None:
    photo = a_photo(state=PhotoState.PENDING)
    keep(table, photo)
    for key in (blob_keys.rendition(photo.image_id, "huge"), blob_keys.video(photo.image_id)):
        blobs.put(key, [b"made"])
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    assert stored_keys(blobs) == []
