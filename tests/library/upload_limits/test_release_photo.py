"""Deleted photos are given back to the limit once, and only to existing accounts."""

from dataclasses import replace

import pytest

from sparks.library import keys
from sparks.library.records import key_of, to_item
from sparks.library.upload_limits.photo_usage import confirm_photo, release_photo
from sparks.model.errors import Conflict
from sparks.model.photo import PhotoState
from sparks.table.port import Delete, Put, Table
from tests.factories import NOON
from tests.library.tables import (
    Meddled,
    arrived,
    check_sum,
    confirmed,
    limit_row,
    move,
    new_account,
    photo_in,
    recount,
    reserved,
)


@pytest.mark.parametrize("state", [state for state in PhotoState if state is not PhotoState.DELETING])
def test_a_photo_of_any_state_is_given_back_once(table: Table, state: PhotoState) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = reserved(table, owner)
    photo = photo if state is PhotoState.RESERVED else move(table, photo, state)
    for _ in range(2):
        release_photo(photo, table=table)
    item = table.get(key_of(photo))
    assert item is not None
    assert (item["entityType"], "uploadedBy" in item) == ("IMAGE_DELETING", False)
    assert limit_row(table, owner) == {"limit": 1, "bytesLeft": 100, "given": 1, "bytesGiven": 100}


def test_a_deleted_photo_gives_nothing_back(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = confirmed(table, owner)
    release_photo(photo, table=table)
    table.write(Delete(key_of(photo)))
    for seen in (photo, replace(photo, state=PhotoState.DELETING), replace(photo, file_size=None)):
        release_photo(seen, table=table)
    assert table.get(key_of(photo)) is None
    check_sum(table, owner)


def test_an_imported_photo_has_no_size_to_give_back(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = replace(confirmed(table, owner, 0), file_size=None)
    table.write(Put(to_item(photo)))
    release_photo(photo, table=table)
    check_sum(table, owner)


def test_the_pipeline_does_not_save_a_photo_from_deletion(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = confirmed(table, owner)
    release_photo(photo, table=Meddled(table, lambda: move(table, photo, PhotoState.READY)))
    assert recount(table, owner) == (0, 0)
    check_sum(table, owner)


def test_the_credited_size_is_that_of_the_row(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=200)
    photo = reserved(table, owner, 100)
    confirm_photo(photo, arrived(photo, 150), at=NOON, table=table)
    release_photo(arrived(photo), table=table)
    assert limit_row(table, owner)["bytesLeft"] == 200


@pytest.mark.parametrize(
    ("seen", "became"), [(PhotoState.RESERVED, PhotoState.PENDING), (PhotoState.TRASHED, PhotoState.READY)]
)
def test_a_sweep_does_not_release_a_photo_that_was_confirmed_or_restored_meanwhile(
    table: Table, seen: PhotoState, became: PhotoState
) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = reserved(table, owner)
    photo = photo if seen is PhotoState.RESERVED else move(table, photo, seen)
    with pytest.raises(Conflict, match="meanwhile"):
        release_photo(photo, table=Meddled(table, lambda: move(table, photo, became)))
    assert photo_in(table, photo) == replace(photo, state=became)
    check_sum(table, owner)


def test_an_account_that_is_removed_is_not_credited(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=100)
    photo = confirmed(any_table, owner)
    any_table.write(Delete(keys.upload_limit(owner)))
    for _ in range(2):
        release_photo(photo, table=any_table)
    assert recount(any_table, owner) == (0, 0)
    assert any_table.get(keys.upload_limit(owner)) is None


def test_a_limit_that_comes_back_at_the_last_moment_is_credited(table: Table) -> None:
    owner = new_account(table, photos=1, bytes=100)
    photo = confirmed(table, owner)
    row = table.get(keys.upload_limit(owner))
    assert row is not None
    steps = (lambda: table.write(Delete(keys.upload_limit(owner))), lambda: table.write(Put(row)))
    release_photo(photo, table=Meddled(table, *steps))
    assert recount(table, owner) == (0, 0)
    check_sum(table, owner)
