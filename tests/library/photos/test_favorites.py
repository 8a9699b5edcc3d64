"""Favorites: marked once, by existing users, on existing photos."""

from dataclasses import replace

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library import keys
from sparks.library.photo_deletion import begin_deletion, delete_rows_and_blobs
from sparks.library.photos.favorites import favorites_among, favorites_between, set_favorite, unset_favorite
from sparks.library.records import from_item
from sparks.model.errors import ConditionFailed, NotFound
from sparks.model.photo import Photo
from sparks.model.photo_index import Favorite
from sparks.model.share import who_is_guest
from sparks.table.port import Check, Present, Table
from tests.factories import ANN, BOB, NOON, a_photo
from tests.library.photos.photo_makers import LATER, kept
from tests.library.tables import Meddled, new_account
from tests.stored_traces import traces_of

GUEST = who_is_guest("guest1")


def mark_of(photo: Photo, who: str, table: Table) -> Favorite | None:
    item = table.get(keys.favorite(photo.image_id, who))
    return None if item is None else from_item(Favorite, item)


@pytest.mark.parametrize("who", [BOB, GUEST])
def test_a_photo_is_marked_once_and_unmarked(table: Table, who: str) -> None:
    photo = kept(table)
    assert [set_favorite(photo.image_id, ANN, who, at=at, table=table) for at in (NOON, LATER)] == [True, False]
    assert mark_of(photo, who, table) == Favorite(image_id=photo.image_id, owner=ANN, who=who, created_at=NOON)
    assert favorites_among([a_photo().image_id, photo.image_id], who, table=table) == {photo.image_id}
    assert favorites_among([photo.image_id], ANN, table=table) == frozenset()
    assert [unset_favorite(photo.image_id, who, table=table) for _ in range(2)] == [True, False]
    assert mark_of(photo, who, table) is None


def test_a_deleted_photo_is_not_marked_as_a_favorite(any_table: Table) -> None:
    photo = kept(any_table)
    for gone in (a_photo(), replace(photo, owner=BOB)):
        with pytest.raises(NotFound):
            set_favorite(gone.image_id, gone.owner, GUEST, at=NOON, table=any_table)
    begin_deletion(photo, table=any_table)
    with pytest.raises(NotFound):
        set_favorite(photo.image_id, ANN, GUEST, at=NOON, table=any_table)
    assert mark_of(photo, GUEST, any_table) is None


def test_a_photo_that_is_deleted_this_moment_keeps_no_mark(table: Table) -> None:
    photo, blobs = kept(table), MemoryBlobs()
    meddled = Meddled(table, lambda: delete_rows_and_blobs(photo, table=table, blobs=blobs))
    with pytest.raises(NotFound):
        set_favorite(photo.image_id, ANN, GUEST, at=NOON, table=meddled)
    assert traces_of(photo.image_id, table=table, blobs=blobs) == []


def test_a_failing_additional_condition_prevents_the_mark(table: Table) -> None:
    """A user whose account is being removed cannot mark a photo."""
    photo, removed = kept(table), Check(keys.user(BOB), (Present(),))
    with pytest.raises(ConditionFailed) as failed:
        set_favorite(photo.image_id, ANN, BOB, at=NOON, also=(removed,), table=table)
    assert failed.value.position == 0
    assert mark_of(photo, BOB, table) is None


@pytest.mark.parametrize("others", [0, 1, 9])
def test_the_favourites_of_a_page_are_found_however_many_lie_between(any_table: Table, others: int) -> None:
    """Photos that are not on the page, and marks of other people, make no difference."""
    who = new_account(any_table, photos=1, bytes=1)
    photos = [kept(any_table) for _ in range(4 + others)]
    page = [photos[0], photos[1], photos[-2], photos[-1]]
    for photo in photos[1:-1]:
        set_favorite(photo.image_id, ANN, who, at=NOON, table=any_table)
        set_favorite(photo.image_id, ANN, BOB, at=NOON, table=any_table)
    found = favorites_between([photo.image_id for photo in reversed(page)], who, table=any_table)
    assert found & {photo.image_id for photo in page} == {page[1].image_id, page[2].image_id}


def test_an_empty_page_has_no_favourites(table: Table) -> None:
    assert favorites_between([], ANN, table=table) == frozenset()
