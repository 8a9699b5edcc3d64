"""Workers of a command that waits for photos."""

from dataclasses import replace
from pathlib import Path

from sparks.cli.local_workers import MAX_RESENDS, AwaitedPhotos, LocalWorkers, is_finished
from sparks.journey import Stores
from sparks.library.records import changes, to_item
from sparks.model.events import Uploaded
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.supervisor import hold_data_folder, is_data_folder_held
from sparks.table.port import Put
from tests.factories import a_photo
from tests.journey.sample_steps import open_memory


def pending(stores: Stores) -> Photo:
    photo = a_photo(state=PhotoState.PENDING, processing_status=ProcessingStatus.PENDING)
    stores.table.write(Put(to_item(photo)))
    return photo


def finish(stores: Stores, photo: Photo) -> None:
    ready = replace(photo, state=PhotoState.READY, processing_status=ProcessingStatus.COMPLETED)
    stores.table.write(changes(photo, ready))


def awaited(stores: Stores, *photos: Photo) -> AwaitedPhotos:
    waiting = AwaitedPhotos(LocalWorkers(stores, ()))
    for photo in photos:
        waiting.add(Uploaded(photo.image_id, photo.owner))
    return waiting


def test_photos_are_waited_for_until_each_is_finished() -> None:
    stores = open_memory()
    first, second = pending(stores), pending(stores)
    waiting = awaited(stores, first, second)
    assert waiting.poll() == []
    finish(stores, second)
    assert [event.image_id for event, _ in waiting.poll()] == [second.image_id]
    finish(stores, first)
    [(event, photo)] = waiting.poll()
    assert event == Uploaded(first.image_id, first.owner)
    assert photo is not None
    assert photo.state is PhotoState.READY
    assert len(waiting) == 0


def test_a_photo_without_a_job_is_sent_again() -> None:
    stores = open_memory()
    photo = pending(stores)
    waiting = awaited(stores, photo)
    waiting.poll()
    assert stores.jobs.counts().waiting == 0  # its job may have been on its way at that moment
    waiting.poll()
    [delivery] = stores.jobs.receive(wait=0)
    assert delivery.job.kind == "make_renditions"
    assert delivery.job.body["image_id"] == photo.image_id


def test_no_job_is_sent_again_while_jobs_wait() -> None:
    stores = open_memory()
    waiting = awaited(stores, pending(stores))
    for _ in range(3):
        waiting.poll()
    assert stores.jobs.counts().waiting == 1


def test_a_photo_that_is_never_finished_is_given_up() -> None:
    stores = open_memory()
    photo = pending(stores)
    waiting = awaited(stores, photo)
    polls = 0
    while not (given_up := waiting.poll()):
        for delivery in stores.jobs.receive(wait=0):
            stores.jobs.done(delivery)
        polls += 1
        assert polls <= 2 * MAX_RESENDS
    assert [event.image_id for event, _ in given_up] == [photo.image_id]


def test_photos_that_are_deleted_failed_or_trashed_when_finished_are_not_waited_for() -> None:
    done = {"processing_status": ProcessingStatus.COMPLETED}
    assert is_finished(None)
    assert is_finished(a_photo(state=PhotoState.DELETING, processing_status=ProcessingStatus.PENDING))
    assert is_finished(a_photo(state=PhotoState.FAILED, processing_status=ProcessingStatus.FAILED))
    assert is_finished(a_photo(state=PhotoState.TRASHED, **done))
    assert not is_finished(a_photo(state=PhotoState.TRASHED, processing_status=ProcessingStatus.PROCESSING))


def test_a_data_folder_is_held_only_while_a_server_runs(tmp_path: Path) -> None:
    assert not is_data_folder_held(tmp_path)
    with hold_data_folder(tmp_path):
        assert is_data_folder_held(tmp_path)
        assert is_data_folder_held(tmp_path)
    assert not is_data_folder_held(tmp_path)
