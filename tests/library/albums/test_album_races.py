"""Concurrent changes of one album: each photo is counted once, and a photo is where the last change put it."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library.albums.album_deletion import begin_album_deletion, delete_album_rows
from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_photos import AlbumPlacement, add_photo, remove_photo
from sparks.library.albums.members import set_member
from sparks.library.photo_followups import update_followups
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.model.account import User
from sparks.model.album import Album, AlbumRole
from sparks.model.errors import Conflict, NotFound
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, Visibility
from sparks.table.port import Table
from tests.account_makers import at_once, keep
from tests.factories import NOON, a_user
from tests.library.albums.rows import check_settled, count_of, kept
from tests.library.tables import new_account

KEYRING = Keyring("test", {"test": b"t" * 32})
BLOBS = MemoryBlobs()
HANDS = 6


@pytest.fixture(params=["sqlite", "dynamodb"])
def shared(request: pytest.FixtureRequest) -> Table:
    """A table that takes many at once."""
    table: Table = request.getfixturevalue(request.param)
    return table


def new_user(table: Table) -> User:
    user = a_user(new_account(table, photos=10, bytes=10_000))
    keep(table, user)
    return user


def add(photo: Photo, album: Album, table: Table, by: str) -> None:
    add_photo(photo, AlbumPlacement(album_id=album.album_id, by=by, at=NOON), table=table)
    reconcile_links(photo.image_id, photo.owner, table=table)


def remove(photo: Photo, album: Album, table: Table) -> None:
    remove_photo(photo, album.album_id, table=table)
    reconcile_links(photo.image_id, photo.owner, table=table)


def test_many_photos_that_come_and_go_at_once_are_all_counted(shared: Table) -> None:
    owner = new_user(shared)
    album = create_album(owner, "Sea", at=NOON, table=shared)
    photos = [kept(shared, owner=owner.email) for _ in range(8)]
    assert at_once(*[partial(add, photo, album, shared, owner.email) for photo in photos]) == [None] * 8
    assert count_of(shared, album) == 8
    check_settled(shared, album, owners=(owner.email,))
    assert at_once(*[partial(remove, photo, album, shared) for photo in photos[:6]]) == [None] * 6
    assert count_of(shared, album) == 2
    check_settled(shared, album, owners=(owner.email,))


def test_one_photo_that_many_add_and_remove_at_once_is_counted_once(shared: Table) -> None:
    owner = new_user(shared)
    album, photo = create_album(owner, "Sea", at=NOON, table=shared), kept(shared, owner=owner.email)
    assert at_once(*[partial(add, photo, album, shared, owner.email)] * HANDS) == [None] * HANDS
    assert count_of(shared, album) == 1
    answers = at_once(*[partial(remove, photo, album, shared)] * HANDS)
    assert sorted(type(answer).__name__ for answer in answers) == ["NoneType"] + ["NotFound"] * (HANDS - 1)
    assert count_of(shared, album) == 0
    check_settled(shared, album, owners=(owner.email,))


def test_a_photo_added_to_many_albums_at_once_is_in_all_of_them(shared: Table) -> None:
    owner = new_user(shared)
    albums = [create_album(owner, f"Sea {number}", at=NOON, table=shared) for number in range(HANDS)]
    photo = kept(shared, owner=owner.email)
    assert at_once(*[partial(add, photo, album, shared, owner.email) for album in albums]) == [None] * HANDS
    found = find_photo(photo.image_id, table=shared)
    assert found is not None
    assert found.albums == tuple(sorted(album.album_id for album in albums))
    check_settled(shared, *albums, owners=(owner.email,))


def test_a_photo_added_while_the_album_is_deleted_is_in_no_album(shared: Table) -> None:
    owner = new_user(shared)
    album = create_album(owner, "Sea", at=NOON, table=shared)
    photos = [kept(shared, owner=owner.email) for _ in range(6)]

    def delete() -> None:
        begin_album_deletion(album, at=NOON, table=shared)
        delete_album_rows(album.album_id, at=NOON, table=shared, blobs=BLOBS, keyring=KEYRING)

    at_once(delete, *[partial(add, photo, album, shared, owner.email) for photo in photos])
    delete()
    for photo in photos:
        found = find_photo(photo.image_id, table=shared)
        assert found is not None
        assert found.albums == ()


@pytest.mark.parametrize("seed", range(3))
def test_album_counts_are_right_after_any_concurrent_changes(shared: Table, seed: int) -> None:
    rng, owner, other = Random(seed), new_user(shared), new_user(shared)
    album = create_album(owner, "Sea", at=NOON, table=shared)
    set_member(album, other, AlbumRole.EDITOR, at=NOON, table=shared)
    photos = [kept(shared, owner=rng.choice([owner, other]).email) for _ in range(3)]

    def live(turns: Random) -> None:
        for _ in range(6):
            photo = find_photo(turns.choice(photos).image_id, table=shared)
            assert photo is not None
            deeds: list[Callable[[], object]] = [
                partial(add, photo, album, shared, turns.choice([owner, other]).email),
                partial(remove, photo, album, shared),
                partial(trash_photo, photo, at=NOON, table=shared),
                partial(restore_photo, photo, at=NOON, table=shared),
                partial(see, photo, turns.choice(list(Visibility)), shared),
            ]
            try:
                turns.choice(deeds)()
            except (Conflict, NotFound):
                continue
            finally:
                update_followups(photo.image_id, photo.owner, table=shared, blobs=BLOBS, keyring=KEYRING)

    assert at_once(*[partial(live, Random(rng.random())) for _ in range(HANDS)]) == [None] * HANDS
    check_settled(shared, album, owners=(owner.email, other.email))


def see(photo: Photo, visibility: Visibility, table: Table) -> None:
    edit_photo(photo, PhotoEdit(visibility=visibility), version=photo.version, at=NOON, table=table)
