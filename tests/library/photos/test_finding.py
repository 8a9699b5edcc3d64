"""Finding photos: by id, and in lists that are newest first, full, and free of what is not to be seen."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from sparks.library import keys
from sparks.library.erasure import begin_deletion
from sparks.library.photos import (
    favourites_page,
    feed_page,
    find_photo,
    get_photo,
    set_favourite,
    trash_page,
    trash_photo,
    uploads_page,
)
from sparks.library.photos.finding import PhotoPage
from sparks.model import ids
from sparks.model.errors import NotFound
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.share import who_is_guest
from sparks.table.port import Delete, Key, Table
from tests.factories import ANN, BOB, NOON
from tests.library.photos.making import LATER, kept, pending
from tests.library.tables import new_account

PRIVATE = Visibility.PRIVATE
Page = Callable[[int, Key | None], PhotoPage]


def all_pages(page: Page, limit: int) -> list[list[str]]:
    """The ids on each page, until there is none."""
    pages: list[list[str]] = []
    after: Key | None = None
    for _ in range(100):
        photos, after = page(limit, after)
        pages.append([photo.image_id for photo in photos])
        if after is None:
            return pages
    raise AssertionError("the pages have no end")


def everyone(photo: Photo) -> bool:
    return True


def in_community(photo: Photo) -> bool:
    return photo.state is PhotoState.READY and photo.visibility is Visibility.COMMUNITY


def test_a_photo_is_found_by_its_id_whatever_its_state(any_table: Table) -> None:
    for state in PhotoState:
        photo = kept(any_table, state=state)
        assert find_photo(photo.image_id, table=any_table) == photo


@pytest.mark.parametrize("image_id", [ids.image_id_at(NOON), "", "x", "x" * 36, ANN, "a#b"], ids=lambda text: text[:3])
def test_what_is_not_there_is_not_found(table: Table, image_id: str) -> None:
    assert find_photo(image_id, table=table) is None
    with pytest.raises(NotFound, match="no such photo"):
        get_photo(image_id, at=NOON, table=table)


def test_what_is_being_deleted_or_has_expired_is_as_good_as_gone(table: Table) -> None:
    photo = kept(table)
    assert get_photo(photo.image_id, at=NOON, table=table) == photo
    begin_deletion(photo, table=table)
    with pytest.raises(NotFound):
        get_photo(photo.image_id, at=NOON, table=table)
    expiring = kept(table, expires_at=LATER)
    assert get_photo(expiring.image_id, at=NOON, table=table) == expiring
    with pytest.raises(NotFound):
        get_photo(expiring.image_id, at=LATER, table=table)


def test_the_feed_is_newest_first_and_full_and_leaves_out_what_is_not_for_all(table: Table) -> None:
    shown = []
    for number in range(7):
        shown.append(kept(table, owner=(ANN, BOB)[number % 2]).image_id)
        kept(table, visibility=PRIVATE)
        kept(table, expires_at=NOON)
        pending(table)
        for state in (PhotoState.RESERVED, PhotoState.FAILED, PhotoState.TRASHED, PhotoState.DELETING):
            kept(table, state=state)

    def page(limit: int, after: Key | None) -> PhotoPage:
        return feed_page(limit=limit, after=after, at=NOON, table=table)

    newest = shown[::-1]
    assert all_pages(page, 3) == [newest[:3], newest[3:6], newest[6:]]
    assert all_pages(page, 7)[0] == newest


def test_the_uploads_of_a_user_hold_what_waits_and_what_failed_and_nothing_hidden(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=1)
    mine = partial(kept, any_table, owner=owner)
    shown = [
        mine().image_id,
        mine(visibility=PRIVATE).image_id,
        pending(any_table, owner=owner).image_id,
        mine(state=PhotoState.FAILED, processing_status=ProcessingStatus.FAILED).image_id,
    ]
    for state in (PhotoState.RESERVED, PhotoState.TRASHED, PhotoState.DELETING):
        mine(state=state)
    mine(expires_at=NOON)
    kept(any_table, owner=new_account(any_table, photos=1, bytes=1))

    def page(limit: int, after: Key | None) -> PhotoPage:
        return uploads_page(owner, sees=everyone, limit=limit, after=after, at=NOON, table=any_table)

    assert list(filter(None, all_pages(page, 2))) == [shown[:1:-1], shown[1::-1]]


def test_others_see_full_pages_of_what_they_may_see(table: Table) -> None:
    shown = []
    for _ in range(5):
        shown.append(kept(table).image_id)
        kept(table, visibility=PRIVATE)
        pending(table)

    def page(limit: int, after: Key | None) -> PhotoPage:
        return uploads_page(ANN, sees=in_community, limit=limit, after=after, at=NOON, table=table)

    assert all_pages(page, 2) == [shown[:2:-1], shown[2:0:-1], shown[:1]]


def test_the_trash_of_a_user_is_theirs(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=1)
    thrown = [trash_photo(kept(any_table, owner=owner), at=NOON, table=any_table).image_id for _ in range(3)]
    kept(any_table, owner=owner)
    trash_photo(kept(any_table, owner=new_account(any_table, photos=1, bytes=1)), at=NOON, table=any_table)

    def page(limit: int, after: Key | None) -> PhotoPage:
        return trash_page(owner, limit=limit, after=after, at=NOON, table=any_table)

    assert all_pages(page, 2) == [thrown[:0:-1], thrown[:1]]


def test_favourites_are_newest_first_and_only_what_one_still_sees(any_table: Table) -> None:
    who, at = who_is_guest(ids.random_id()), NOON + timedelta(seconds=1)
    shown, gone = [], []
    for _ in range(3):
        shown.append(kept(any_table))
        gone += [
            kept(any_table),
            kept(any_table, visibility=PRIVATE),
            kept(any_table, state=PhotoState.TRASHED),
            kept(any_table, expires_at=at),
        ]
    for photo in [*gone, *shown]:
        set_favourite(photo.image_id, photo.owner, who, at=NOON, table=any_table)
    any_table.write(Delete(keys.photo(gone[0].image_id, ANN)))
    begin_deletion(gone[4], table=any_table)
    begin_deletion(gone[8], table=any_table)

    def page(limit: int, after: Key | None) -> PhotoPage:
        return favourites_page(who, sees=in_community, limit=limit, after=after, at=at, table=any_table)

    newest = [photo.image_id for photo in reversed(shown)]
    assert list(filter(None, all_pages(page, 2))) == [newest[:2], newest[2:]]
    assert [photo.image_id for photo in page(500, None)[0]] == newest
