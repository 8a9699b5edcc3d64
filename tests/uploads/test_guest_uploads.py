"""Finalizing of guests' uploads: they wait for approval if the link is moderated by then, and duplicates respect what
the host has done with the photo.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.journey import Stores
from sparks.library.albums.album_photos import AlbumPlacement, add_photo, approve_photo, find_album_photo, remove_photo
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import key_of
from sparks.library.sharing.guests import create_guest, find_guest
from sparks.library.sharing.share_links import LinkEdit, NewLinkSettings, create_link, edit_link, find_link
from sparks.library.sharing.share_links import revoke_link as revoke
from sparks.library.upload_limits.account_limit import read_limit
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.caller import GuestCaller, caller_name
from sparks.model.errors import NotFound, NotSignedIn
from sparks.model.events import PhotoDeletionBegun
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import Table
from sparks.uploads.finalize import FinalizedUpload, finalize_upload
from sparks.uploads.reservations import cancel_upload, reserve_upload
from tests.account_makers import everything
from tests.factories import NOON
from tests.journey.sample_steps import open_memory
from tests.library.albums.rows import an_album_in, check_counts, check_settled
from tests.library.tables import Meddled, check_sum, new_account
from tests.media.container_builders import gradient, saved
from tests.uploads.files import a_jpeg, an_upload_request, keys_in, stored
from tests.uploads.pending_photos import make, now_of


class GuestAlbum:
    """An album with an unmoderated link, and a guest of that link."""

    def __init__(self, table: Table, blobs: MemoryBlobs) -> None:
        self.table, self.blobs = table, blobs
        self.host = new_account(table, photos=100, bytes=10**6)
        self.album = an_album_in(table, self.host, title="Wedding")
        pipeline = NewLinkSettings(allow=frozenset({LinkPermission.UPLOAD}))
        self.link, _ = create_link(self.album, pipeline, by=self.host, at=NOON, table=table)
        guest, _ = create_guest(self.link, None, at=NOON, table=table)
        self._guest = GuestCaller(self.link, guest)

    def caller(self) -> GuestCaller:
        guest = find_guest(self.link.link_id, self._guest.guest.guest_id, table=self.table)
        link = find_link(self.link.link_id, table=self.table)
        assert guest is not None
        assert link is not None
        return GuestCaller(link, guest)

    def begin(self, data: bytes) -> Photo:
        who = self.caller()
        told: dict[str, Any] = {"guest_id": who.guest.guest_id, "visibility": Visibility.PRIVATE}
        into = AlbumPlacement(
            album_id=self.album.album_id, by=caller_name(who), at=NOON, approved=not who.link.moderated
        )
        return reserve_upload(
            an_upload_request(self.host, data, **told), into=into, guest=who, at=NOON, table=self.table
        )

    def arrive(self, photo: Photo, data: bytes, *, hashed: bool = True, table: Table | None = None) -> FinalizedUpload:
        original = stored(photo, data, self.blobs)
        original = original if hashed else replace(original, sha256=None, sha1=None)
        return finalize_upload(photo, original, at=NOON, table=table or self.table, blobs=self.blobs)

    def upload(self, data: bytes, *, hashed: bool = True) -> FinalizedUpload:
        return self.arrive(self.begin(data), data, hashed=hashed)

    def moderate(self, *, on: bool = True) -> None:
        edit_link(self.link, LinkEdit(moderated=on), at=NOON, table=self.table)

    def is_queued(self, photo: Photo) -> bool:
        """Whether the photo waits for approval; checks that its row and the album's agree."""
        place, now = find_album_photo(photo.image_id, self.album.album_id, table=self.table), now_of(photo, self.table)
        assert place is not None
        assert now.albums == ((self.album.album_id,) if place.approved else ())
        return not place.approved

    def check(self) -> None:
        check_settled(self.table, self.album, owners=(self.host,))
        check_sum(self.table, self.host)


@pytest.fixture
def guest_album(any_table: Table, blobs: MemoryBlobs) -> GuestAlbum:
    return GuestAlbum(any_table, blobs)


@pytest.mark.parametrize("hashed", [True, False], ids=["through Sparks", "straight to a bucket"])
def test_an_upload_begun_before_the_link_was_moderated_waits_for_approval(
    guest_album: GuestAlbum, hashed: bool
) -> None:
    data = a_jpeg()
    photo = guest_album.begin(data)
    guest_album.moderate()
    recorded = guest_album.arrive(photo, data, hashed=hashed)
    assert (recorded.photo, recorded.photo.albums) == (now_of(photo, guest_album.table), ())
    assert guest_album.is_queued(photo)
    assert recorded.photo.state is PhotoState.PENDING
    guest_album.check()


def test_an_upload_through_an_unmoderated_link_is_in_the_album(guest_album: GuestAlbum) -> None:
    recorded = guest_album.upload(a_jpeg())
    assert not guest_album.is_queued(recorded.photo)
    guest_album.moderate()
    assert not guest_album.is_queued(recorded.photo)


