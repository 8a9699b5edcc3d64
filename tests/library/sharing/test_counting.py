"""What guests bring, counted: no cap is passed, however many upload at once, and what goes may come again."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.erasure import begin_deletion
from sparks.library.records import from_item, to_item
from sparks.library.sharing import (
    LinkEdit,
    LinkTerms,
    edit_link,
    find_guest,
    find_link,
    let_guest_in,
    make_link,
    reserve_for_guest,
    revoke_link,
)
from sparks.model.album import Album
from sparks.model.caller import GuestCaller
from sparks.model.errors import LinkFull, NotFound, NotSignedIn
from sparks.model.ids import random_id
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import Caps, LinkPermission, ShareLink
from sparks.table.port import Put, Table
from tests.factories import NOON, a_photo, an_album
from tests.library.tables import new_account
from tests.library.test_limit_races import all_at_once

UPLOAD = frozenset({LinkPermission.UPLOAD})


class Party:
    """An album with one link."""

    def __init__(self, table: Table, **caps: Any) -> None:
        self.table = table
        self.host = new_account(table, photos=10_000, bytes=10**9)
        self.album = an_album(album_id=random_id(), owner=self.host)
        table.write(Put(to_item(self.album)))
        terms = LinkTerms(allow=UPLOAD, caps=Caps(**caps) if caps else None)
        self.link, _ = make_link(self.album, terms, by=self.host, at=NOON, table=table)

    def guest(self) -> GuestCaller:
        guest, _ = let_guest_in(self.link, None, at=NOON, table=self.table)
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


def hosts_limit(party: Party) -> int:
    item = party.table.get(keys.upload_limit(party.host))
    assert item is not None
    return int(item["limit"])


def test_each_photo_is_counted_for_the_link_the_guest_and_the_host(any_table: Table) -> None:
    party = Party(any_table, photos=5, bytes=100, guest_photos=3, guest_bytes=50)
    guest = party.guest()
    photo = party.bring(guest, 20)
    assert photo is not None
    now = party.again(guest)
    assert (now.guest.photo_count, now.guest.byte_count) == party.counted() == (1, 20)
    assert (now.link.photos_left, now.link.bytes_left) == (4, 80)
    assert hosts_limit(party) == 9_999
    begin_deletion(photo, table=any_table)
    begin_deletion(photo, table=any_table)
    now = party.again(guest)
    assert (now.guest.photo_count, now.guest.byte_count) == party.counted() == (0, 0)
    assert (now.link.photos_left, now.link.bytes_left) == (5, 100)
    assert hosts_limit(party) == 10_000


def test_a_reservation_that_is_repeated_is_counted_once(any_table: Table) -> None:
    party = Party(any_table, photos=5)
    guest = party.guest()
    photo = party.photo(guest)
    for _ in range(3):
        reserve_for_guest(photo, guest, table=any_table)
    assert party.counted() == (1, 10)


@pytest.mark.parametrize(
    ("caps", "fitting"),
    [({"photos": 7}, 7), ({"bytes": 75}, 7), ({"guest_photos": 2}, 10), ({"guest_bytes": 25}, 10)],
    ids=["photos", "bytes", "photos of a guest", "bytes of a guest"],
)
def test_no_cap_is_passed_by_many_at_once(table: Table, caps: dict[str, int], fitting: int) -> None:
    party = Party(table, **caps)
    guests = [party.guest() for _ in range(5)]
    calls: list[Callable[[], Photo | None]] = [partial(party.bring, guest) for guest in guests for _ in range(4)]
    Random(1).shuffle(calls)
    brought = [photo for photo in all_at_once(calls) if photo is not None]
    assert len(brought) == fitting
    assert party.counted() == (fitting, fitting * 10)
    assert hosts_limit(party) == 10_000 - fitting


def test_what_goes_and_comes_at_once_is_counted_right(table: Table) -> None:
    party = Party(table, photos=10)
    guests = [party.guest() for _ in range(5)]
    there = [party.bring(party.again(guest)) for guest in guests for _ in range(2)]
    assert party.bring(party.again(guests[0])) is None
    going = [partial(begin_deletion, photo, table=table) for photo in there[:6] if photo is not None]
    coming: list[Callable[[], Any]] = [partial(party.bring, guest) for guest in guests for _ in range(2)]
    came = [each for each in all_at_once([*going, *coming]) if isinstance(each, Photo)]
    assert party.counted()[0] == len(there) - 6 + len(came) <= 10


def test_a_cap_that_is_changed_counts_what_came_before(any_table: Table) -> None:
    party = Party(any_table)
    guest = party.guest()
    for _ in range(3):
        assert party.bring(party.again(guest)) is not None
    edit_link(party.link, LinkEdit(caps=Caps(photos=4)), at=NOON, table=any_table)
    assert party.bring(party.again(guest)) is not None
    assert party.bring(guest) is None
    edit_link(party.link, LinkEdit(caps=Caps(photos=2)), at=NOON, table=any_table)
    assert party.bring(party.again(guest)) is None
    edit_link(party.link, LinkEdit(caps=None), at=NOON, table=any_table)
    assert party.bring(party.again(guest)) is not None
    assert party.counted() == (5, 50)


def test_nothing_comes_through_a_revoked_link_and_what_came_can_go(any_table: Table) -> None:
    party = Party(any_table, photos=5)
    guest = party.guest()
    photo = party.bring(guest)
    assert photo is not None
    revoke_link(party.link, table=any_table)
    with pytest.raises(NotSignedIn):
        reserve_for_guest(party.photo(guest), guest, table=any_table)
    with pytest.raises(NotFound):
        revoke_link(party.link, table=any_table)
    assert find_guest(party.link.link_id, guest.guest.guest_id, table=any_table) is None
    begin_deletion(photo, table=any_table)
    assert hosts_limit(party) == 10_000


def test_a_link_to_an_album_that_goes_is_not_made(table: Table) -> None:
    album = an_album(album_id=random_id(), deleting_at=NOON)
    table.write(Put(to_item(album)))
    with pytest.raises(NotFound):
        make_link(album, LinkTerms(allow=UPLOAD), by=album.owner, at=NOON, table=table)
    assert from_item(Album, to_item(album)) == album
