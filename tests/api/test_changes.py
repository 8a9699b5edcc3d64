"""What follows from a change comes about even where whoever made it is killed, and many may change at once."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from sparks.api.changes import NET, Changes
from sparks.blobs.memory import MemoryBlobs
from sparks.feed.live import Tail
from sparks.feed.timeline import Timeline
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Job
from sparks.journey import Journey, Stores
from sparks.library import keys
from sparks.library.limits import confirm, read_limit, reserve
from sparks.library.live import Named
from sparks.library.months import Month
from sparks.library.photos import Edit, find_photo, restore_photo
from sparks.model.caller import Credential, Member
from sparks.model.errors import Busy, Unavailable
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import COMMUNITY
from sparks.table.memory import MemoryTable
from sparks.table.port import Table, every
from sparks.worker import Worker
from tests.accounts import an_account
from tests.factories import ANN, NOON, a_user
from tests.library.photos.making import settled
from tests.library.tables import Meddled, a_reservation, arrived
from tests.traces import traces_of

KEYRING = Keyring("test", {"test": b"t" * 32})
WHO = Member(a_user(ANN), via=Credential("session", "s1"))


class Killed(MemoryJobs):
    """Whoever sends the job that is due at once is killed before it arrives."""

    def send(self, job: Job, *, delay: float = 0, **more: Any) -> None:
        if not delay:
            raise Unavailable("killed")
        super().send(job, delay=delay, **more)


@dataclass
class Desk:
    table: Table
    jobs: MemoryJobs = field(default_factory=MemoryJobs)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)

    @property
    def stores(self) -> Stores:
        return Stores(table=self.table, blobs=self.blobs, jobs=self.jobs, keyring=KEYRING)

    def changes(self, table: Table | None = None) -> Changes:
        stores = Stores(table=table or self.table, blobs=self.blobs, jobs=self.jobs, keyring=KEYRING)
        return Changes(stores=stores, journey=Journey(), clock=lambda: NOON)

    def work(self) -> None:
        Worker(journey=Journey(), stores=self.stores, report=lambda _: None, wait=0, overdue=lambda: None).run_waiting()

    def traces(self, photo: Photo) -> list[str]:
        return traces_of(photo.image_id, table=self.table, blobs=self.blobs, jobs=self.jobs, owner=photo.owner)


def kinds(jobs: MemoryJobs) -> list[str]:
    return [delivery.job.kind for delivery in jobs.receive(wait=0)]


Hide = Callable[[Changes, str], Photo]


def make_private(changes: Changes, image_id: str) -> Photo:
    return changes.edit(WHO, image_id, Edit(visibility=Visibility.PRIVATE), version=1)


def throw_away(changes: Changes, image_id: str) -> Photo:
    return changes.trash(WHO, image_id)


def delete(changes: Changes, image_id: str) -> Photo:
    return changes.delete(WHO, image_id)


def fail() -> None:
    raise Busy("too many write at once")


# -- Hidden


@pytest.mark.parametrize("hide", [make_private, throw_away, delete])
def test_what_is_hidden_is_in_no_month_of_the_community_when_its_owner_is_answered(hide: Hide) -> None:
    desk = Desk(MemoryTable())
    photo = settled(desk.table, tags=("sea",))
    timeline = Timeline(table=desk.table, blobs=desk.blobs, keyring=KEYRING)
    (month,) = timeline.months(COMMUNITY).counts
    assert timeline.month(Month(COMMUNITY, month)).columns.ids == [photo.image_id]
    hide(desk.changes(), photo.image_id)
    assert timeline.month(Month(COMMUNITY, month)).columns.ids == []
    assert list(every(desk.table, keys.tags(COMMUNITY))) == []
    assert desk.blobs.list("derived/").blobs == []


@pytest.mark.parametrize("hide", [make_private, throw_away, delete])
def test_everyone_hears_of_what_is_hidden(hide: Hide) -> None:
    desk = Desk(MemoryTable())
    photo = settled(desk.table)
    tail = Tail(COMMUNITY, at=NOON, table=desk.table, keyring=KEYRING)
    hide(desk.changes(), photo.image_id)
    assert [heard.photo for heard in tail.read(NOON)] == [Named(photo.image_id, photo.owner)]


@pytest.mark.parametrize("hide", [make_private, throw_away, delete])
def test_what_cannot_leave_its_months_at_once_is_hidden_all_the_same_and_leaves_them_later(hide: Hide) -> None:
    desk = Desk(MemoryTable())
    an_account(desk.table, with_password=False)
    photo = settled(desk.table)
    hide(desk.changes(Meddled(desk.table, lambda: None, fail)), photo.image_id)
    assert list(every(desk.table, keys.months(COMMUNITY))) != []
    desk.work()
    assert list(every(desk.table, keys.months(COMMUNITY))) == []


# -- Killed right after the write


@pytest.mark.parametrize("hide", [make_private, throw_away], ids=["private", "trashed"])
def test_no_list_keeps_what_was_hidden_a_moment_before_a_crash(hide: Hide) -> None:
    now = [time.time()]
    desk = Desk(MemoryTable(), jobs=Killed(clock=lambda: now[0]))
    photo = settled(desk.table, tags=("sea",))
    with pytest.raises(Unavailable):
        hide(desk.changes(Meddled(desk.table, lambda: None, fail)), photo.image_id)
    desk.work()
    assert list(every(desk.table, keys.months(COMMUNITY))) != []
    now[0] += NET
    desk.work()
    assert list(every(desk.table, keys.months(COMMUNITY))) == []
    assert list(every(desk.table, keys.tags(COMMUNITY))) == []


def test_a_deletion_whose_job_is_lost_has_its_state_to_be_found_by() -> None:
    desk = Desk(MemoryTable(), jobs=Killed())
    photo = settled(desk.table)
    with pytest.raises(Unavailable):
        desk.changes().delete(WHO, photo.image_id)
    hidden = find_photo(photo.image_id, table=desk.table)
    assert hidden is not None
    assert hidden.state is PhotoState.DELETING


# -- Restored


def test_what_is_restored_before_it_was_finished_is_on_its_way_again() -> None:
    desk = Desk(MemoryTable())
    photo = settled(desk.table, state=PhotoState.TRASHED, processing_status=ProcessingStatus.PROCESSING)
    assert desk.changes().restore(WHO, photo.image_id).state is PhotoState.PENDING
    assert kinds(desk.jobs) == ["update_lists", "make_renditions"]


def test_what_is_restored_and_finished_is_not_made_again() -> None:
    desk = Desk(MemoryTable())
    photo = settled(desk.table, state=PhotoState.TRASHED)
    assert desk.changes().restore(WHO, photo.image_id).state is PhotoState.READY
    assert kinds(desk.jobs) == ["update_lists"]


# -- Deleted while something else becomes of it


def test_an_upload_that_is_completed_meanwhile_is_deleted_all_the_same() -> None:
    table = MemoryTable()
    an_account(table, with_password=False)
    desk, photo = Desk(table), a_reservation(ANN)
    reserve(photo, table=table)
    complete = partial(confirm, photo, arrived(photo), at=NOON, table=table)
    assert desk.changes(Meddled(table, complete)).delete(WHO, photo.image_id).state is PhotoState.PENDING
    desk.work()
    assert desk.traces(photo) == []
    assert read_limit(ANN, table=table).photos_left == 10


def test_a_photo_that_is_restored_meanwhile_is_deleted_if_it_was_meant() -> None:
    desk = Desk(MemoryTable())
    photo = settled(desk.table, state=PhotoState.TRASHED)
    restore = partial(restore_photo, photo, at=NOON, table=desk.table)
    assert desk.changes(Meddled(desk.table, restore)).delete(WHO, photo.image_id).state is PhotoState.READY


def test_a_photo_that_is_restored_meanwhile_is_not_deleted_with_the_trash() -> None:
    desk = Desk(MemoryTable())
    photo = settled(desk.table, state=PhotoState.TRASHED)
    restore_photo(photo, at=NOON, table=desk.table)
    assert not desk.changes().delete_as_seen(photo)
    assert find_photo(photo.image_id, table=desk.table) is not None
