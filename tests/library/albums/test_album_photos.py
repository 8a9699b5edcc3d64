"""Photos that are added to albums, wait in their moderation queue, and are removed."""

from dataclasses import replace

import pytest

from sparks.library import entity_types, keys
from sparks.library.albums.album_deletion import begin_album_deletion
from sparks.library.albums.album_photos import (
    AddResult,
    AlbumPlacement,
    add_photo,
    approve_photo,
    copy_album_membership,
    find_album_photo,
    queue_reservation,
    remove_photo,
)
from sparks.library.albums.members import remove_member, set_member
from sparks.library.photos.edit_and_trash import edit_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.model.album import AlbumRole
from sparks.model.errors import Conflict, NotFound
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import who_is_guest
from sparks.table.port import Table, every
from tests.account_makers import everything
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
    assert put(any_table, photo, album) is AddResult.ADDED
    assert now(any_table, photo).albums == (album.album_id,)
    assert count_of(any_table, album) == 1
    assert put(any_table, photo, album) is AddResult.THERE
    assert count_of(any_table, album) == 1
    remove_photo(photo, album.album_id, table=any_table)
    assert now(any_table, photo).albums == ()
    assert count_of(any_table, album) == 0
    with pytest.raises(NotFound):
        remove_photo(photo, album.album_id, table=any_table)


def test_a_queued_photo_is_in_no_other_list(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, visibility=PRIVATE)
    assert put(table, photo, album, approved=False) is AddResult.QUEUED
    assert now(table, photo).albums == ()
    assert count_of(table, album) == 0
    assert [row["PK"] for row in every(table, entity_types.album_queue(album.album_id))] == [photo.image_id]
    assert list(every(table, entity_types.album_photo(album.album_id))) == []
    assert [row["SK"] for row in every(table, keys.photo_rows(photo.image_id), keys.MONTHS)] == [f"MONTH#{ANN}"]
    assert approve_photo(photo, album.album_id, table=table)
    reconcile_links(photo.image_id, photo.owner, table=table)
    assert now(table, photo).albums == (album.album_id,)
    assert count_of(table, album) == 1
    assert not approve_photo(photo, album.album_id, table=table)


def test_a_reservation_that_is_queued_counts_once_it_is_approved(any_table: Table) -> None:
    album, coming = an_album_in(any_table), kept(any_table, visibility=PRIVATE, state=PhotoState.RESERVED)
    put(any_table, coming, album)
    for _ in range(2):
        queue_reservation(coming, album.album_id, by=ANN, table=any_table)
    assert now(any_table, coming).albums == ()
    photo = move(any_table, now(any_table, coming), PhotoState.READY)
    reconcile_links(photo.image_id, photo.owner, table=any_table)
    assert count_of(any_table, album) == 0
    approve_photo(photo, album.album_id, table=any_table)
    reconcile_links(photo.image_id, photo.owner, table=any_table)
    queue_reservation(coming, album.album_id, by=ANN, table=any_table)
    assert (now(any_table, photo).albums, count_of(any_table, album)) == ((album.album_id,), 1)


def test_a_reservation_that_is_finalized_meanwhile_is_not_queued(table: Table) -> None:
    album, coming = an_album_in(table), kept(table, visibility=PRIVATE, state=PhotoState.RESERVED)
    put(table, coming, album)
    meddled = Meddled(table, lambda: move(table, now(table, coming), PhotoState.READY))
    queue_reservation(coming, album.album_id, by=ANN, table=meddled)
    assert now(table, coming).albums == (album.album_id,)


