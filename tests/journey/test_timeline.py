"""A photo in the timelines from its reservation to its deletion: on every table, by the steps that jobs run."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.feed.timeline import Timeline
from sparks.feed.update_lists import update_lists
from sparks.jobs.memory import MemoryJobs
from sparks.library.photo_deletion import begin_deletion, finish_deletion
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import get_photo
from sparks.library.photos.processing_state import ProcessingResult, finish_processing
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.timeline_blobs import ScopeMonth
from sparks.library.upload_limits.photo_usage import confirm_photo, reserve_photo
from sparks.model.events import PhotoChanged, PhotoDeletionBegun, RenditionsReady
from sparks.model.photo import Photo, Visibility
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.table.port import Table
from tests.factories import NOON
from tests.journey.sample_steps import KEYRING
from tests.library.tables import a_reservation, arrived, check_sum, new_account
from tests.stored_traces import traces_of

MAY: Final = datetime(2019, 5, 31, 23, 30, tzinfo=UTC)
MADE: Final = ProcessingResult(renditions={}, processed_size=0, width=1600, height=900, thumbhash=b"hash")


@dataclass
class Trip:
    """One account's photos on their way. `timeline` is that of a process that runs all the time."""

    table: Table
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    jobs: MemoryJobs = field(default_factory=MemoryJobs)

    def __post_init__(self) -> None:
        self.owner = new_account(self.table, photos=10, bytes=10_000)
        self.mine = scope_of_owner(self.owner)
        self.timeline = self.restarted()

    def restarted(self) -> Timeline:
        return Timeline(table=self.table, blobs=self.blobs, keyring=KEYRING)

    def upload(self, taken_at: datetime, visibility: Visibility = Visibility.COMMUNITY) -> Photo:
        reserved = a_reservation(self.owner, taken_at=taken_at, visibility=visibility)
        reserve_photo(reserved, table=self.table)
        confirm_photo(reserved, arrived(reserved), at=NOON, table=self.table)
        photo = finish_processing(arrived(reserved), MADE, at=NOON, table=self.table)
        update_lists(
            RenditionsReady(photo.image_id, self.owner),
            table=self.table,
            blobs=self.blobs,
            keyring=KEYRING,
            pipeline=PipelineSettings(),
        )
        return photo

    def edit(self, photo: Photo, edit: PhotoEdit) -> Photo:
        edited = edit_photo(photo, edit, version=photo.version, at=NOON, table=self.table)
        return self.changed(edited)

    def changed(self, photo: Photo) -> Photo:
        update_lists(
            PhotoChanged(photo.image_id, self.owner),
            table=self.table,
            blobs=self.blobs,
            keyring=KEYRING,
            pipeline=PipelineSettings(),
        )
        return photo

    def delete(self, photo: Photo) -> None:
        begin_deletion(photo, table=self.table)
        event = PhotoDeletionBegun(photo.image_id, self.owner)
        finish_deletion(event, table=self.table, blobs=self.blobs, jobs=self.jobs, keyring=KEYRING)

    def months(self) -> dict[str, int]:
        return {month: count.count for month, count in self.timeline.months(self.mine).counts.items()}

    def ids(self, month: str, scope: Scope | None = None) -> list[str]:
        """As a process sees it that runs all the time, and as one does that has just begun."""
        asked = ScopeMonth(self.mine if scope is None else scope, month)
        seen = self.timeline.month(asked)
        assert self.restarted().month(asked) == seen
        return seen.columns.ids

    def traces(self, photo: Photo) -> list[str]:
        return traces_of(photo.image_id, table=self.table, blobs=self.blobs, jobs=self.jobs)


@pytest.fixture
def trip(any_table: Table) -> Trip:
    return Trip(any_table)


def test_a_photo_is_in_its_month_from_its_upload_to_its_deletion(trip: Trip) -> None:
    first = trip.upload(NOON)
    second = trip.upload(NOON + timedelta(days=1))
    assert trip.months() == {"2025-08": 2}
    assert trip.ids("2025-08") == [second.image_id, first.image_id]
    assert trip.timeline.strip(trip.mine).encoded[20:] == b"\x9e\x9e"

    trip.edit(get_photo(first.image_id, at=NOON, table=trip.table), PhotoEdit(taken_at=MAY, taken_offset="+02:00"))
    assert trip.months() == {"2025-08": 1, "2019-06": 1}
    assert (trip.ids("2025-08"), trip.ids("2019-06")) == ([second.image_id], [first.image_id])

    trip.delete(get_photo(first.image_id, at=NOON, table=trip.table))
    assert trip.months() == {"2025-08": 1}
    assert (trip.ids("2025-08"), trip.ids("2019-06")) == ([second.image_id], [])
    assert trip.traces(first) == []

    trip.delete(second)
    assert trip.months() == {}
    assert trip.timeline.strip(trip.mine).encoded == b""
    assert trip.traces(second) == []
    check_sum(trip.table, trip.owner)


def test_the_community_sees_a_photo_in_its_month_while_it_is_shown(trip: Trip) -> None:
    photo = trip.upload(MAY)
    assert photo.image_id in trip.ids("2019-05", COMMUNITY)
    photo = trip.edit(photo, PhotoEdit(visibility=Visibility.PRIVATE))
    assert photo.image_id not in trip.ids("2019-05", COMMUNITY)
    assert trip.ids("2019-05") == [photo.image_id]
    photo = trip.edit(photo, PhotoEdit(visibility=Visibility.COMMUNITY))
    assert photo.image_id in trip.ids("2019-05", COMMUNITY)
    trip.delete(photo)
    assert photo.image_id not in trip.ids("2019-05", COMMUNITY)
    assert trip.traces(photo) == []


def test_a_photo_leaves_its_month_for_the_trash_and_comes_back(trip: Trip) -> None:
    photo, other = trip.upload(MAY), trip.upload(MAY - timedelta(days=1))
    assert trip.ids("2019-05") == [photo.image_id, other.image_id]
    trashed = trip.changed(trash_photo(photo, at=NOON, table=trip.table))
    assert trip.ids("2019-05") == [other.image_id]
    trip.changed(restore_photo(trashed, at=NOON, table=trip.table))
    assert trip.ids("2019-05") == [photo.image_id, other.image_id]


def test_a_step_that_runs_late_and_twice_changes_nothing(trip: Trip) -> None:
    photo = trip.upload(MAY)
    before = trip.timeline.month(ScopeMonth(trip.mine, "2019-05"))
    for _ in range(2):
        update_lists(
            RenditionsReady(photo.image_id, trip.owner),
            table=trip.table,
            blobs=trip.blobs,
            keyring=KEYRING,
            pipeline=PipelineSettings(),
        )
    assert trip.timeline.month(ScopeMonth(trip.mine, "2019-05")) == before
    trip.delete(photo)
    trip.changed(photo)
    assert trip.months() == {}
    assert trip.traces(photo) == []


def test_a_deletion_that_was_interrupted_after_its_links_were_gone_leaves_no_copy(trip: Trip) -> None:
    photo = trip.upload(MAY)
    assert trip.ids("2019-05") == [photo.image_id]
    begin_deletion(photo, table=trip.table)
    reconcile_links(photo.image_id, trip.owner, table=trip.table)
    trip.delete(photo)
    assert trip.traces(photo) == []
