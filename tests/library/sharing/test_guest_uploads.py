"""Guest uploads: no cap is exceeded under concurrent uploads, and deleted photos free their share."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.photo_deletion import begin_deletion
from sparks.library.records import from_item, to_item
from sparks.library.sharing.guest_uploads import reserve_for_guest
from sparks.library.sharing.guests import create_guest, find_guest
from sparks.library.sharing.share_links import LinkEdit, NewLinkSettings, create_link, edit_link, find_link, revoke_link
from sparks.model.album import Album
from sparks.model.caller import GuestCaller
from sparks.model.errors import LinkFull, NotFound, NotSignedIn
from sparks.model.ids import random_id
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import LinkCaps, LinkPermission, ShareLink
from sparks.table.port import Put, Table
from tests.factories import NOON, a_photo, an_album
from tests.library.tables import new_account
from tests.library.upload_limits.test_limit_races import all_at_once

UPLOAD = frozenset({LinkPermission.UPLOAD})


class SharedAlbum:
    """An album with one link."""

    def __init__(self, table: Table, **caps: Any) -> None:
        self.table = table
        self.host = new_account(table, photos=10_000, bytes=10**9)
        self.album = an_album(album_id=random_id(), owner=self.host)
        table.write(Put(to_item(self.album)))
        pipeline = NewLinkSettings(allow=UPLOAD, caps=LinkCaps(**caps) if caps else None)
        self.link, _ = create_link(self.album, pipeline, by=self.host, at=NOON, table=table)

    def guest(self) -> GuestCaller:
        guest, _ = create_guest(self.link, None, at=NOON, table=self.table)
        return GuestCaller(self.now(), guest)

    def now(self) -> ShareLink:
        link = find_link(self.link.link_id, table=self.table)
        assert link is not None
        return link

    def again(self, guest: GuestCaller) -> GuestCaller:
        found = find_guest(self.link.link_id, guest.guest.guest_id, table=self.table)
        assert found is not None
        return GuestCaller(self.now(), found)

    def photo(self, guest: GuestCaller, size: int = 10) -> Photo:
        more: dict[str, Any] = {"state": PhotoState.RESERVED, "visibility": Visibility.PRIVATE, "file_size": size}
        return a_photo(owner=self.host, guest_id=guest.guest.guest_id, **more)

    def bring(self, guest: GuestCaller, size: int = 10) -> Photo | None:
        photo = self.photo(guest, size)
        try:
            reserve_for_guest(photo, guest, table=self.table)
        except LinkFull:
            return None
        return photo

    def counted(self) -> tuple[int, int]:
        link = self.now()
        return link.photo_count, link.byte_count


def hosts_limit(shared: SharedAlbum) -> int:
    item = shared.table.get(keys.upload_limit(shared.host))
    assert item is not None
    return int(item["limit"])


def test_each_photo_is_counted_for_the_link_the_guest_and_the_host(any_table: Table) -> None:
    shared = SharedAlbum(any_table, photos=5, bytes=100, guest_photos=3, guest_bytes=50)
    guest = shared.guest()
    photo = shared.bring(guest, 20)
    assert photo is not None
    now = shared.again(guest)
    assert (now.guest.photo_count, now.guest.byte_count) == shared.counted() == (1, 20)
    assert (now.link.photos_left, now.link.bytes_left) == (4, 80)
    assert hosts_limit(shared) == 9_999
    begin_deletion(photo, table=any_table)
    begin_deletion(photo, table=any_table)
    now = shared.again(guest)
    assert (now.guest.photo_count, now.guest.byte_count) == shared.counted() == (0, 0)
    assert (now.link.photos_left, now.link.bytes_left) == (5, 100)
    assert hosts_limit(shared) == 10_000


def test_a_reservation_that_is_repeated_is_counted_once(any_table: Table) -> None:
    shared = SharedAlbum(any_table, photos=5)
    guest = shared.guest()
    photo = shared.photo(guest)
    for _ in range(3):
        reserve_for_guest(photo, guest, table=any_table)
    assert shared.counted() == (1, 10)


@pytest.mark.parametrize(
    ("caps", "fitting"),
    [({"photos": 7}, 7), ({"bytes": 75}, 7), ({"guest_photos": 2}, 10), ({"guest_bytes": 25}, 10)],
    ids=["photos", "bytes", "photos of a guest", "bytes of a guest"],
)
def test_no_cap_is_passed_by_many_at_once(table: Table, caps: dict[str, int], fitting: int) -> None:
    shared = SharedAlbum(table, **caps)
    guests = [shared.guest() for _ in range(5)]
    calls: list[Callable[[], Photo | None]] = [partial(shared.bring, guest) for guest in guests for _ in range(4)]
    Random(1).shuffle(calls)
    brought = [photo for photo in all_at_once(calls) if photo is not None]
    assert len(brought) == fitting
    assert shared.counted() == (fitting, fitting * 10)
    assert hosts_limit(shared) == 10_000 - fitting


def test_concurrent_uploads_and_deletions_of_guests_are_counted_right(table: Table) -> None:
    shared = SharedAlbum(table, photos=10)
    guests = [shared.guest() for _ in range(5)]
    there = [shared.bring(shared.again(guest)) for guest in guests for _ in range(2)]
    assert shared.bring(shared.again(guests[0])) is None
    going = [partial(begin_deletion, photo, table=table) for photo in there[:6] if photo is not None]
    coming: list[Callable[[], Any]] = [partial(shared.bring, guest) for guest in guests for _ in range(2)]
    came = [each for each in all_at_once([*going, *coming]) if isinstance(each, Photo)]
    assert shared.counted()[0] == len(there) - 6 + len(came) <= 10


def test_a_changed_cap_counts_former_uploads(any_table: Table) -> None:
    shared = SharedAlbum(any_table)
    guest = shared.guest()
    for _ in range(3):
        assert shared.bring(shared.again(guest)) is not None
    edit_link(shared.link, LinkEdit(caps=LinkCaps(photos=4)), at=NOON, table=any_table)
    assert shared.bring(shared.again(guest)) is not None
    assert shared.bring(guest) is None
    edit_link(shared.link, LinkEdit(caps=LinkCaps(photos=2)), at=NOON, table=any_table)
    assert shared.bring(shared.again(guest)) is None
    edit_link(shared.link, LinkEdit(caps=None), at=NOON, table=any_table)
    assert shared.bring(shared.again(guest)) is not None
    assert shared.counted() == (5, 50)


def test_a_revoked_link_accepts_no_upload_and_its_photos_can_be_deleted(any_table: Table) -> None:
    shared = SharedAlbum(any_table, photos=5)
    guest = shared.guest()
    photo = shared.bring(guest)
    assert photo is not None
    revoke_link(shared.link, table=any_table)
    with pytest.raises(NotSignedIn):
        reserve_for_guest(shared.photo(guest), guest, table=any_table)
    with pytest.raises(NotFound):
        revoke_link(shared.link, table=any_table)
    assert find_guest(shared.link.link_id, guest.guest.guest_id, table=any_table) is None
    begin_deletion(photo, table=any_table)
    assert hosts_limit(shared) == 10_000


def test_no_link_is_created_for_an_album_that_is_being_deleted(table: Table) -> None:
    album = an_album(album_id=random_id(), deleting_at=NOON)
    table.write(Put(to_item(album)))
    with pytest.raises(NotFound):
        create_link(album, NewLinkSettings(allow=UPLOAD), by=album.owner, at=NOON, table=table)
    assert from_item(Album, to_item(album)) == album
