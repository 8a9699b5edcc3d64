"""Photos whose job was lost are sent again."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import pytest

from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Job
from sparks.journey import Journey, Stores
from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import restore_photo, trash_photo
from sparks.library.photos.processing_state import begin_processing
from sparks.library.records import changes
from sparks.model import times
from sparks.model.events import PatrolDue, PhotoDeletionBegun, PhotoEvent, Uploaded
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from sparks.upkeep.resend_lost import MAX_WAITING_JOBS, STUCK_AFTER, resend_lost
from sparks.worker import Worker
from tests.account_makers import at_once, keep
from tests.factories import ANN, a_photo
from tests.library.tables import Meddled, photo_in

NOW: Final = times.now() + timedelta(days=1)  # later than it gets while the tests run: a patrol never looks back
LONG_AGO: Final = NOW - timedelta(hours=3)
SECOND: Final = timedelta(seconds=1)


def a_waiting_photo(table: Table, *, moved: datetime | None = LONG_AGO, **changes: Any) -> Photo:
    wanted = {"state": PhotoState.PENDING, "processing_status": ProcessingStatus.PENDING, **changes}
    photo = a_photo(last_modified=moved, **wanted)
    keep(table, photo)
    return photo


def patrol(stores: Stores, at: datetime = NOW) -> list[PhotoEvent]:
    return list(resend_lost(PatrolDue(at), table=stores.table, jobs=stores.jobs))


def uploaded(*photos: Photo) -> list[Uploaded]:
    return [Uploaded(photo.image_id, photo.owner) for photo in photos]


def test_a_photo_that_waits_for_long_is_resent_once_in_a_while(stores: Stores) -> None:
    photo = a_waiting_photo(stores.table)
    later = times.now() + SECOND
    assert patrol(stores, later) == uploaded(photo)
    assert patrol(stores, later + STUCK_AFTER - SECOND) == []
    assert patrol(stores, later + STUCK_AFTER) == uploaded(photo)


def test_resending_a_photo_changes_only_its_time(memory: Stores) -> None:
    photo = a_waiting_photo(memory.table, title="Sea", tags=("summer",))
    patrol(memory, NOW + timedelta(days=1))
    assert photo_in(memory.table, photo) == replace(photo, last_modified=NOW + timedelta(days=1))


def test_a_photo_whose_worker_was_killed_is_resent(memory: Stores) -> None:
    photo = begin_processing(a_waiting_photo(memory.table), at=NOW, table=memory.table)
    assert patrol(memory, NOW + STUCK_AFTER) == uploaded(photo)


def test_a_photo_that_changed_lately_is_not_resent(memory: Stores) -> None:
    a_waiting_photo(memory.table, moved=NOW)
    assert patrol(memory) == []


def test_a_photo_without_a_modification_time_is_resent(memory: Stores) -> None:
    photo = a_waiting_photo(memory.table, moved=None)
    assert patrol(memory) == uploaded(photo)


def test_a_photo_with_a_modification_time_in_the_future_is_resent(memory: Stores) -> None:
    photo = a_waiting_photo(memory.table, moved=NOW + timedelta(days=1))
    assert patrol(memory) == uploaded(photo)


def test_a_patrol_that_waited_for_hours_resends_no_new_photo(memory: Stores) -> None:
    now = times.now()
    a_waiting_photo(memory.table, moved=now)
    assert patrol(memory, now - timedelta(hours=10)) == []


@pytest.mark.parametrize("state", sorted(set(PhotoState) - {PhotoState.PENDING, PhotoState.DELETING}))
def test_a_photo_in_any_other_state_is_not_resent(memory: Stores, state: PhotoState) -> None:
    a_waiting_photo(memory.table, state=state)
    assert patrol(memory) == []


def test_a_restored_photo_without_a_job_is_resent(memory: Stores) -> None:
    trashed = trash_photo(a_waiting_photo(memory.table), at=NOW, table=memory.table)
    restored = restore_photo(trashed, at=NOW, table=memory.table)
    assert patrol(memory, NOW + STUCK_AFTER) == uploaded(restored)


def test_an_interrupted_deletion_is_resent_before_pending_photos(stores: Stores) -> None:
    waiting = a_waiting_photo(stores.table)
    deleted = a_waiting_photo(stores.table, state=PhotoState.READY)
    begin_deletion(deleted, table=stores.table)
    later = times.now() + SECOND
    assert patrol(stores, later) == [PhotoDeletionBegun(deleted.image_id, ANN), *uploaded(waiting)]
    assert patrol(stores, later) == []


def test_a_photo_that_is_finished_at_this_moment_is_not_resent(memory: Stores) -> None:
    photo = a_waiting_photo(memory.table)

    def finish() -> None:
        memory.table.write(changes(photo, replace(photo, state=PhotoState.READY)))

    meddled = Meddled(memory.table, finish)
    assert list(resend_lost(PatrolDue(NOW), table=meddled, jobs=memory.jobs)) == []


def test_concurrent_patrols_resend_each_photo_once(disk: Stores) -> None:
    photos = [a_waiting_photo(disk.table) for _ in range(20)]
    sent = at_once(*[lambda: patrol(disk)] * 4)
    assert sorted(event.image_id for events in sent for event in events) == [photo.image_id for photo in photos]


def test_a_long_queue_is_not_made_longer(memory: Stores) -> None:
    photos = [a_waiting_photo(memory.table) for _ in range(3)]
    for _ in range(MAX_WAITING_JOBS - 2):
        memory.jobs.send(Job("walk", {}))
    assert patrol(memory) == uploaded(*photos[:2])
    memory.jobs.send(Job("walk", {}))
    memory.jobs.send(Job("walk", {}))
    assert patrol(memory, NOW + timedelta(days=1)) == []


def test_a_lost_job_is_run_after_the_next_patrol() -> None:
    ran: list[str] = []

    def make(event: Uploaded) -> None:
        ran.append(event.image_id)

    stores = Stores(table=MemoryTable(), blobs=None, jobs=MemoryJobs(), keyring=None)  # type: ignore[arg-type]
    journey = Journey(steps_after={Uploaded: {"make": make}, PatrolDue: {"resend_lost": resend_lost}}, on_failure={})
    photo = a_waiting_photo(stores.table)
    journey.send_after(*uploaded(photo), jobs=stores.jobs)
    for delivery in stores.jobs.receive(wait=0):
        stores.jobs.done(delivery)  # lost: it is done without having run
    journey.send_after(PatrolDue(NOW), jobs=stores.jobs)
    hand = Worker(journey=journey, stores=stores, report=lambda _: None, wait=0, overdue=lambda: None)
    assert [report.done for report in hand.run_waiting()] == [True, True]
    assert ran == [photo.image_id]