def test_an_upload_waits_for_approval_if_the_link_becomes_moderated_while_it_is_finalized(
    guest_album: GuestAlbum,
) -> None:
    data = a_jpeg()
    photo = guest_album.begin(data)
    guest_album.arrive(photo, data, table=Meddled(guest_album.table, guest_album.moderate))
    assert guest_album.is_queued(photo)
    guest_album.check()


def test_completing_again_does_not_undo_the_hosts_approval(guest_album: GuestAlbum) -> None:
    data = a_jpeg()
    photo = guest_album.begin(data)
    guest_album.moderate()

    def completed_and_approved() -> None:
        guest_album.arrive(photo, data)
        approve_photo(photo, guest_album.album.album_id, table=guest_album.table)

    recorded = guest_album.arrive(photo, data, table=Meddled(guest_album.table, completed_and_approved))
    assert not guest_album.is_queued(photo)
    assert recorded.photo.albums == (guest_album.album.album_id,)
    guest_album.arrive(photo, data)
    assert not guest_album.is_queued(photo)
    guest_album.check()


def test_changes_of_the_host_to_a_photos_albums_during_the_upload_stand(guest_album: GuestAlbum) -> None:
    files = a_jpeg(), a_jpeg()
    added, removed = (guest_album.begin(data) for data in files)
    place = AlbumPlacement(album_id=guest_album.album.album_id, by=guest_album.host, at=NOON)
    add_photo(added, place, table=guest_album.table)
    remove_photo(removed, guest_album.album.album_id, table=guest_album.table)
    guest_album.moderate()
    for photo, data in zip((added, removed), files, strict=True):
        guest_album.arrive(now_of(photo, guest_album.table), data)
    assert not guest_album.is_queued(added)
    assert now_of(removed, guest_album.table).albums == ()
    guest_album.check()


@pytest.mark.parametrize("at_the_moment", [False, True])
def test_an_upload_through_a_link_that_was_revoked_meanwhile_leaves_nothing(
    guest_album: GuestAlbum, at_the_moment: bool
) -> None:
    data = a_jpeg()
    photo = guest_album.begin(data)

    def close() -> None:
        revoke(guest_album.link, table=guest_album.table)

    with pytest.raises(NotSignedIn, match="revoked"):
        guest_album.arrive(
            photo, data, table=Meddled(guest_album.table, close) if at_the_moment else _after(close, guest_album.table)
        )
    assert read_photo(key_of(photo), table=guest_album.table) is None
    assert keys_in(guest_album.blobs) == []
    assert read_limit(guest_album.host, table=guest_album.table).used == 0
    guest_album.check()


def _after(act: Callable[[], None], table: Table) -> Table:
    act()
    return table


def test_a_cancelled_upload_through_a_moderated_link_is_not_found(guest_album: GuestAlbum) -> None:
    data = a_jpeg()
    photo = guest_album.begin(data)
    guest_album.moderate()
    meddled = Meddled(guest_album.table, lambda: cancel_upload(photo, table=guest_album.table, blobs=guest_album.blobs))
    with pytest.raises(NotFound, match="begin a new one"):
        guest_album.arrive(photo, data, table=meddled)
    guest_album.check()


def test_a_repeated_guest_upload_does_not_restore_a_photo_that_the_host_removed(guest_album: GuestAlbum) -> None:
    data = a_jpeg()
    first = guest_album.upload(data).photo
    remove_photo(first, guest_album.album.album_id, table=guest_album.table)
    again = guest_album.upload(data)
    assert (again.photo.image_id, again.duplicate, again.follows) == (first.image_id, True, None)
    assert now_of(first, guest_album.table).albums == ()
    assert find_album_photo(first.image_id, guest_album.album.album_id, table=guest_album.table) is None
    guest_album.check()


def test_uploading_again_does_not_approve_a_waiting_photo(guest_album: GuestAlbum) -> None:
    data = a_jpeg()
    guest_album.moderate()
    first = guest_album.upload(data).photo
    guest_album.moderate(on=False)
    assert guest_album.upload(data).duplicate
    assert guest_album.is_queued(first)
    guest_album.check()


def test_a_late_duplicate_of_a_guest_does_not_restore_a_removed_photo(
    any_table: Table, renderer: SandboxedRenderer
) -> None:
    stores: Stores = replace(open_memory(), table=any_table)
    assert isinstance(stores.blobs, MemoryBlobs)
    guest_album, picture = GuestAlbum(any_table, stores.blobs), saved(gradient(64, 48), "JPEG")
    first, second = (guest_album.upload(picture, hashed=False).photo for _ in range(2))
    make(first, stores, renderer)
    remove_photo(now_of(first, any_table), guest_album.album.album_id, table=any_table)

    assert make(second, stores, renderer) == [PhotoDeletionBegun(second.image_id, guest_album.host)]

    assert now_of(first, any_table).albums == ()
    assert find_album_photo(first.image_id, guest_album.album.album_id, table=any_table) is None
    check_counts(everything(any_table), guest_album.host)
