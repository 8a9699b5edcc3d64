"""Deletion of every row, blob and job that may hold the id of a photo, also after any interruption."""

from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import MAX_TRIES, Job
from sparks.library import keys
from sparks.library.live_events import photo_of
from sparks.library.photo_deletion import delete_photo
from sparks.library.photos.edit_and_trash import edit_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import from_item
from sparks.library.timeline_blobs import ScopeMonth, month_copy
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.errors import Unavailable
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.model.system_records import LiveEvent
from sparks.table.memory import MemoryTable
from sparks.table.port import Table, every
from tests.account_makers import an_account, at_once, everything, hang, interrupted
from tests.factories import ANN, BOB, NOON
from tests.library.tables import Meddled
from tests.stored_traces import traces_of

KEYRING = Keyring("test", {"test": b"t" * 32})
MINE = scope_of_owner(ANN)


class Kept:
    """All that a photo can leave traces in."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.blobs = MemoryBlobs()
        self.jobs = MemoryJobs()

    def settled(self, **changes: Any) -> Photo:
        """A photo with all that belongs to it: listed, copied into its months, and with a job to come."""
        photo = hang(self.table, self.blobs, **changes)
        reconcile_links(photo.image_id, photo.owner, table=self.table)
        for month in (ScopeMonth(scope_of_owner(photo.owner), "2025-08"), ScopeMonth(COMMUNITY, "2025-08")):
            self.blobs.put(month_copy(month, 1, keyring=KEYRING), [photo.image_id.encode()])
        self.jobs.send(Job("update_lists", {"image_id": photo.image_id, "owner": photo.owner}), delay=60)
        return photo

    def delete(self, photo: Photo, *, table: Table | None = None) -> None:
        delete_photo(photo, table=table or self.table, blobs=self.blobs, jobs=self.jobs, keyring=KEYRING)

    def traces(self, photo: Photo) -> list[str]:
        return traces_of(photo.image_id, table=self.table, blobs=self.blobs, jobs=self.jobs, owner=photo.owner)

    def announced_photos(self, scope: Scope) -> list[str]:
        """The photos of the live events of a scope."""
        events = [from_item(LiveEvent, row) for row in every(self.table, keys.events(scope))]
        return [photo_of(event, keyring=KEYRING).image_id for event in events]


@pytest.fixture
def kept(table: Table) -> Kept:
    an_account(table)
    return Kept(table)


@pytest.mark.parametrize("state", PhotoState)
def test_nothing_is_left_of_a_photo_in_any_state(kept: Kept, state: PhotoState) -> None:
    photo = kept.settled(state=state, tags=("sea",))
    kept.delete(photo)
    assert kept.traces(photo) == []


def test_the_copies_of_other_months_stay(kept: Kept) -> None:
    photo = kept.settled()
    others = [month_copy(ScopeMonth(scope, "2025-07"), 1, keyring=KEYRING) for scope in (MINE, COMMUNITY)]
    for copy in others:
        kept.blobs.put(copy, [b"another month"])
    kept.delete(photo)
    assert [kept.blobs.head(copy).key for copy in others] == others


def test_the_copies_of_a_month_go_that_it_was_in_until_a_moment_ago(kept: Kept) -> None:
    """It was given another date, and its lists have not followed yet."""
    photo = kept.settled()
    edit_photo(photo, PhotoEdit(taken_at=NOON.replace(year=2019)), version=1, at=NOON, table=kept.table)
    kept.delete(photo)
    assert kept.traces(photo) == []


def test_jobs_that_wait_are_delayed_or_dead_go(kept: Kept) -> None:
    photo, other = kept.settled(), kept.settled(owner=BOB)
    kept.jobs.send(Job("doomed", {"image_id": photo.image_id}))
    for _ in range(MAX_TRIES):
        [delivery] = kept.jobs.receive(wait=0)
        kept.jobs.retry_later(delivery, delay=0)
    kept.jobs.send(Job("waiting", {"image_id": photo.image_id}))
    kept.delete(photo)
    assert kept.jobs.dead() == []
    assert (kept.jobs.counts().waiting, kept.jobs.counts().delayed) == (0, 1)
    assert kept.table.get(keys.photo(other.image_id, BOB)) is not None


@pytest.mark.parametrize(
    ("changes", "scopes"),
    [
        ({}, {MINE, COMMUNITY}),
        ({"visibility": Visibility.PRIVATE}, {MINE}),
        ({"state": PhotoState.PENDING, "processing_status": ProcessingStatus.PENDING}, {MINE}),
        ({"state": PhotoState.TRASHED}, {MINE, COMMUNITY}),
    ],
    ids=["shown", "private", "never shown", "in the trash"],
)
def test_the_pages_that_may_have_shown_it_hear_of_it(kept: Kept, changes: dict[str, Any], scopes: set[Scope]) -> None:
    photo = kept.settled(**changes)
    kept.delete(photo)
    assert {scope for scope in (MINE, COMMUNITY) if kept.announced_photos(scope)} == scopes
    assert kept.announced_photos(MINE) == [photo.image_id]


def test_a_repeated_deletion_drops_the_jobs_that_were_sent_since(kept: Kept) -> None:
    photo = kept.settled()
    kept.delete(photo)
    before, left = everything(kept.table), read_limit(ANN, table=kept.table)
    kept.jobs.send(Job("late", {"image_id": photo.image_id}))
    kept.delete(photo)
    assert everything(kept.table) == before
    assert kept.jobs.counts().waiting == 0
    assert read_limit(ANN, table=kept.table) == left


def test_wherever_it_is_interrupted_another_run_leaves_nothing(kept: Kept) -> None:
    for writes in range(100):
        photo = kept.settled(tags=("sea",))
        left = read_limit(ANN, table=kept.table).photos_left
        try:
            kept.delete(photo, table=interrupted(kept.table, after=writes))
            is_through = True
        except Unavailable:
            is_through = False
            kept.delete(photo)
        assert kept.traces(photo) == []
        assert read_limit(ANN, table=kept.table).photos_left == left + 1
        if is_through:
            return
    pytest.fail("it never ended")


def test_a_run_that_was_overtaken_announces_nothing_more() -> None:
    """At every write of one run, another gets through."""
    for writes in range(100):
        kept = Kept(MemoryTable())
        photo, then = kept.settled(), []

        def overtake() -> None:
            kept.delete(photo)  # noqa: B023
            then.append(everything(kept.table))  # noqa: B023

        kept.delete(photo, table=Meddled(kept.table, *[lambda: None] * writes, overtake))
        assert kept.traces(photo) == []
        if not then:
            return
        assert everything(kept.table) == then[0]
    pytest.fail("it never ended")


def test_many_runs_at_once_give_it_back_once(sqlite: Table) -> None:
    an_account(sqlite)
    kept = Kept(sqlite)
    photo = kept.settled(tags=("sea",))
    assert at_once(*[lambda: kept.delete(photo)] * 4) == [None] * 4
    assert kept.traces(photo) == []
    assert read_limit(ANN, table=sqlite).photos_left == 11
