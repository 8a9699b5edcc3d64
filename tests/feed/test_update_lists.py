"""Lists, months and open pages that follow a change of a photo."""

import uuid
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.feed.update_lists import update_lists
from sparks.library import keys
from sparks.library.live_events import photo_of
from sparks.library.records import from_item, key_of, to_item
from sparks.library.timeline_blobs import ScopeMonth, month_copy
from sparks.model.events import PhotoChanged, RenditionsReady
from sparks.model.keyring import Keyring
from sparks.model.photo import PhotoState, Visibility
from sparks.model.photo_index import MonthLink
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.model.system_records import LiveEvent
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Put, Table, every
from tests.factories import ANN, a_photo

KEYRING: Final = Keyring("test", {"test": b"t" * 32})
JUNE, JULY = datetime(2025, 6, 15, tzinfo=UTC), datetime(2025, 7, 15, tzinfo=UTC)


class Gallery:
    """One photo that is shown and changed, in a table that may hold others'."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.blobs = MemoryBlobs()
        self.photo = a_photo(owner=f"{uuid.uuid4()}@example.com", taken_at=JUNE)
        self.mine = scope_of_owner(self.photo.owner)

    def show(self, **changes: Any) -> None:
        self._put(**changes)
        event = RenditionsReady(self.photo.image_id, self.photo.owner)
        update_lists(event, table=self.table, blobs=self.blobs, keyring=KEYRING, pipeline=PipelineSettings())

    def change(self, **changes: Any) -> None:
        self._put(**changes)
        self.update()

    def update(self) -> None:
        event = PhotoChanged(self.photo.image_id, self.photo.owner)
        update_lists(event, table=self.table, blobs=self.blobs, keyring=KEYRING, pipeline=PipelineSettings())

    def remove(self) -> None:
        self.table.write(Delete(key_of(self.photo)))

    def _put(self, **changes: Any) -> None:
        known = {name: getattr(self.photo, name) for name in ("image_id", "owner", "taken_at")}
        self.photo = a_photo(**known | changes)
        self.table.write(Put(to_item(self.photo)))

    def months(self) -> set[tuple[Scope, str]]:
        rows = every(self.table, keys.photo_rows(self.photo.image_id), keys.MONTHS)
        return {(link.scope, link.month) for link in (from_item(MonthLink, row) for row in rows)}

    def announcements(self, scope: Scope) -> int:
        """Number of live events about the photo in the scope."""
        events = (from_item(LiveEvent, row) for row in every(self.table, keys.events(scope)))
        return sum(photo_of(event, keyring=KEYRING) == (self.photo.image_id, self.photo.owner) for event in events)

    def keep_copy(self, scope: Scope, month: str) -> str:
        key = month_copy(ScopeMonth(scope, month), 1, keyring=KEYRING)
        self.blobs.put(key, [b"a month"])
        return key

    def copies(self) -> set[str]:
        return {blob.key for blob in self.blobs.list().blobs}


@pytest.fixture
def gallery(any_table: Table) -> Gallery:
    return Gallery(any_table)


def test_a_ready_photo_is_in_its_months_and_announced_to_everyone(gallery: Gallery) -> None:
    gallery.show()
    assert gallery.months() == {(gallery.mine, "2025-06"), (COMMUNITY, "2025-06")}
    assert (gallery.announcements(gallery.mine), gallery.announcements(COMMUNITY)) == (1, 1)


def test_a_private_photo_is_announced_only_to_its_owner(gallery: Gallery) -> None:
    gallery.show(visibility=Visibility.PRIVATE)
    assert gallery.months() == {(gallery.mine, "2025-06")}
    assert (gallery.announcements(gallery.mine), gallery.announcements(COMMUNITY)) == (1, 0)


@pytest.mark.parametrize(
    "change", [{"visibility": Visibility.PRIVATE}, {"state": PhotoState.TRASHED}], ids=["private", "trashed"]
)
def test_hiding_a_photo_is_announced_to_everyone_who_saw_it(gallery: Gallery, change: dict[str, Any]) -> None:
    gallery.show()
    gallery.change(**change)
    assert COMMUNITY not in {scope for scope, _ in gallery.months()}
    assert (gallery.announcements(gallery.mine), gallery.announcements(COMMUNITY)) == (2, 2)
    gallery.change(**change)
    assert gallery.announcements(COMMUNITY) == 2


def test_a_failed_photo_is_announced_to_its_owner(gallery: Gallery) -> None:
    gallery.change(state=PhotoState.FAILED)
    assert gallery.months() == set()
    assert (gallery.announcements(gallery.mine), gallery.announcements(COMMUNITY)) == (1, 0)


def test_an_expiring_photo_is_announced_though_it_is_in_no_month(gallery: Gallery) -> None:
    gallery.show(expires_at=datetime(2100, 1, 1, tzinfo=UTC))
    assert gallery.months() == set()
    assert gallery.announcements(COMMUNITY) == 1


def test_the_stored_copies_of_old_and_new_months_of_a_photo_are_deleted() -> None:
    gallery = Gallery(MemoryTable())
    gallery.show()
    moved = {gallery.keep_copy(scope, month) for scope in (gallery.mine, COMMUNITY) for month in ("2025-06", "2025-07")}
    others = {
        gallery.keep_copy(scope, month) for scope in (gallery.mine, COMMUNITY) for month in ("2025-05", "2024-06")
    }
    others |= {gallery.keep_copy(scope_of_owner(ANN), "2025-06")}
    gallery.change(taken_at=JULY)
    assert gallery.months() == {(gallery.mine, "2025-07"), (COMMUNITY, "2025-07")}
    assert gallery.copies() == others
    assert moved.isdisjoint(others)


def test_a_deleted_photo_leaves_no_row_and_is_not_announced() -> None:
    gallery = Gallery(MemoryTable())
    gallery.show()
    gallery.remove()
    gallery.update()
    assert gallery.months() == set()
    assert (gallery.announcements(gallery.mine), gallery.announcements(COMMUNITY)) == (1, 1)


def test_updating_the_lists_twice_is_harmless(gallery: Gallery) -> None:
    gallery.show()
    gallery.show()
    gallery.update()
    assert gallery.months() == {(gallery.mine, "2025-06"), (COMMUNITY, "2025-06")}
    counter = gallery.table.get(keys.month_counter(gallery.mine, "2025-06"))
    assert counter is not None
    assert counter["count"] == 1
