"""Deleting a photo for good: no trace is left, whatever happens meanwhile."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import keys, objects
from sparks.library.erasure import begin_deletion, erase_photo
from sparks.library.limits import confirm, read_limit, reserve
from sparks.library.photos import find_photo, settle_links
from sparks.library.records import changes, key_of
from sparks.model.errors import ConditionFailed, Conflict, Unavailable
from sparks.model.photo import PhotoState, Rendition
from sparks.model.scope import Scope
from sparks.table.port import Check, Present, Table, every
from tests.accounts import an_account, at_once, blob_keys, everything, hang, interrupted, keep
from tests.factories import ANN, NOON, a_photo
from tests.library.tables import Meddled, a_reservation, arrived
from tests.traces import traces_of

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
    before = (everything(table), blob_keys(blobs))
    erase_photo(hang(table, blobs, state=state, guest_id=guest_id), table=table, blobs=blobs)
    assert (everything(table), blob_keys(blobs)) == before


def test_a_deletion_begins_by_hiding_it_and_giving_it_back(table: Table, blobs: MemoryBlobs) -> None:
    """What takes longer follows; until then nothing of it is lost or counted twice."""
    an_account(table)
    photo = hang(table, blobs)
    assert photo.sha256 is not None
    for _ in range(2):
        begin_deletion(photo, table=table)
        hidden = find_photo(photo.image_id, table=table)
        assert hidden is not None
        assert hidden.state is PhotoState.DELETING
        assert read_limit(ANN, table=table).photos_left == 11
        assert table.get(keys.same_bytes(ANN, photo.sha256)) is None
    assert photo.original_key in blob_keys(blobs)
    erase_photo(photo, table=table, blobs=blobs)
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []
    assert read_limit(ANN, table=table).photos_left == 11


def test_it_is_counted_off_wherever_it_was_listed(table: Table, blobs: MemoryBlobs) -> None:
    stays, goes = hang(table, blobs, tags=("sea",)), hang(table, blobs, tags=("sea", "secret"))
    for photo in (stays, goes):
        settle_links(photo.image_id, ANN, table=table)
    erase_photo(goes, table=table, blobs=blobs)
    assert traces_of(goes.image_id, table=table, blobs=blobs) == []
    counts = {item["SK"]: item["count"] for scope in (ANN, "ALL") for item in every(table, keys.tags(Scope(scope)))}
    assert counts == {"sea": 1}


def test_renditions_that_were_made_and_never_noted_go_too(table: Table, blobs: MemoryBlobs) -> None:
    """Whoever made them was killed before it could say so."""
    photo = a_photo(state=PhotoState.PENDING)
    keep(table, photo)
    for size in Rendition:
        blobs.put(objects.rendition(photo.image_id, size), [b"webp"])
    erase_photo(photo, table=table, blobs=blobs)
    assert blob_keys(blobs) == []


def test_it_is_given_back_once_however_often_it_is_interrupted(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    before = everything(table)
    reservation = a_reservation(ANN, 10)
    reserve(reservation, table=table)
    photo = hang(table, blobs, image_id=reservation.image_id)
    for writes in range(20):
        try:
            erase_photo(photo, table=interrupted(table, after=writes), blobs=blobs)
        except Unavailable:
            continue
        break
    assert (everything(table), blob_keys(blobs)) == (before, [])


def test_deleting_again_is_harmless(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    photo = hang(table, blobs)
    erase_photo(photo, table=table, blobs=blobs)
    left = read_limit(ANN, table=table)
    erase_photo(photo, table=table, blobs=blobs)
    assert read_limit(ANN, table=table) == left


def test_what_the_pipeline_made_in_the_last_moment_goes_too(table: Table, blobs: MemoryBlobs) -> None:
    """The photo was read before its renditions were made and its bytes were hashed."""
    photo = hang(table, blobs, state=PhotoState.PENDING)
    seen = replace(photo, renditions=None, original_key=None, sha256=None)
    keep(table, seen)
    erase_photo(seen, table=Meddled(table, lambda: table.write(changes(seen, photo))), blobs=blobs)
    assert (everything(table), blob_keys(blobs)) == ([], [])


def test_the_same_bytes_of_another_photo_stay_known(table: Table, blobs: MemoryBlobs) -> None:
    """A reservation may tell the hash of bytes that are there already."""
    photo = hang(table, blobs)
    assert photo.sha256 is not None
    claim = a_reservation(ANN, sha256=photo.sha256)
    keep(table, claim)
    erase_photo(claim, table=table, blobs=blobs)
    assert table.get(keys.same_bytes(ANN, photo.sha256)) is not None


def test_an_upload_that_is_completed_this_moment_is_not_taken_for_a_reservation(
    table: Table, blobs: MemoryBlobs
) -> None:
    an_account(table)
    photo = a_reservation(ANN)
    reserve(photo, table=table)
    complete = lambda: confirm(photo, arrived(photo), at=NOON, table=table)  # noqa: E731
    with pytest.raises(Conflict, match="completed or restored meanwhile"):
        erase_photo(photo, table=Meddled(table, complete), blobs=blobs)
    assert table.get(key_of(photo)) is not None


def test_what_else_must_hold_does_so_before_anything_is_deleted(table: Table, blobs: MemoryBlobs) -> None:
    photo = hang(table, blobs)
    before = (everything(table), blob_keys(blobs))
    with pytest.raises(ConditionFailed):
        erase_photo(photo, also=(Check(keys.user(ANN), (Present(),)),), table=table, blobs=blobs)
    assert (everything(table), blob_keys(blobs)) == before


def test_two_who_delete_it_at_once_both_find_it_gone(sqlite: Table, blobs: MemoryBlobs) -> None:
    an_account(sqlite)
    photo = hang(sqlite, blobs)
    assert at_once(*[lambda: erase_photo(photo, table=sqlite, blobs=blobs)] * 4) == [frozenset()] * 4
    assert blob_keys(blobs) == []
    assert read_limit(ANN, table=sqlite).photos_left == 11


# -- While its bytes arrive


def test_the_parts_that_have_arrived_go_too(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    photo = a_reservation(ANN)
    key = objects.upload(photo.image_id)
    photo = replace(photo, upload_id=blobs.create_upload(key))
    reserve(photo, table=table)
    blobs.put_part(key, str(photo.upload_id), 1, [b"part"], size=4)
    erase_photo(photo, table=table, blobs=blobs)
    assert list(blobs.list_uploads(started_before=datetime.max.replace(tzinfo=UTC))) == []
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []
    assert read_limit(ANN, table=table).photos_left == 10


def test_an_original_that_was_stored_and_never_noted_goes_too(table: Table, blobs: MemoryBlobs) -> None:
    an_account(table)
    photo = a_reservation(ANN, original_key=None)
    reserve(photo, table=table)
    blobs.put(objects.original(photo.image_id, "heic"), [b"all of it"])
    erase_photo(photo, table=table, blobs=blobs)
    assert blob_keys(blobs) == []


def test_what_was_made_in_sizes_of_ones_own_and_never_noted_goes_too(table: Table, blobs: MemoryBlobs) -> None:
    photo = a_photo(state=PhotoState.PENDING)
    keep(table, photo)
    for key in (objects.rendition(photo.image_id, "huge"), objects.film(photo.image_id)):
        blobs.put(key, [b"made"])
    erase_photo(photo, table=table, blobs=blobs)
    assert blob_keys(blobs) == []
