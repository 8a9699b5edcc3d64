"""The sweep of expired photos and rows: they are deleted as a whole, and nothing else is."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sparks.journey import Stores
from sparks.library.photos.edit_and_trash import restore_photo
from sparks.library.records import changes, key_of
from sparks.library.upload_limits.photo_usage import confirm_photo
from sparks.model.credential import Session
from sparks.model.events import PhotoDeletionBegun
from sparks.model.photo import Photo, PhotoState
from sparks.model.pipeline_settings import PipelineSettings
from tests.account_makers import at_once, everything, keep, stored_keys
from tests.factories import ANN
from tests.library.tables import Meddled, arrived, check_sum, limit_row, photo_in
from tests.stored_traces import traces_in, traces_of
from tests.upkeep.photo_makers import DAY, HOUR, NOW, hourly_sweep, photo, reservation, swept_hourly, temporary, trashed

LATER = NOW + 25 * HOUR


def deletion_events(*photos: Photo) -> list[PhotoDeletionBegun]:
    return [PhotoDeletionBegun(photo.image_id, photo.owner) for photo in photos]


def check_gone(stores: Stores, *photos: Photo) -> None:
    for one in photos:
        assert traces_of(one.image_id, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, owner=ANN) == []
    check_sum(stores.table, ANN)


def test_expired_photos_are_deleted_without_a_trace(stores: Stores) -> None:
    given_up = reservation(stores, expires_at=NOW + 24 * HOUR)
    over = temporary(stores, until=NOW + HOUR)
    old = trashed(stores, at=LATER - 30 * DAY)
    stay = [photo(stores), reservation(stores, expires_at=NOW + 26 * HOUR), temporary(stores, until=NOW + 26 * HOUR)]
    stay.append(trashed(stores, at=LATER - 29 * DAY))
    assert swept_hourly(stores, LATER) == deletion_events(given_up, over, old)
    check_gone(stores, given_up, over, old)
    assert [photo_in(stores.table, one) for one in stay] == stay
    assert limit_row(stores.table, ANN)["limit"] == 2000 - len(stay)


def test_a_second_sweep_finds_nothing(memory: Stores) -> None:
    reservation(memory, expires_at=NOW)
    swept_hourly(memory, LATER)
    assert swept_hourly(memory, LATER) == []
    check_sum(memory.table, ANN)


@pytest.mark.parametrize("state", [PhotoState.PENDING, PhotoState.READY, PhotoState.FAILED])
def test_a_photo_without_an_expiry_is_never_swept(memory: Stores, state: PhotoState) -> None:
    kept = photo(memory)
    memory.table.write(changes(kept, replace(kept, state=state)))
    assert swept_hourly(memory, NOW + 9999 * DAY) == []
    assert len(stored_keys(memory.blobs)) == 2


def test_an_expired_photo_is_deleted_from_the_trash_too(memory: Stores) -> None:
    over = temporary(memory, until=NOW)
    memory.table.write(changes(over, replace(over, state=PhotoState.TRASHED, trashed_at=NOW)))
    assert swept_hourly(memory, LATER) == deletion_events(over)
    check_gone(memory, over)


def test_photos_stay_in_the_trash_for_as_long_as_the_setting_says(memory: Stores) -> None:
    old = trashed(memory, at=NOW - 8 * DAY)
    assert hourly_sweep(memory, NOW, pipeline=PipelineSettings(trash_days=9)) == []
    assert hourly_sweep(memory, NOW, pipeline=PipelineSettings(trash_days=8)) == deletion_events(old)


def test_an_upload_that_is_completed_during_the_sweep_is_kept(memory: Stores) -> None:
    given_up = reservation(memory, expires_at=NOW + 24 * HOUR)
    done = arrived(given_up)
    meddled = Meddled(memory.table, lambda: confirm_photo(given_up, done, at=NOW, table=memory.table))
    assert hourly_sweep(memory, LATER, table=meddled) == []
    assert photo_in(memory.table, done) == done
    check_sum(memory.table, ANN)


def test_a_photo_that_is_restored_during_the_sweep_is_kept(memory: Stores) -> None:
    old = trashed(memory, at=NOW - 60 * DAY)
    meddled = Meddled(memory.table, lambda: restore_photo(old, at=NOW, table=memory.table))
    assert hourly_sweep(memory, LATER, table=meddled) == []
    restored = photo_in(memory.table, old)
    assert restored is not None
    assert restored.state is PhotoState.READY


def test_a_photo_deleted_during_the_sweep_still_gets_its_event(memory: Stores) -> None:
    """The step that follows finds it deleted, and the upload limit is given back once."""
    given_up = reservation(memory, expires_at=NOW)
    meddled = Meddled(memory.table, lambda: swept_hourly(memory, LATER))
    assert hourly_sweep(memory, LATER, table=meddled) == deletion_events(given_up)
    check_gone(memory, given_up)


def test_concurrent_sweeps_give_back_the_upload_limit_once(disk: Stores) -> None:
    gone = [reservation(disk, expires_at=NOW) for _ in range(6)]
    gone += [trashed(disk, at=NOW - 99 * DAY) for _ in range(6)]
    stay = [photo(disk) for _ in range(3)]
    assert all(isinstance(result, list) for result in at_once(*[lambda: swept_hourly(disk, LATER)] * 3))
    check_gone(disk, *gone)
    assert limit_row(disk.table, ANN)["limit"] == 2000 - len(stay)


def test_a_sweep_deletes_everything_while_another_one_reads_a_list(half_read: Stores, tmp_path: Path) -> None:
    """Only a listing finds blobs without a row, so this test reads the folder itself."""
    gone, stay = trashed(half_read, at=NOW - 99 * DAY), photo(half_read)
    assert swept_hourly(half_read, LATER) == deletion_events(gone)
    assert traces_in(tmp_path / "blobs", gone.image_id) == []
    assert len(traces_in(tmp_path / "blobs", stay.image_id)) == 2
    check_gone(half_read, gone)


# -- Rows that the table may drop by itself


def test_expired_rows_are_deleted(memory: Stores) -> None:
    session = Session(session_id="one", email=ANN, secret_hash="x", created_at=NOW, expires_at=NOW, ttl=NOW + HOUR)
    keep(memory.table, session)
    swept_hourly(memory, NOW)
    assert memory.table.get(key_of(session)) is not None
    swept_hourly(memory, NOW + HOUR)
    assert memory.table.get(key_of(session)) is None


def test_after_months_without_a_sweep_expired_photos_are_still_deleted_with_their_blobs(memory: Stores) -> None:
    """The table itself may drop a reservation by then, which would give nothing back."""
    gone = [reservation(memory, expires_at=NOW), temporary(memory, until=NOW)]
    assert swept_hourly(memory, NOW + timedelta(days=99)) == deletion_events(*gone)
    check_gone(memory, *gone)


def test_a_row_of_a_photo_in_deletion_is_not_expired_before_its_blobs(memory: Stores) -> None:
    gone = reservation(memory, expires_at=NOW)
    hourly_sweep(memory, NOW + 99 * DAY)
    deleting = photo_in(memory.table, gone)
    assert deleting is not None
    assert deleting.state is PhotoState.DELETING


# -- Clocks


def test_a_sweep_that_was_due_long_ago_deletes_nothing_that_expired_since(memory: Stores) -> None:
    reservation(memory, expires_at=NOW + HOUR)
    temporary(memory, until=NOW + HOUR)
    before = everything(memory.table)
    assert swept_hourly(memory, NOW - DAY) == []
    assert [row for row in everything(memory.table) if not row["PK"].startswith("JOB#")] == before
