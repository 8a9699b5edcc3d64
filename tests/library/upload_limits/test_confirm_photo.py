"""Reservations that become photos: settled, refused and repeated ones."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from sparks.library.records import key_of, to_item
from sparks.library.upload_limits.photo_usage import confirm_photo, release_photo
from sparks.model.errors import BadInput, ConditionFailed, Conflict, NotFound, UploadLimitReached
from sparks.model.photo import Photo, PhotoState
from sparks.model.photo_index import ContentDigest
from sparks.table.memory import MemoryTable
from sparks.table.port import Absent, Delete, Put, Table
from tests.factories import BOB, NOON
from tests.library.tables import a_reservation, arrived, check_sum, limit_row, move, new_account, photo_in, reserved

EXPIRES = NOON + timedelta(hours=1)


@pytest.mark.parametrize(("size", "left"), [(100, 0), (60, 40)])
def test_a_confirmed_photo_counts_with_its_real_size(table: Table, size: int, left: int) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = reserved(table, owner, 100)
    confirm_photo(photo, arrived(photo, size), at=NOON, table=table)
    assert limit_row(table, owner)["bytesLeft"] == left
    check_sum(table, owner)


def test_a_photo_that_has_grown_too_large_stays_reserved(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=120)
    photo = reserved(any_table, owner, 100)
    with pytest.raises(
        UploadLimitReached, match="needs 21 more bytes, and what is left is 0 photos and 20 bytes"
    ) as refused:
        confirm_photo(photo, arrived(photo, 121), at=NOON, table=any_table)
    assert (refused.value.photos_left, refused.value.bytes_left) == (0, 20)
    assert photo_in(any_table, photo) == photo
    check_sum(any_table, owner)


def test_confirming_again_is_harmless(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=200)
    photo = reserved(any_table, owner, 100)
    after = arrived(photo, 150, sha256="a" * 64)
    for _ in range(2):
        confirm_photo(photo, after, at=NOON, table=any_table)
    assert photo_in(any_table, photo) == after
    check_sum(any_table, owner)


def test_confirming_again_long_after_is_harmless(table: Table) -> None:
    photo = reserved(table, new_account(table, photos=1, bytes=200), 100, expires_at=EXPIRES)
    confirm_photo(photo, arrived(photo), at=NOON, table=table)
    ready = move(table, arrived(photo), PhotoState.READY)
    confirm_photo(photo, arrived(photo, sha256="a" * 64), at=EXPIRES, table=table)
    assert photo_in(table, photo) == ready


@pytest.mark.parametrize("other", [{"size": 90}, {"sha256": "b" * 64}])
def test_two_files_cannot_both_be_the_photo(table: Table, other: dict[str, Any]) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = reserved(table, owner, 100)
    confirm_photo(photo, arrived(photo, sha256="a" * 64), at=NOON, table=table)
    with pytest.raises(Conflict, match="another file"):
        confirm_photo(photo, arrived(photo, **other), at=NOON, table=table)
    check_sum(table, owner)


def test_a_reservation_holds_until_it_expires(any_table: Table) -> None:
    owner = new_account(any_table, photos=2, bytes=200)
    first, second = (reserved(any_table, owner, 100, expires_at=EXPIRES, ttl=EXPIRES) for _ in range(2))
    confirm_photo(first, arrived(first), at=EXPIRES - timedelta(milliseconds=1), table=any_table)
    for at in (EXPIRES, EXPIRES + timedelta(days=1)):
        with pytest.raises(NotFound, match="took too long"):
            confirm_photo(second, arrived(second), at=at, table=any_table)
    assert (photo_in(any_table, first), photo_in(any_table, second)) == (arrived(first), second)


@pytest.mark.parametrize("end", [lambda photo: Delete(key_of(photo)), None], ids=["gone", "deleting"])
def test_a_canceled_reservation_cannot_be_confirmed(table: Table, end: Callable[[Photo], Delete] | None) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = reserved(table, owner, 100)
    release_photo(photo, table=table)
    if end is not None:
        table.write(end(photo))
    with pytest.raises(NotFound, match="begin a new one"):
        confirm_photo(photo, arrived(photo), at=NOON, table=table)
    check_sum(table, owner)


def test_additional_changes_are_written_in_the_same_transaction(any_table: Table) -> None:
    owner = new_account(any_table, photos=2, bytes=200)
    first, second = (reserved(any_table, owner, 50) for _ in range(2))
    rows = [
        Put(to_item(ContentDigest(who=owner, digest=f"{n}", image_id=first.image_id, owner=owner))) for n in range(2)
    ]
    hashes = [replace(row, when=(Absent(),)) for row in rows]
    any_table.write(hashes[1])
    with pytest.raises(ConditionFailed) as failed:
        confirm_photo(first, arrived(first, 70), *hashes, at=NOON, table=any_table)
    assert (failed.value.position, failed.value.found) == (1, rows[1].item)
    assert (photo_in(any_table, first), any_table.get(rows[0].key)) == (first, None)
    with pytest.raises(ConditionFailed) as failed:
        release_photo(second, *reversed(hashes), table=any_table)
    assert (failed.value.position, photo_in(any_table, second)) == (0, second)
    for _ in range(2):  # a repeat finds its own row first
        confirm_photo(first, arrived(first, 70), hashes[0], at=NOON, table=any_table)
    assert any_table.get(rows[0].key) == rows[0].item
    check_sum(any_table, owner)


def test_a_duplicate_is_reported_rather_than_a_reached_limit(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = reserved(table, owner, 100)
    digest = Put(to_item(ContentDigest(who=owner, digest="d", image_id=photo.image_id, owner=owner)), when=(Absent(),))
    table.write(digest)
    with pytest.raises(ConditionFailed):
        confirm_photo(photo, arrived(photo, 1000), digest, at=NOON, table=table)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"state": PhotoState.PENDING}, {}),
        ({}, {"state": PhotoState.READY}),
        ({}, {"image_id": "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"}),
        ({}, {"owner": BOB}),
        ({}, {"expires_at": EXPIRES}),
        ({}, {"ttl": EXPIRES}),
        ({}, {"file_size": -1}),
        ({"file_size": None}, {}),
    ],
)
def test_confirming_a_photo_in_another_state_is_bad_input(before: dict[str, Any], after: dict[str, Any]) -> None:
    photo = a_reservation()
    with pytest.raises(BadInput):
        confirm_photo(replace(photo, **before), replace(arrived(photo), **after), at=NOON, table=MemoryTable())


def test_a_confirmed_photo_expires_at_the_time_of_its_uploader_not_of_its_reservation(any_table: Table) -> None:
    owner, later = new_account(any_table, photos=1, bytes=100), EXPIRES + timedelta(days=7)
    photo = reserved(any_table, owner, 100, expires_at=EXPIRES, ttl=EXPIRES, kept_until=later)
    kept = replace(arrived(photo), kept_until=None, expires_at=later, ttl=later)
    for wrong in (replace(kept, expires_at=None, ttl=None), replace(kept, expires_at=EXPIRES), replace(kept, ttl=None)):
        with pytest.raises(BadInput, match="when its uploader said so, or never"):
            confirm_photo(photo, wrong, at=NOON, table=any_table)
    confirm_photo(photo, kept, at=NOON, table=any_table)
    assert photo_in(any_table, photo) == kept


def test_a_reservation_that_was_begun_with_other_values_is_a_conflict(table: Table) -> None:
    photo = reserved(table, new_account(table, photos=1, bytes=100), 100, expires_at=EXPIRES)
    for believed in (replace(photo, file_size=90), replace(photo, expires_at=None)):
        with pytest.raises(Conflict, match="begun with other values"):
            confirm_photo(believed, arrived(believed), at=NOON, table=table)