def test_a_rejected_queued_photo_is_removed_as_any_other(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    put(table, photo, album, approved=False)
    assert not remove_photo(photo, album.album_id, table=table).approved
    assert find_album_photo(photo.image_id, album.album_id, table=table) is None
    with pytest.raises(NotFound):
        approve_photo(photo, album.album_id, table=table)


def test_adding_a_photo_again_approves_it_but_never_queues_it_again(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    put(table, photo, album, approved=False)
    assert put(table, photo, album) is AddResult.ADDED
    assert put(table, photo, album, approved=False) is AddResult.THERE
    assert now(table, photo).albums == (album.album_id,)


def test_a_guests_photo_stays_private_to_the_album(table: Table) -> None:
    album = an_album_in(table)
    photo = kept(table, visibility=PRIVATE, guest_id="g1")
    assert put(table, photo, album, by="guest:g1") is AddResult.ADDED
    assert now(table, photo).albums == (album.album_id,)


def test_a_user_cannot_add_a_private_photo_of_another_user(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB, visibility=PRIVATE)
    with pytest.raises(Conflict):
        put(table, photo, album)


@pytest.mark.parametrize("state", [PhotoState.PENDING, PhotoState.FAILED])
def test_a_photo_that_is_not_finished_is_counted_once_it_is(table: Table, state: PhotoState) -> None:
    album, photo = an_album_in(table), kept(table, state=state)
    put(table, photo, album)
    assert (now(table, photo).albums, count_of(table, album)) == ((album.album_id,), 0)


def test_no_photo_is_added_to_an_album_that_is_being_deleted(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    begin_album_deletion(album, at=NOON, table=table)
    with pytest.raises(NotFound):
        put(table, photo, album)
    assert now(table, photo).albums == ()


def test_a_member_who_is_removed_meanwhile_adds_no_photo(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB)
    set_member(album, a_member_of(table, BOB), AlbumRole.CONTRIBUTOR, at=NOON, table=table)
    meddled = Meddled(table, lambda: remove_member(album, BOB, table=table))
    with pytest.raises(NotFound):
        add_photo(photo, AlbumPlacement(album_id=album.album_id, by=BOB, at=NOON), table=meddled)
    assert now(table, photo).albums == ()


def test_a_member_who_becomes_a_viewer_meanwhile_adds_no_photo(table: Table) -> None:
    album, photo, bob = an_album_in(table), kept(table, owner=BOB), a_member_of(table, BOB)
    set_member(album, bob, AlbumRole.CONTRIBUTOR, at=NOON, table=table)
    meddled = Meddled(table, lambda: set_member(album, bob, AlbumRole.VIEWER, at=NOON, table=table))
    with pytest.raises(NotFound):
        add_photo(photo, AlbumPlacement(album_id=album.album_id, by=BOB, at=NOON), table=meddled)


def test_a_photo_that_is_made_private_while_another_user_adds_it_is_not_in_the_album(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB)

    def hide() -> None:
        edit_photo(photo, PhotoEdit(visibility=PRIVATE), version=1, at=NOON, table=table)

    with pytest.raises(Conflict):
        add_photo(photo, AlbumPlacement(album_id=album.album_id, by=ANN, at=NOON), table=Meddled(table, hide))
    assert now(table, photo).albums == ()


def test_a_photo_that_is_added_while_it_is_made_private_is_not_seen_there(table: Table) -> None:
    album, photo = an_album_in(table), kept(table, owner=BOB)

    def add() -> None:
        add_photo(photo, AlbumPlacement(album_id=album.album_id, by=ANN, at=NOON), table=table)

    edit_photo(photo, PhotoEdit(visibility=PRIVATE), version=1, at=NOON, table=Meddled(table, add))
    assert (now(table, photo).albums, now(table, photo).visibility) == ((), PRIVATE)
    check_counts(everything(table))


def test_a_photo_that_is_trashed_or_deleted_while_it_is_added_is_not_counted(table: Table) -> None:
    album, photo = an_album_in(table), kept(table)
    meddled = Meddled(table, lambda: trash_photo(photo, at=NOON, table=table))
    place = AlbumPlacement(album_id=album.album_id, by=ANN, at=NOON)
    assert add_photo(photo, place, table=meddled) is AddResult.ADDED
    reconcile_links(photo.image_id, photo.owner, table=table)
    assert count_of(table, album) == 0
    with pytest.raises(Conflict):
        add_photo(now(table, photo), replace(place, album_id=an_album_in(table).album_id), table=table)


def test_the_same_bytes_are_in_the_albums_of_both(table: Table) -> None:
    first, second = an_album_in(table), an_album_in(table)
    photo, same = kept(table), kept(table)
    put(table, photo, first)
    put(table, photo, second, approved=False)
    assert copy_album_membership(photo, same, table=table)
    assert not copy_album_membership(photo, same, table=table)
    assert now(table, same).albums == (first.album_id,)
    place = find_album_photo(same.image_id, second.album_id, table=table)
    assert place is not None
    assert not place.approved


def test_the_same_bytes_of_a_guest_stay_where_they_are(table: Table) -> None:
    album, (photo, same) = an_album_in(table), (kept(table, guest_id="g1") for _ in range(2))
    put(table, photo, album, by=who_is_guest("g1"))
    assert not copy_album_membership(photo, same, table=table)
    assert now(table, same).albums == ()


def test_a_deleted_photo_is_in_no_album(table: Table) -> None:
    album = an_album_in(table)
    with pytest.raises(NotFound):
        add_photo(a_photo(), AlbumPlacement(album_id=album.album_id, by=ANN, at=NOON), table=table)
