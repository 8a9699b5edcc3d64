"""Photos that come into albums, wait in their queue, and leave."""

from dataclasses import replace

import pytest

from sparks.library import entity_types, keys
from sparks.library.albums import (
    Place,
    Placed,
    add_photo,
    approve_photo,
    begin_album_deletion,
    carry_over,
    drop_member,
    find_place,
    queue_reserved,
    remove_photo,
    set_member,
)
from sparks.library.photos import Edit, edit_photo, find_photo, settle_links, trash_photo
from sparks.model.album import AlbumRole
from sparks.model.errors import Conflict, NotFound
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import who_is_guest
from sparks.table.port import Table, every
from tests.accounts import everything
from tests.factories import ANN, BOB, NOON, a_photo
from tests.library.albums.rows import a_member_of, an_album_in, check_counts, count_of, kept, put
from tests.library.tables import Meddled, move

PRIVATE = Visibility.PRIVATE


def now(table: Table, photo: Photo) -> Photo:
    found = find_photo(photo.image_id, table=table)
    assert found is not None
    return found


def test_a_photo_is_in_the_album_from_one_write_on(any_table: Table) -> None:
    album, photo = an_album_in(any_table), kept(any_table)
    assert put(any_table, photo, album) is Placed.ADDED
    assert now(any_table, photo).albums == (album.album_id,)
    assert count_of(any_table, album) == 1
    assert put(any_table, photo, album) is Placed.THERE
    assert count_of(any_table, album) == 1
    remove_photo(photo, album.album_id, table=any_table)
    assert now(any_table, photo).albums == ()
    assert count_of(any_table, album) == 0
    with pytest.raises(NotFound):
        remove_photo(photo, album.album_id, table=any_table)


def test_what_waits_in_the_queue_is_nowhere_else(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, visibility=PRIVATE)
    assert put(table, photo, album, approved=False) is Placed.QUEUED
    assert now(table, photo).albums == ()
    assert count_of(table, album) == 0
    assert [row["PK"] for row in every(table, entity_types.album_queue(album.album_id))] == [photo.image_id]
    assert list(every(table, entity_types.album_photo(album.album_id))) == []
    assert [row["SK"] for row in every(table, keys.photo_rows(photo.image_id), keys.MONTHS)] == [f"MONTH#{ANN}"]
    assert approve_photo(photo, album.album_id, table=table)
    settle_links(photo.image_id, photo.owner, table=table)
    assert now(table, photo).albums == (album.album_id,)
    assert count_of(table, album) == 1
    assert not approve_photo(photo, album.album_id, table=table)


def test_what_is_put_into_the_queue_while_it_comes_is_counted_once_it_is_approved(any_table: Table) -> None:
    album, coming = an_album_in(any_table), kept(any_table, visibility=PRIVATE, state=PhotoState.RESERVED)
    put(any_table, coming, album)
    for _ in range(2):
        queue_reserved(coming, album.album_id, by=ANN, table=any_table)
    assert now(any_table, coming).albums == ()
    photo = move(any_table, now(any_table, coming), PhotoState.READY)
    settle_links(photo.image_id, photo.owner, table=any_table)
    assert count_of(any_table, album) == 0
    approve_photo(photo, album.album_id, table=any_table)
    settle_links(photo.image_id, photo.owner, table=any_table)
    queue_reserved(coming, album.album_id, by=ANN, table=any_table)
    assert (now(any_table, photo).albums, count_of(any_table, album)) == ((album.album_id,), 1)


def test_what_becomes_a_photo_at_that_moment_is_not_put_into_the_queue(table: Table) -> None:
    album, coming = an_album_in(table), kept(table, visibility=PRIVATE, state=PhotoState.RESERVED)
    put(table, coming, album)
    meddled = Meddled(table, lambda: move(table, now(table, coming), PhotoState.READY))
    queue_reserved(coming, album.album_id, by=ANN, table=meddled)
    assert now(table, coming).albums == (album.album_id,)


