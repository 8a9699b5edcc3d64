"""Timelines: built once for each version, kept in the process and under `derived/`."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import BlobInfo
from sparks.feed.aspect_ratios import split_ratios
from sparks.library import entity_types
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.edit_and_trash import edit_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.timeline_blobs import ScopeMonth, drop_months, month_copy, months_of
from sparks.model.errors import SparksError, StorageFull, Unavailable
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.table.memory import MemoryTable
from tests.factories import ANN, NOON
from tests.feed.timelines import KEYRING, Behind, Changing, Watched, copies_in, ids_in, month_in, timeline_of
from tests.library.photos.photo_makers import LATER, settled
from tests.stored_traces import traces_of

MINE = scope_of_owner(ANN)
JULY, MAY = datetime(2024, 7, 1, tzinfo=UTC), datetime(2023, 5, 1, tzinfo=UTC)


@pytest.fixture
def table() -> Watched:
    return Watched(MemoryTable())


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs()


def settle(photo: Photo, table: Watched) -> None:
    reconcile_links(photo.image_id, photo.owner, table=table)


def erase(photo: Photo, table: Watched, blobs: MemoryBlobs) -> None:
    months = months_of(photo.image_id, table=table)
    delete_rows_and_blobs(photo, table=table, blobs=blobs)
    drop_months(months, blobs=blobs, keyring=KEYRING)


# -- What there is


def test_months_are_listed_newest_first_with_their_counts(table: Watched) -> None:
    for taken_at in (MAY, JULY, MAY, NOON):
        settled(table, taken_at=taken_at)
    months = timeline_of(table).months(MINE).counts
    assert [(month, count.count) for month, count in months.items()] == [("2025-08", 1), ("2024-07", 1), ("2023-05", 2)]


def test_a_private_photo_is_in_its_owners_months_alone(table: Watched) -> None:
    private = settled(table, visibility=Visibility.PRIVATE)
    timeline = timeline_of(table)
    assert ids_in(timeline, "2025-08", MINE) == [private.image_id]
    assert ids_in(timeline, "2025-08") == []
    assert timeline.months(COMMUNITY).counts == {}


def test_an_edited_date_moves_a_photo_to_another_month(table: Watched) -> None:
    photo, other = settled(table), settled(table)
    timeline = timeline_of(table)
    assert set(ids_in(timeline, "2025-08")) == {photo.image_id, other.image_id}
    edit_photo(photo, PhotoEdit(taken_at=JULY), version=photo.version, at=LATER, table=table)
    settle(photo, table)
    assert ids_in(timeline, "2025-08") == [other.image_id]
    assert ids_in(timeline, "2024-07") == [photo.image_id]


def test_a_trashed_photo_is_in_no_month(table: Watched) -> None:
    photo = settled(table)
    timeline = timeline_of(table)
    assert ids_in(timeline, "2025-08") == [photo.image_id]
    trash_photo(photo, at=LATER, table=table)
    settle(photo, table)
    assert ids_in(timeline, "2025-08") == []


# -- What is built, and when


def test_a_month_is_built_once(table: Watched) -> None:
    settled(table)
    timeline = timeline_of(table)
    months = [month_in(timeline, "2025-08") for _ in range(3)]
    assert table.take_built() == ["2025-08"]
    assert months[0].version is not None
    assert months == months[:1] * 3


def test_after_one_upload_only_its_month_is_built_again(table: Watched, blobs: MemoryBlobs) -> None:
    for taken_at in (MAY, JULY, NOON):
        settled(table, taken_at=taken_at)
    timeline = timeline_of(table, blobs)
    timeline.strip(MINE)
    assert sorted(table.take_built()) == ["2023-05", "2024-07", "2025-08"]
    settled(table, taken_at=JULY)
    timeline.strip(MINE)
    assert [len(ids_in(timeline, month, MINE)) for month in ("2023-05", "2024-07", "2025-08")] == [1, 2, 1]
    assert table.take_built() == ["2024-07"]


def test_after_a_restart_no_month_is_built(table: Watched, blobs: MemoryBlobs) -> None:
    for taken_at in (MAY, JULY, NOON):
        settled(table, taken_at=taken_at)
    before = timeline_of(table, blobs)
    months, strip = [month_in(before, month) for month in ("2023-05", "2024-07", "2025-08")], before.strip(COMMUNITY)
    table.take_built()
    after = timeline_of(table, blobs)
    assert [month_in(after, month) for month in ("2023-05", "2024-07", "2025-08")] == months
    assert timeline_of(table, blobs).strip(COMMUNITY) == strip
    assert table.take_built() == []


def test_parallel_reads_build_a_month_once(table: Watched) -> None:
    settled(table)
    timeline = timeline_of(table)
    together = threading.Barrier(8)

    def ask(_: int) -> list[str]:
        together.wait()
        return ids_in(timeline, "2025-08")

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(ask, range(8)))
    assert answers == answers[:1] * 8
    assert table.take_built() == ["2025-08"]


def test_a_month_that_does_not_fit_into_the_cache_is_read_from_its_copy(table: Watched, blobs: MemoryBlobs) -> None:
    photo = settled(table)
    timeline = timeline_of(table, blobs, max_cache_bytes=10)
    assert [ids_in(timeline, "2025-08") for _ in range(3)] == [[photo.image_id]] * 3
    assert table.take_built() == ["2025-08"]


def test_a_damaged_copy_is_built_again(table: Watched, blobs: MemoryBlobs) -> None:
    photo = settled(table)
    ids_in(timeline_of(table, blobs), "2025-08")
    (copy,) = copies_in(blobs)
    blobs.put(copy, [b'{"month":"2025-08"'])
    assert ids_in(timeline_of(table, blobs), "2025-08") == [photo.image_id]
    assert ids_in(timeline_of(table, blobs), "2025-08") == [photo.image_id]
    assert table.take_built() == ["2025-08", "2025-08"]


# -- Copies


def test_the_key_of_a_copy_holds_no_email_address(table: Watched, blobs: MemoryBlobs) -> None:
    settled(table)
    timeline = timeline_of(table, blobs)
    version = month_in(timeline, "2025-08", MINE).version or 0
    (copy,) = copies_in(blobs)
    assert copy == month_copy(ScopeMonth(MINE, "2025-08"), version, keyring=KEYRING)
    assert "@" not in copy
    assert "ann" not in copy


def test_a_month_has_one_copy_however_often_it_changes(table: Watched, blobs: MemoryBlobs) -> None:
    timeline = timeline_of(table, blobs)
    for _ in range(3):
        settled(table)
        ids_in(timeline, "2025-08")
    assert len(copies_in(blobs)) == 1


def test_no_copy_is_stored_while_the_index_lags_behind(blobs: MemoryBlobs) -> None:
    table = Behind(MemoryTable())
    settled(table)
    timeline = timeline_of(table, blobs)
    table.fall_behind(entity_types.month(COMMUNITY, "2025-08"))
    second = settled(table)
    assert month_in(timeline, "2025-08").version is None
    assert timeline.strip(COMMUNITY).etag is None
    assert copies_in(blobs) == []
    table.catch_up()
    assert second.image_id in ids_in(timeline, "2025-08")
    assert timeline.strip(COMMUNITY).etag is not None


def test_a_copy_that_is_stored_after_a_deletion_is_deleted_again() -> None:
    inner = MemoryTable()
    photo = settled(inner)
    settled(inner)
    table = Watched(inner)

    class Slow(MemoryBlobs):
        """By the time it has stored something, the photo is gone."""

        def put(self, key: str, chunks: Iterable[bytes], **more: Any) -> BlobInfo:
            chunks = list(chunks)
            if key.startswith("derived/"):
                erase(photo, table, self)
            return super().put(key, chunks, **more)

    blobs = Slow()
    ids_in(timeline_of(table, blobs), "2025-08")
    assert traces_of(photo.image_id, table=inner, blobs=blobs) == []


def test_a_photo_that_is_deleted_while_its_month_is_built_leaves_no_trace(blobs: MemoryBlobs) -> None:
    inner = MemoryTable()
    photo = settled(inner)
    settled(inner)
    table = Changing(inner, lambda: erase(photo, Watched(inner), blobs))
    timeline = timeline_of(table, blobs)
    ids_in(timeline, "2025-08")
    assert traces_of(photo.image_id, table=inner, blobs=blobs) == []
    assert photo.image_id not in ids_in(timeline, "2025-08")


def test_a_deleted_photo_is_in_no_copy(table: Watched, blobs: MemoryBlobs) -> None:
    photo, other = settled(table), settled(table)
    timeline = timeline_of(table, blobs)
    for scope in (MINE, COMMUNITY):
        ids_in(timeline, "2025-08", scope)
        timeline.strip(scope)
    erase(photo, table, blobs)
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []
    assert ids_in(timeline, "2025-08", MINE) == [other.image_id]


@pytest.mark.parametrize("error", [StorageFull("no room left"), Unavailable("read-only")])
def test_a_timeline_can_be_read_while_nothing_can_be_stored(table: Watched, error: SparksError) -> None:
    class Full(MemoryBlobs):
        def put(self, *_: Any, **__: Any) -> BlobInfo:
            raise error

    photo = settled(table)
    timeline = timeline_of(table, Full())
    assert ids_in(timeline, "2025-08") == [photo.image_id]
    assert len(split_ratios(timeline.strip(COMMUNITY).encoded)) == 1


# -- Strips


def test_a_strip_has_the_aspect_ratios_of_all_months_in_their_order(table: Watched) -> None:
    settled(table, taken_at=JULY, aspect_ratio=1.5)
    settled(table, taken_at=NOON, aspect_ratio=2.0)
    settled(table, taken_at=NOON.replace(day=2), aspect_ratio=1.0)
    timeline = timeline_of(table)
    pieces = list(split_ratios(timeline.strip(MINE).encoded).values())
    counts = timeline.months(MINE).counts
    assert [(piece.month, piece.shapes) for piece in pieces] == [("2025-08", bytes([128, 164])), ("2024-07", b"\x95")]
    assert [piece.version for piece in pieces] == [count.version for count in counts.values()]


def test_a_strip_of_no_photos_is_empty(table: Watched) -> None:
    strip = timeline_of(table).strip(MINE)
    assert strip.encoded == b""
    assert strip.etag == timeline_of(table).months(MINE).etag


def test_the_etag_changes_with_any_month_and_with_the_scope(table: Watched) -> None:
    timeline = timeline_of(table)
    seen = set()
    for taken_at in (NOON, JULY, NOON, MAY):
        settled(table, taken_at=taken_at)
        seen |= {timeline.months(MINE).etag, timeline.months(COMMUNITY).etag}
    assert len(seen) == 8
