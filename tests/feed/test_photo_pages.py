"""Pages of photos: newest first, full, and without photos that the viewer may not see."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from typing import Final

import pytest

from sparks.feed.photo_pages import PhotoPages
from sparks.library import keys
from sparks.library.authorized_reads import may_see
from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.photos.favorites import set_favorite
from sparks.library.photos.photo_lists import ItemPage
from sparks.library.records import to_item
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.caller import Credential, Member
from sparks.model.photo import PhotoState, ProcessingStatus, Visibility
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Key, Put, Table
from tests.factories import ANN, BOB, NOON, a_photo, a_user
from tests.library.photos.photo_makers import kept, pending
from tests.library.tables import new_account

PRIVATE: Final = Visibility.PRIVATE
NO_ATTRIBUTES: Final[frozenset[str]] = frozenset()
SECOND: Final = timedelta(seconds=1)
Read = Callable[[PhotoPages], ItemPage]


def member(email: str) -> Member:
    return Member(a_user(email), Credential("session", "s1"))


def all_pages(read: Read, limit: int, table: Table) -> list[list[str]]:
    """The ids on each page, until there is none."""
    pages: list[list[str]] = []
    after: Key | None = None
    for _ in range(100):
        items, after = read(PhotoPages(limit=limit, after=after, only=NO_ATTRIBUTES, at=NOON, table=table))
        pages.append([item["PK"] for item in items])
        if after is None:
            return pages
    raise AssertionError("the pages have no end")


def listed(read: Read, table: Table) -> set[str]:
    return {image_id for page in all_pages(read, 3, table) for image_id in page}


def test_the_feed_is_newest_first_has_full_pages_and_leaves_out_hidden_photos() -> None:
    table = MemoryTable()
    shown = []
    for number in range(7):
        shown.append(kept(table, owner=(ANN, BOB)[number % 2]).image_id)
        kept(table, visibility=PRIVATE)
        kept(table, expires_at=NOON)
        pending(table)
        for state in (PhotoState.RESERVED, PhotoState.FAILED, PhotoState.TRASHED, PhotoState.DELETING):
            kept(table, state=state)
    newest = shown[::-1]
    assert all_pages(PhotoPages.of_community, 3, table) == [newest[:3], newest[3:6], newest[6:]]
    assert all_pages(PhotoPages.of_community, 7, table)[0] == newest


def test_a_row_that_is_in_the_feed_by_mistake_is_not_shown() -> None:
    table = MemoryTable()
    for visibility in ("private", "friends"):
        table.write(Put(to_item(a_photo()) | {"visibility": visibility}))
    assert listed(PhotoPages.of_community, table) == set()


def test_a_user_sees_their_own_pending_and_failed_photos_and_no_hidden_ones(any_table: Table) -> None:
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
    pages = all_pages(partial(PhotoPages.of_user, email=owner, caller=member(owner)), 2, any_table)
    assert list(filter(None, pages)) == [shown[:1:-1], shown[1::-1]]


def test_other_users_get_full_pages_of_visible_photos() -> None:
    table = MemoryTable()
    shown = []
    for _ in range(5):
        shown.append(kept(table).image_id)
        kept(table, visibility=PRIVATE)
        pending(table)
    read = partial(PhotoPages.of_user, email=ANN, caller=member(BOB))
    assert all_pages(read, 2, table) == [shown[:2:-1], shown[2:0:-1], shown[:1]]


def test_a_page_is_full_however_rare_visible_photos_are(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=1)
    shown = []
    for number in range(60):
        photo = kept(any_table, owner=owner, visibility=PRIVATE if number % 29 else Visibility.COMMUNITY)
        shown += [] if photo.visibility is PRIVATE else [photo.image_id]
    read = partial(PhotoPages.of_user, email=owner, caller=member(BOB))
    assert [page for page in all_pages(read, 2, any_table) if page] == [shown[:0:-1], shown[:1]]


def test_the_trash_shows_only_the_callers_photos(any_table: Table) -> None:
    owner = new_account(any_table, photos=1, bytes=1)
    thrown = [trash_photo(kept(any_table, owner=owner), at=NOON, table=any_table).image_id for _ in range(3)]
    kept(any_table, owner=owner)
    trash_photo(kept(any_table, owner=new_account(any_table, photos=1, bytes=1)), at=NOON, table=any_table)
    assert all_pages(partial(PhotoPages.of_trash, caller=member(owner)), 2, any_table) == [thrown[:0:-1], thrown[:1]]


def test_favorites_are_newest_first_and_only_those_that_are_still_visible(any_table: Table) -> None:
    who = member(new_account(any_table, photos=1, bytes=1))
    shown, gone = [], []
    for _ in range(3):
        shown.append(kept(any_table))
        gone += [
            kept(any_table),
            kept(any_table, visibility=PRIVATE),
            kept(any_table, state=PhotoState.TRASHED),
            kept(any_table, expires_at=NOON),
        ]
    for photo in [*gone, *shown]:
        set_favorite(photo.image_id, photo.owner, who.email, at=NOON, table=any_table)
    any_table.write(Delete(keys.photo(gone[0].image_id, ANN)))
    begin_deletion(gone[4], table=any_table)
    begin_deletion(gone[8], table=any_table)
    newest = [photo.image_id for photo in reversed(shown)]
    read = partial(PhotoPages.of_favorites, caller=who)
    assert list(filter(None, all_pages(read, 2, any_table))) == [newest[:2], newest[2:]]
    assert all_pages(read, 500, any_table) == [newest]


def test_favorites_from_an_album_stay_while_the_user_is_a_member() -> None:
    table, bob = MemoryTable(), member(BOB)
    joined = AlbumMember(album_id="album1", email=BOB, role=AlbumRole.VIEWER)
    photo = kept(table, visibility=PRIVATE, albums=("album1",))
    set_favorite(photo.image_id, ANN, BOB, at=NOON, table=table)
    read = partial(PhotoPages.of_favorites, caller=bob)
    assert listed(read, table) == set()
    table.write(Put(to_item(joined)))
    assert listed(read, table) == {photo.image_id}


def test_favorites_in_the_trash_are_not_shown() -> None:
    table = MemoryTable()
    photo = kept(table)
    set_favorite(photo.image_id, ANN, ANN, at=NOON, table=table)
    read = partial(PhotoPages.of_favorites, caller=member(ANN))
    assert listed(read, table) == {photo.image_id}
    trash_photo(photo, at=NOON, table=table)
    assert listed(read, table) == set()


@pytest.mark.parametrize("viewer", [ANN, BOB])
def test_no_list_shows_a_photo_that_authorize_refuses(viewer: str) -> None:
    """All states, visibilities and expiries, in every list."""
    table, who = MemoryTable(), member(viewer)
    photos = []
    for owner, state, visibility, expires in product(
        (ANN, BOB), PhotoState, Visibility, (None, NOON - SECOND, NOON, NOON + SECOND)
    ):
        photo = kept(table, owner=owner, state=state, visibility=visibility, expires_at=expires)
        set_favorite(photo.image_id, owner, viewer, at=NOON, table=table) if state is not PhotoState.DELETING else None
        photos.append(photo)
    seen = {photo.image_id: photo for photo in photos if may_see(who, photo, at=NOON, table=table)}
    of_ann, of_bob = (partial(PhotoPages.of_user, email=email, caller=who) for email in (ANN, BOB))
    reads = (
        PhotoPages.of_community,
        of_ann,
        of_bob,
        partial(PhotoPages.of_trash, caller=who),
        partial(PhotoPages.of_favorites, caller=who),
    )
    lists = [listed(read, table) for read in reads]
    assert set().union(*lists) <= seen.keys()
    assert lists[0] == {
        image_id
        for image_id, photo in seen.items()
        if photo.state is PhotoState.READY and photo.visibility is Visibility.COMMUNITY
    }
    assert lists[1] | lists[2] == {image_id for image_id, photo in seen.items() if photo.uploaded_by is not None}


def test_a_row_has_only_the_requested_attributes_and_those_that_decide_visibility() -> None:
    table = MemoryTable()
    kept(table, title="Sea")
    pages = PhotoPages(limit=1, after=None, only=frozenset({"title"}), at=NOON, table=table)
    (row,), _ = pages.of_community()
    assert row.keys() == {"PK", "SK", "entityType", "visibility", "title"}
    assert replace(pages, limit=2).of_community()[0] == [row]