def test_what_was_refused_in_the_queue_is_removed_as_any_other(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    put(table, photo, album, approved=False)
    assert not remove_photo(photo, album.album_id, table=table).approved
    assert find_place(photo.image_id, album.album_id, table=table) is None
    with pytest.raises(NotFound):
        approve_photo(photo, album.album_id, table=table)


def test_what_is_added_again_is_approved_but_never_queued_again(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    put(table, photo, album, approved=False)
    assert put(table, photo, album) is Placed.ADDED
    assert put(table, photo, album, approved=False) is Placed.THERE
    assert now(table, photo).albums == (album.album_id,)


def test_a_guests_photo_stays_private_to_the_album(table: Table) -> None:
    album = an_album_in(table)
    photo = kept(table, visibility=PRIVATE, guest_id="g1")
    assert put(table, photo, album, by="guest:g1") is Placed.ADDED
    assert now(table, photo).albums == (album.album_id,)


def test_nobody_adds_what_is_private_and_not_theirs(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB, visibility=PRIVATE)
    with pytest.raises(Conflict):
        put(table, photo, album)


@pytest.mark.parametrize("state", [PhotoState.PENDING, PhotoState.FAILED])
def test_a_photo_that_is_not_finished_is_counted_once_it_is(table: Table, state: PhotoState) -> None:
    album, photo = an_album_in(table), kept(table, state=state)
    put(table, photo, album)
    assert (now(table, photo).albums, count_of(table, album)) == ((album.album_id,), 0)


def test_nothing_is_added_to_an_album_that_goes(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    begin_album_deletion(album, at=NOON, table=table)
    with pytest.raises(NotFound):
        put(table, photo, album)
    assert now(table, photo).albums == ()


def test_who_is_removed_this_very_moment_adds_nothing(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB)
    set_member(album, a_member_of(table, BOB), AlbumRole.CONTRIBUTOR, at=NOON, table=table)
    meddled = Meddled(table, lambda: drop_member(album, BOB, table=table))
    with pytest.raises(NotFound):
        add_photo(photo, Place(album_id=album.album_id, by=BOB, at=NOON), table=meddled)
    assert now(table, photo).albums == ()


def test_who_became_a_viewer_this_very_moment_adds_nothing(table: Table) -> None:
    album, photo, bob = an_album_in(table), kept(table, owner=BOB), a_member_of(table, BOB)
    set_member(album, bob, AlbumRole.CONTRIBUTOR, at=NOON, table=table)
    meddled = Meddled(table, lambda: set_member(album, bob, AlbumRole.VIEWER, at=NOON, table=table))
    with pytest.raises(NotFound):
        add_photo(photo, Place(album_id=album.album_id, by=BOB, at=NOON), table=meddled)


def test_a_photo_that_is_made_private_while_somebody_else_adds_it_is_not_there(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB)

    def hide() -> None:
        edit_photo(photo, Edit(visibility=PRIVATE), version=1, at=NOON, table=table)

    with pytest.raises(Conflict):
        add_photo(photo, Place(album_id=album.album_id, by=ANN, at=NOON), table=Meddled(table, hide))
    assert now(table, photo).albums == ()


def test_a_photo_that_is_added_while_it_is_made_private_is_not_seen_there(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB)

    def add() -> None:
        add_photo(photo, Place(album_id=album.album_id, by=ANN, at=NOON), table=table)

    edit_photo(photo, Edit(visibility=PRIVATE), version=1, at=NOON, table=Meddled(table, add))
    assert (now(table, photo).albums, now(table, photo).visibility) == ((), PRIVATE)
    check_counts(everything(table))


def test_a_photo_that_is_thrown_away_or_deleted_while_it_is_added_is_counted_nowhere(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    meddled = Meddled(table, lambda: trash_photo(photo, at=NOON, table=table))
    place = Place(album_id=album.album_id, by=ANN, at=NOON)
    assert add_photo(photo, place, table=meddled) is Placed.ADDED
    settle_links(photo.image_id, photo.owner, table=table)
    assert count_of(table, album) == 0
    with pytest.raises(Conflict):
        add_photo(now(table, photo), replace(place, album_id=an_album_in(table).album_id), table=table)


def test_the_same_bytes_are_in_the_albums_of_both(table: Table) -> None:
    first, second = an_album_in(table), an_album_in(table)
    photo, same = kept(table), kept(table)
    put(table, photo, first)
    put(table, photo, second, approved=False)
    assert carry_over(photo, same, table=table)
    assert not carry_over(photo, same, table=table)
    assert now(table, same).albums == (first.album_id,)
    place = find_place(same.image_id, second.album_id, table=table)
    assert place is not None
    assert not place.approved


def test_the_same_bytes_of_a_guest_stay_where_they_are(table: Table) -> None:
    album, (photo, same) = an_album_in(table), (kept(table, guest_id="g1") for _ in range(2))
    put(table, photo, album, by=who_is_guest("g1"))
    assert not carry_over(photo, same, table=table)
    assert now(table, same).albums == ()


def test_a_photo_that_is_gone_is_in_no_album(table: Table) -> None:
    album = an_album_in(table)
    with pytest.raises(NotFound):
        add_photo(a_photo(), Place(album_id=album.album_id, by=ANN, at=NOON), table=table)
