"""Reconciliation of the link rows of a photo: late, repeated, interrupted, and while the photo changes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import keys
from sparks.library.photo_deletion import begin_deletion, delete_rows_and_blobs
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.processing_state import finish_processing
from sparks.library.photos.reconcile_links import move_counter, reconcile_links
from sparks.library.records import changes, key_of, to_item
from sparks.model import ids
from sparks.model.errors import Busy, Unavailable
from sparks.model.photo import AssetType, Photo, Visibility
from sparks.model.photo_index import MonthLink, TagLink
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.table.port import Delete, Item, Key, Put, Set, Table
from tests.account_makers import everything, interrupted, keep
from tests.factories import ANN, NOON
from tests.library.photos.photo_lists import check_counts, check_settled, counts_in
from tests.library.photos.photo_makers import LATER, MADE, kept, pending, settled
from tests.library.tables import Meddled, new_account
from tests.stored_traces import traces_of

MINE = scope_of_owner(ANN)
AUGUST, MY_AUGUST = keys.month_counter(COMMUNITY, "2025-08"), keys.month_counter(MINE, "2025-08")
SEA, MY_SEA = keys.tag_counter(COMMUNITY, "sea"), keys.tag_counter(MINE, "sea")
JULY = datetime(2024, 7, 1, tzinfo=UTC)


def settle(photo: Photo, table: Table) -> None:
    reconcile_links(photo.image_id, photo.owner, table=table)


def edited(photo: Photo, table: Table, **edit: Any) -> Photo:
    return edit_photo(photo, PhotoEdit(**edit), version=photo.version, at=LATER, table=table)


def version_of(counter: Key, table: Table) -> int:
    item = table.get(counter)
    assert item is not None
    return int(item["version"])


# -- What it makes


def test_a_finished_photo_is_listed_and_counted(table: Table) -> None:
    settled(table, tags=("Sea",))
    assert counts_in(table) == {AUGUST: 1, MY_AUGUST: 1, SEA: 1, MY_SEA: 1}
    check_settled(table, ANN)
    settled(table, visibility=Visibility.PRIVATE)
    assert counts_in(table) == {AUGUST: 1, MY_AUGUST: 2, SEA: 1, MY_SEA: 1}
    check_settled(table, ANN)


def test_doing_it_again_changes_nothing(table: Table) -> None:
    photo = settled(table, tags=("Sea",))
    before = everything(table)
    settle(photo, table)
    assert everything(table) == before


def test_a_photo_on_its_way_is_in_no_list_until_it_is_finished(table: Table) -> None:
    photo = pending(table, tags=("Sea",))
    settle(photo, table)
    assert counts_in(table) == {}
    finish_processing(photo, MADE, at=LATER, table=table)
    settle(photo, table)
    assert counts_in(table) == {AUGUST: 1, MY_AUGUST: 1, SEA: 1, MY_SEA: 1}


def test_an_edit_moves_the_photo_between_its_lists(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=1)
    mine = scope_of_owner(owner)
    photo = settled(any_table, owner=owner, tags=("Sea", "Blue"))
    edited(photo, any_table, tags=("blue", "red"), taken_at=JULY, visibility=Visibility.PRIVATE)
    settle(photo, any_table)
    check_settled(any_table, owner)
    counts = {key: count for key, count in counts_in(any_table).items() if key[0].endswith(mine)}
    assert counts == {
        keys.month_counter(mine, "2024-07"): 1,
        keys.tag_counter(mine, "blue"): 1,
        keys.tag_counter(mine, "red"): 1,
    }


def test_a_trashed_photo_is_in_no_list_until_it_is_restored(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=1)
    photo = settled(any_table, owner=owner, tags=("Sea",))
    before = counts_in(any_table)
    trashed = trash_photo(photo, at=LATER, table=any_table)
    settle(photo, any_table)
    assert not any(key[0].endswith(owner) for key in counts_in(any_table))
    restore_photo(trashed, at=LATER, table=any_table)
    settle(photo, any_table)
    assert counts_in(any_table) == before
    check_settled(any_table, owner)


def test_a_deleted_photo_leaves_neither_rows_nor_the_names_of_its_tags(any_table: Table) -> None:
    owner, tag = new_account(any_table, photos=1, bytes=1), ids.random_id()
    photo = settled(any_table, owner=owner, tags=(tag,))
    assert any(tag in item["SK"] for item in everything(any_table))
    delete_rows_and_blobs(photo, table=any_table, blobs=(blobs := MemoryBlobs()))
    assert traces_of(photo.image_id, table=any_table, blobs=blobs) == []
    assert not any(tag in item["SK"] for item in everything(any_table))
    check_settled(any_table, owner)


def test_link_rows_of_a_deleted_photo_are_deleted(table: Table) -> None:
    photo = settled(table, tags=("Sea",))
    table.write(Delete(key_of(photo)))
    settle(photo, table)
    assert everything(table) == []


# -- Rows from imports


def imported(photo: Photo) -> list[MonthLink | TagLink]:
    about: dict[str, Any] = {"image_id": photo.image_id, "owner": photo.owner, "extra": {"from": "elsewhere"}}
    return [MonthLink(scope=MINE, month="2019-01", **about), TagLink(tag="sea", community=True, **about)]


def test_uncounted_rows_are_counted_and_keep_their_other_attributes(table: Table) -> None:
    photo = kept(table, tags=("Sea",))
    keep(table, *imported(photo))
    settle(photo, table)
    assert counts_in(table) == {AUGUST: 1, MY_AUGUST: 1, SEA: 1, MY_SEA: 1}
    row = table.get(keys.month_link(photo.image_id, MINE))
    assert row is not None
    assert (row["counted"], row["from"], row["entityType"]) == (True, "elsewhere", f"MONTH#{ANN}#2025-08")


def test_rows_that_do_not_say_whether_they_are_counted_are_not(table: Table) -> None:
    photo = kept(table)
    for link in imported(photo):
        item = to_item(link)
        del item["counted"]
        table.write(Put(item))
    settle(photo, table)
    check_settled(table, ANN)


def test_uncounted_rows_are_deleted_without_moving_the_counter(table: Table) -> None:
    other = settled(table, tags=("Sea",))
    photo = kept(table)
    keep(table, *imported(photo))
    delete_rows_and_blobs(photo, table=table, blobs=MemoryBlobs())
    assert counts_in(table) == {AUGUST: 1, MY_AUGUST: 1, SEA: 1, MY_SEA: 1}
    delete_rows_and_blobs(other, table=table, blobs=MemoryBlobs())
    assert everything(table) == []


# -- Versions


@pytest.mark.parametrize(
    "change",
    [
        {"thumbhash": b"other"},
        {"aspect_ratio": 0.5},
        {"taken_at": NOON},
        {"taken_offset": "+01:00"},
        {"duration": 1.5},
        {"asset_type": AssetType.VIDEO},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_change_that_a_month_shows_raises_its_version(table: Table, change: dict[str, Any]) -> None:
    photo = settled(table, taken_at=LATER)
    before = version_of(AUGUST, table), version_of(MY_AUGUST, table)
    table.write(changes(photo, replace(photo, **change)))
    settle(photo, table)
    assert (version_of(AUGUST, table), version_of(MY_AUGUST, table)) == (before[0] + 1, before[1] + 1)
    assert counts_in(table) == {AUGUST: 1, MY_AUGUST: 1}


def test_adding_or_removing_a_photo_raises_the_version_of_its_month(table: Table) -> None:
    settled(table)
    before = version_of(AUGUST, table)
    second = settled(table)
    trash_photo(second, at=LATER, table=table)
    settle(second, table)
    assert (version_of(AUGUST, table), counts_in(table)[AUGUST]) == (before + 2, 1)


def test_a_change_that_a_month_does_not_show_keeps_its_version(table: Table) -> None:
    photo = settled(table)
    before = version_of(AUGUST, table)
    edited(photo, table, title="other", description="words", tags=("Sea",))
    settle(photo, table)
    assert version_of(AUGUST, table) == before


def test_a_version_does_not_come_back_with_another_photo(table: Table) -> None:
    """Or what was built from the month before it was empty would be shown again."""
    first = settled(table)
    seen = {version_of(AUGUST, table)}
    for _ in range(3):
        trash_photo(first, at=LATER, table=table)
        settle(first, table)
        assert table.get(AUGUST) is None
        first = settled(table)
        assert version_of(AUGUST, table) not in seen
        seen.add(version_of(AUGUST, table))


def test_a_counter_that_two_begin_at_once_begins_once(table: Table) -> None:
    versions: list[int] = []

    def be_faster() -> None:
        settled(table)
        versions.extend((version_of(AUGUST, table), version_of(MY_AUGUST, table)))

    settle(kept(table), Meddled(table, be_faster))
    assert [version_of(AUGUST, table), version_of(MY_AUGUST, table)] == [version + 1 for version in versions]
    assert counts_in(table) == {AUGUST: 2, MY_AUGUST: 2}


def test_an_imported_counter_that_is_too_low_does_not_block_reconciling(table: Table) -> None:
    photo = settled(table)
    table.write(Set(AUGUST, {"count": 0}))
    table.write(Delete(MY_AUGUST))
    trash_photo(photo, at=LATER, table=table)
    settle(photo, table)
    assert counts_in(table) == {}


def test_an_imported_counter_may_have_only_its_key(table: Table) -> None:
    table.write(Put({"PK": AUGUST.pk, "SK": AUGUST.sk}))
    settled(table)
    assert counts_in(table)[AUGUST] == 1


# -- At a bad moment


def test_an_interrupted_reconcile_continues_where_it_stopped(table: Table) -> None:
    photo = kept(table, tags=("Sea", "Blue"))
    for change in (PhotoEdit(tags=("Sea", "Red")), PhotoEdit(taken_at=JULY), PhotoEdit(visibility=Visibility.PRIVATE)):
        photo = edit_photo(photo, change, version=photo.version, at=LATER, table=table)
        for writes in range(20):
            try:
                settle(photo, interrupted(table, after=min(writes, 1)))
            except Unavailable:
                check_counts(everything(table))
                continue
            break
        check_settled(table, ANN)


Meddling = Callable[[Photo, Table], object]

# Acts of another writer right before a write.
MEDDLING: dict[str, Meddling] = {
    "edits it": lambda photo, table: settle(edited(photo, table, tags=("red",), taken_at=JULY), table),
    "hides it and settles later": lambda photo, table: edited(photo, table, visibility=Visibility.PRIVATE),
    "trashes it": lambda photo, table: settle(trash_photo(photo, at=LATER, table=table), table),
    "settles it": settle,
    "begins to delete it": lambda photo, table: begin_deletion(photo, table=table),
    "deletes it": lambda photo, table: delete_rows_and_blobs(photo, table=table, blobs=MemoryBlobs()),
    "adds another": lambda photo, table: settled(table, owner=photo.owner, tags=("Sea",)),
}


@pytest.mark.parametrize("write", range(4))
@pytest.mark.parametrize("act", MEDDLING)
def test_link_rows_agree_with_the_photo_after_any_concurrent_change(table: Table, act: str, write: int) -> None:
    photo = kept(table, tags=("Sea",))
    meddle = partial(MEDDLING[act], photo, table)
    settle(photo, Meddled(table, *[lambda: None] * write, meddle))
    check_settled(table, ANN)


@pytest.mark.parametrize("write", range(4))
@pytest.mark.parametrize("act", MEDDLING)
def test_link_rows_agree_with_the_photo_after_any_concurrent_change_while_they_are_deleted(
    table: Table, act: str, write: int
) -> None:
    photo = trash_photo(settled(table, tags=("Sea",)), at=LATER, table=table)
    meddle = partial(MEDDLING[act], photo, table)
    settle(photo, Meddled(table, *[lambda: None] * write, meddle))
    check_settled(table, ANN)


def test_two_concurrent_reconciles_count_a_photo_once(table: Table) -> None:
    """Neither the photo nor a counter shows the second run that its work is done: only the row does."""
    for taken_at in (NOON, JULY, datetime(2019, 1, 1, tzinfo=UTC)):
        settled(table, tags=("Sea",), taken_at=taken_at)
    photo = kept(table, tags=("Sea",))
    keep(table, *imported(photo))
    settle(photo, Meddled(table, partial(settle, photo, table)))
    check_settled(table, ANN)
    moved = edited(photo, table, taken_at=JULY)
    settle(moved, Meddled(table, partial(settle, moved, table)))
    check_settled(table, ANN)
    trash_photo(moved, at=LATER, table=table)
    settle(moved, Meddled(table, partial(settle, moved, table)))
    check_settled(table, ANN)


def test_a_counter_that_falls_to_one_meanwhile_is_deleted_with_its_last_photo(table: Table) -> None:
    one, two = settled(table), settled(table)
    for photo in (one, two):
        trash_photo(photo, at=LATER, table=table)
    settle(one, Meddled(table, partial(settle, two, table)))
    assert counts_in(table) == {}


def test_a_photo_that_never_stands_still_is_given_up(table: Table) -> None:
    photo = kept(table)

    def flicker() -> None:
        nonlocal photo
        photo = edited(photo, table, taken_at=datetime(2000 + photo.version, 1, 1, tzinfo=UTC))

    with pytest.raises(Busy):
        settle(photo, Meddled(table, *[flicker] * 1000))
    check_counts(everything(table))
    settle(photo, table)
    check_settled(table, ANN)


def test_moving_a_counter_by_nothing_makes_none() -> None:
    key = Key("TIMELINE#ALL", "2025-08")
    item: Item = {"PK": key.pk, "SK": key.sk, "count": 2, "version": 5}
    assert move_counter(key, None, 0) == move_counter(key, None, -1)
    assert isinstance(move_counter(key, item, -2), Delete)
