"""A month as columns, built from its rows."""

import json
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from typing import Any

from sparks.feed.month_columns import BuiltMonth, build_month, read_copy
from sparks.library import entity_types, keys
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import key_of
from sparks.library.timeline_blobs import ScopeMonth
from sparks.model.photo import AssetType
from sparks.model.scope import COMMUNITY
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Set
from tests.factories import NOON
from tests.feed.timelines import Behind, Changing
from tests.library.photos.photo_makers import settled

AUGUST = ScopeMonth(COMMUNITY, "2025-08")
LIST = entity_types.month(*AUGUST)


def decoded(month: BuiltMonth) -> dict[str, Any]:
    columns: dict[str, Any] = json.loads(month.encoded)
    return columns


def test_a_month_has_a_column_for_each_shown_attribute() -> None:
    table = MemoryTable()
    video = settled(
        table,
        asset_type=AssetType.VIDEO,
        aspect_ratio=16 / 9,
        duration=12.3456,
        thumbhash=b"\x00hash",
        taken_at=datetime(2025, 7, 31, 23, 30, tzinfo=UTC),
        taken_offset="+02:00",
    )
    plain = settled(table, aspect_ratio=None)
    month = decoded(build_month(AUGUST, table=table))
    assert month.pop("version") > 0
    assert [b64decode(thumbhash) for thumbhash in month.pop("thumbhashes")] == [b"", b"\x00hash"]
    assert month == {
        "month": "2025-08",
        "count": 2,
        "ids": [plain.image_id, video.image_id],
        "ratios": [1, 1.7778],
        "times": ["2025-08-01T12:00:00.000Z", "2025-07-31T23:30:00.000Z"],
        "offsets": ["", "+02:00"],
        "kinds": ["IMAGE", "VIDEO"],
        "durations": [0, 12.346],
    }


def test_photos_are_newest_first_by_the_time_they_were_taken() -> None:
    table = MemoryTable()
    days = [3, 1, 20, 8]
    taken = {settled(table, taken_at=NOON + timedelta(days=day)).image_id: day for day in days}
    assert [taken[image_id] for image_id in build_month(AUGUST, table=table).columns.ids] == sorted(days, reverse=True)


def test_photos_of_the_same_moment_are_always_in_the_same_order() -> None:
    table = MemoryTable()
    ids = [settled(table).image_id for _ in range(5)]
    assert build_month(AUGUST, table=table).columns.ids == sorted(ids, reverse=True)


def test_a_month_without_photos_is_empty_and_of_version_0() -> None:
    month = build_month(AUGUST, table=MemoryTable())
    assert month.version == 0
    assert decoded(month) | {"count": 0, "version": 0} == decoded(month)


def test_a_month_has_no_version_while_the_index_lacks_a_photo() -> None:
    table = Behind(MemoryTable())
    first = settled(table)
    table.fall_behind(LIST)
    settled(table)
    month = build_month(AUGUST, table=table)
    assert month.version is None
    assert decoded(month)["ids"] == [first.image_id]
    assert "version" not in decoded(month)


def test_a_photo_that_only_the_index_still_has_is_not_shown() -> None:
    table = Behind(MemoryTable())
    gone, moved = settled(table), settled(table)
    table.fall_behind(LIST)
    table.write(Delete(key_of(gone)))
    reconcile_links(gone.image_id, gone.owner, table=table)
    table.write(Set(key_of(moved), {"takenAt": "2024-01-01T00:00:00.000Z"}))
    reconcile_links(moved.image_id, moved.owner, table=table)
    settled(table)
    settled(table)
    month = build_month(AUGUST, table=table)  # as many photos as the index has, but others
    assert (month.version, month.columns.ids) == (None, [])


def test_a_month_that_changes_while_it_is_built_has_no_version() -> None:
    inner = MemoryTable()
    photo = settled(inner)

    def change() -> None:
        inner.write(Set(key_of(photo), {"thumbhash": b"another"}))
        reconcile_links(photo.image_id, photo.owner, table=inner)

    assert build_month(AUGUST, table=inner).version is not None
    assert build_month(AUGUST, table=Changing(inner, change)).version is None


def test_a_row_that_is_not_counted_yet_is_not_shown() -> None:
    table = MemoryTable()
    photo = settled(table)
    settled(table)
    table.write(Set(keys.month_link(photo.image_id, COMMUNITY), {"counted": False}))
    table.write(Set(keys.month_counter(*AUGUST), {"count": 1}))
    month = build_month(AUGUST, table=table)
    assert month.version is not None
    assert photo.image_id not in month.columns.ids


def test_members_that_depend_on_the_caller_are_appended() -> None:
    table = MemoryTable()
    settled(table)
    month = build_month(AUGUST, table=table)
    assert json.loads(month.with_more(b'"favorites":[]')) == decoded(month) | {"favorites": []}
    assert month.with_more(b"") == month.encoded


def test_a_copy_is_used_only_if_it_is_complete_and_of_the_right_version() -> None:
    table = MemoryTable()
    settled(table)
    month = build_month(AUGUST, table=table)
    version = month.version or 0
    assert read_copy(AUGUST, version, month.encoded) == month
    assert read_copy(AUGUST, version + 1, month.encoded) is None
    assert read_copy(ScopeMonth(COMMUNITY, "2025-09"), version, month.encoded) is None
    assert read_copy(AUGUST, version, month.encoded[:-10]) is None
    assert read_copy(AUGUST, version, month.encoded.replace(b'"count":1', b'"count":2')) is None
    assert read_copy(AUGUST, version, b"\xff") is None
