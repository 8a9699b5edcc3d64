"""Changes of photos: hidden at once, and followed up after a crash or beside other changes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from sparks.actions.outbox import RECHECK_AFTER, Outbox
from sparks.actions.photo_changes import PhotoChanges
from sparks.blobs.memory import MemoryBlobs
from sparks.feed.event_reader import EventTail
from sparks.feed.timeline import Timeline
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Job
from sparks.journey import Journey, Stores
from sparks.library import keys
from sparks.library.live_events import EventPhoto
from sparks.library.photos.edit_and_trash import restore_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.timeline_blobs import ScopeMonth
from sparks.library.upload_limits.account_limit import read_limit
from sparks.library.upload_limits.photo_usage import confirm_photo, reserve_photo
from sparks.model.caller import Credential, Member
from sparks.model.errors import Busy, Unavailable
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import COMMUNITY
from sparks.table.memory import MemoryTable
from sparks.table.port import Table, every
from sparks.worker import Worker
from tests.account_makers import an_account
from tests.factories import ANN, NOON, a_user
from tests.library.photos.photo_makers import settled
from tests.library.tables import Meddled, a_reservation, arrived
from tests.stored_traces import traces_of

KEYRING = Keyring("test", {"test": b"t" * 32})
CALLER = Member(a_user(ANN), via=Credential("session", "s1"))


class CrashingJobs(MemoryJobs):
    """A queue that fails as if the process were killed before it sends the prompt job."""

    def send(self, job: Job, *, delay: float = 0, **more: Any) -> None:
        if not delay:
            raise Unavailable("killed")
        super().send(job, delay=delay, **more)


@dataclass
class Site:
    table: Table
    jobs: MemoryJobs = field(default_factory=MemoryJobs)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)

    @property
    def stores(self) -> Stores:
        return Stores(table=self.table, blobs=self.blobs, jobs=self.jobs, keyring=KEYRING)

    def changes(self, table: Table | None = None) -> PhotoChanges:
        return PhotoChanges(
            table=table or self.table,
            blobs=self.blobs,
            keyring=KEYRING,
            outbox=Outbox(journey=Journey(), jobs=self.jobs),
            clock=lambda: NOON,
        )

    def work(self) -> None:
        Worker(journey=Journey(), stores=self.stores, report=lambda _: None, wait=0, overdue=lambda: None).run_waiting()

    def traces(self, photo: Photo) -> list[str]:
        return traces_of(photo.image_id, table=self.table, blobs=self.blobs, jobs=self.jobs, owner=photo.owner)


def kinds(jobs: MemoryJobs) -> list[str]:
    return [delivery.job.kind for delivery in jobs.receive(wait=0)]


Hide = Callable[[PhotoChanges, str], Photo]


def make_private(changes: PhotoChanges, image_id: str) -> Photo:
    return changes.edit(CALLER, image_id, PhotoEdit(visibility=Visibility.PRIVATE), version=1)


def trash(changes: PhotoChanges, image_id: str) -> Photo:
    return changes.trash(CALLER, image_id)


def delete(changes: PhotoChanges, image_id: str) -> Photo:
    return changes.delete(CALLER, image_id)


def fail() -> None:
    raise Busy("too many writes at once")


# -- Hidden photos


@pytest.mark.parametrize("hide", [make_private, trash, delete])
def test_a_hidden_photo_has_left_the_months_of_the_community_when_the_request_is_answered(hide: Hide) -> None:
    site = Site(MemoryTable())
    photo = settled(site.table, tags=("sea",))
    timeline = Timeline(table=site.table, blobs=site.blobs, keyring=KEYRING)
    (month,) = timeline.months(COMMUNITY).counts
    assert timeline.month(ScopeMonth(COMMUNITY, month)).columns.ids == [photo.image_id]
    hide(site.changes(), photo.image_id)
    assert timeline.month(ScopeMonth(COMMUNITY, month)).columns.ids == []
    assert list(every(site.table, keys.tags(COMMUNITY))) == []
    assert site.blobs.list("derived/").blobs == []


@pytest.mark.parametrize("hide", [make_private, trash, delete])
def test_a_hidden_photo_is_announced_to_all_open_pages(hide: Hide) -> None:
    site = Site(MemoryTable())
    photo = settled(site.table)
    tail = EventTail(COMMUNITY, at=NOON, table=site.table, keyring=KEYRING)
    hide(site.changes(), photo.image_id)
    assert [event.photo for event in tail.read(NOON)] == [EventPhoto(photo.image_id, photo.owner)]


@pytest.mark.parametrize("hide", [make_private, trash, delete])
def test_a_photo_whose_months_cannot_be_updated_is_hidden_all_the_same_and_leaves_them_later(hide: Hide) -> None:
    site = Site(MemoryTable())
    an_account(site.table, with_password=False)
    photo = settled(site.table)
    hide(site.changes(Meddled(site.table, lambda: None, fail)), photo.image_id)
    assert list(every(site.table, keys.months(COMMUNITY))) != []
    site.work()
    assert list(every(site.table, keys.months(COMMUNITY))) == []


# -- Crashes right after the write


@pytest.mark.parametrize("hide", [make_private, trash], ids=["private", "trashed"])
def test_no_list_keeps_a_photo_that_was_hidden_right_before_a_crash(hide: Hide) -> None:
    now = [time.time()]
    site = Site(MemoryTable(), jobs=CrashingJobs(clock=lambda: now[0]))
    photo = settled(site.table, tags=("sea",))
    with pytest.raises(Unavailable):
        hide(site.changes(Meddled(site.table, lambda: None, fail)), photo.image_id)
    site.work()
    assert list(every(site.table, keys.months(COMMUNITY))) != []
    now[0] += RECHECK_AFTER
    site.work()
    assert list(every(site.table, keys.months(COMMUNITY))) == []
    assert list(every(site.table, keys.tags(COMMUNITY))) == []


def test_a_deletion_whose_job_is_lost_is_found_by_the_state_of_the_photo() -> None:
    site = Site(MemoryTable(), jobs=CrashingJobs())
    photo = settled(site.table)
    with pytest.raises(Unavailable):
        site.changes().delete(CALLER, photo.image_id)
    hidden = find_photo(photo.image_id, table=site.table)
    assert hidden is not None
    assert hidden.state is PhotoState.DELETING


# -- Restored photos


def test_a_photo_that_was_trashed_before_it_was_processed_is_processed_after_it_is_restored() -> None:
    site = Site(MemoryTable())
    photo = settled(site.table, state=PhotoState.TRASHED, processing_status=ProcessingStatus.PROCESSING)
    assert site.changes().restore(CALLER, photo.image_id).state is PhotoState.PENDING
    assert kinds(site.jobs) == ["update_lists", "make_renditions"]


def test_a_restored_photo_that_was_processed_is_not_processed_again() -> None:
    site = Site(MemoryTable())
    photo = settled(site.table, state=PhotoState.TRASHED)
    assert site.changes().restore(CALLER, photo.image_id).state is PhotoState.READY
    assert kinds(site.jobs) == ["update_lists"]


# -- Deletions beside other changes


def test_an_upload_that_is_completed_during_its_deletion_is_deleted_all_the_same() -> None:
    table = MemoryTable()
    an_account(table, with_password=False)
    site, photo = Site(table), a_reservation(ANN)
    reserve_photo(photo, table=table)
    complete = partial(confirm_photo, photo, arrived(photo), at=NOON, table=table)
    assert site.changes(Meddled(table, complete)).delete(CALLER, photo.image_id).state is PhotoState.PENDING
    site.work()
    assert site.traces(photo) == []
    assert read_limit(ANN, table=table).photos_left == 10


def test_a_photo_that_is_restored_during_its_deletion_is_deleted_all_the_same() -> None:
    site = Site(MemoryTable())
    photo = settled(site.table, state=PhotoState.TRASHED)
    restore = partial(restore_photo, photo, at=NOON, table=site.table)
    assert site.changes(Meddled(site.table, restore)).delete(CALLER, photo.image_id).state is PhotoState.READY


def test_a_photo_that_is_restored_while_the_trash_is_emptied_stays() -> None:
    site = Site(MemoryTable())
    photo = settled(site.table, state=PhotoState.TRASHED)
    restore_photo(photo, at=NOON, table=site.table)
    assert not site.changes().delete_unless_changed(photo)
    assert find_photo(photo.image_id, table=site.table) is not None
