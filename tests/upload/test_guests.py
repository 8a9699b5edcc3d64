"""What guests bring, at the moment when it becomes a photo: it waits for the host where the link says so by then, and
the same bytes stay where the host has put them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.journey import Stores
from sparks.library.albums import Place, add_photo, approve_photo, find_place, remove_photo
from sparks.library.limits import read_limit
from sparks.library.photos import read_photo
from sparks.library.records import key_of
from sparks.library.sharing import LinkEdit, LinkTerms, edit_link, find_guest, find_link, let_guest_in, make_link
from sparks.library.sharing import revoke_link as revoke
from sparks.media.studio import Studio
from sparks.model.caller import GuestCaller, name_of
from sparks.model.errors import NotFound, NotSignedIn
from sparks.model.events import PhotoDeleting
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import Table
from sparks.upload.recording import Recorded, record_upload
from sparks.upload.tickets import give_up_upload, reserve_upload
from tests.accounts import everything
from tests.factories import NOON
from tests.journey.trip import open_memory
from tests.library.albums.rows import an_album_in, check_counts, check_settled
from tests.library.tables import Meddled, check_sum, new_account
from tests.media.build import gradient, saved
from tests.upload.files import a_jpeg, a_wish, keys_in, stored
from tests.upload.trips import make, now_of


class Party:
    """An album with a link that is not moderated, and a guest who came by it."""

    def __init__(self, table: Table, blobs: MemoryBlobs) -> None:
        self.table, self.blobs = table, blobs
        self.host = new_account(table, photos=100, bytes=10**6)
        self.album = an_album_in(table, self.host, title="Wedding")
        terms = LinkTerms(allow=frozenset({LinkPermission.UPLOAD}))
        self.link, _ = make_link(self.album, terms, by=self.host, at=NOON, table=table)
        guest, _ = let_guest_in(self.link, None, at=NOON, table=table)
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
        into = Place(album_id=self.album.album_id, by=name_of(who), at=NOON, approved=not who.link.moderated)
        return reserve_upload(a_wish(self.host, data, **told), into=into, guest=who, at=NOON, table=self.table)

    def arrive(self, photo: Photo, data: bytes, *, hashed: bool = True, table: Table | None = None) -> Recorded:
        original = stored(photo, data, self.blobs)
        original = original if hashed else replace(original, sha256=None, sha1=None)
        return record_upload(photo, original, at=NOON, table=table or self.table, blobs=self.blobs)

    def bring(self, data: bytes, *, hashed: bool = True) -> Recorded:
        return self.arrive(self.begin(data), data, hashed=hashed)

    def moderate(self, *, on: bool = True) -> None:
        edit_link(self.link, LinkEdit(moderated=on), at=NOON, table=self.table)

    def is_queued(self, photo: Photo) -> bool:
        """What its rows and its own say about the album, which is the same."""
        place, now = find_place(photo.image_id, self.album.album_id, table=self.table), now_of(photo, self.table)
        assert place is not None
        assert now.albums == ((self.album.album_id,) if place.approved else ())
        return not place.approved

    def check(self) -> None:
        check_settled(self.table, self.album, owners=(self.host,))
        check_sum(self.table, self.host)


@pytest.fixture
def party(any_table: Table, blobs: MemoryBlobs) -> Party:
    return Party(any_table, blobs)


@pytest.mark.parametrize("hashed", [True, False], ids=["through Sparks", "straight to a bucket"])
def test_an_upload_that_was_begun_before_waits_once_the_link_is_moderated(party: Party, hashed: bool) -> None:
    data = a_jpeg()
    photo = party.begin(data)
    party.moderate()
    recorded = party.arrive(photo, data, hashed=hashed)
    assert (recorded.photo, recorded.photo.albums) == (now_of(photo, party.table), ())
    assert party.is_queued(photo)
    assert recorded.photo.state is PhotoState.PENDING
    party.check()


def test_an_upload_through_a_link_that_is_not_moderated_is_in_the_album(party: Party) -> None:
    recorded = party.bring(a_jpeg())
    assert not party.is_queued(recorded.photo)
    party.moderate()
    assert not party.is_queued(recorded.photo)


def test_a_link_that_is_moderated_at_the_very_moment_has_the_photo_wait(party: Party) -> None:
    data = a_jpeg()
    photo = party.begin(data)
    party.arrive(photo, data, table=Meddled(party.table, party.moderate))
    assert party.is_queued(photo)
    party.check()


def test_whoever_completes_it_once_more_does_not_undo_the_hosts_approval(party: Party) -> None:
    data = a_jpeg()
    photo = party.begin(data)
    party.moderate()

    def completed_and_approved() -> None:
        party.arrive(photo, data)
        approve_photo(photo, party.album.album_id, table=party.table)

    recorded = party.arrive(photo, data, table=Meddled(party.table, completed_and_approved))
    assert not party.is_queued(photo)
    assert recorded.photo.albums == (party.album.album_id,)
    party.arrive(photo, data)
    assert not party.is_queued(photo)
    party.check()


def test_what_the_host_adds_or_takes_out_while_it_comes_is_the_hosts_to_say(party: Party) -> None:
    files = a_jpeg(), a_jpeg()
    added, removed = (party.begin(data) for data in files)
    place = Place(album_id=party.album.album_id, by=party.host, at=NOON)
    add_photo(added, place, table=party.table)
    remove_photo(removed, party.album.album_id, table=party.table)
    party.moderate()
    for photo, data in zip((added, removed), files, strict=True):
        party.arrive(now_of(photo, party.table), data)
    assert not party.is_queued(added)
    assert now_of(removed, party.table).albums == ()
    party.check()


@pytest.mark.parametrize("at_the_moment", [False, True])
def test_nothing_comes_through_a_link_that_was_closed_meanwhile(party: Party, at_the_moment: bool) -> None:
    data = a_jpeg()
    photo = party.begin(data)

    def close() -> None:
        revoke(party.link, table=party.table)

    with pytest.raises(NotSignedIn, match="closed"):
        party.arrive(photo, data, table=Meddled(party.table, close) if at_the_moment else _after(close, party.table))
    assert read_photo(key_of(photo), table=party.table) is None
    assert keys_in(party.blobs) == []
    assert read_limit(party.host, table=party.table).used == 0
    party.check()


def _after(act: Callable[[], None], table: Table) -> Table:
    act()
    return table


def test_an_upload_that_was_given_up_is_told_so_behind_a_moderated_link(party: Party) -> None:
    data = a_jpeg()
    photo = party.begin(data)
    party.moderate()
    meddled = Meddled(party.table, lambda: give_up_upload(photo, table=party.table, blobs=party.blobs))
    with pytest.raises(NotFound, match="begin a new one"):
        party.arrive(photo, data, table=meddled)
    party.check()


def test_the_same_bytes_stay_where_the_host_has_put_them(party: Party) -> None:
    data = a_jpeg()
    first = party.bring(data).photo
    remove_photo(first, party.album.album_id, table=party.table)
    again = party.bring(data)
    assert (again.photo.image_id, again.duplicate, again.follows) == (first.image_id, True, None)
    assert now_of(first, party.table).albums == ()
    assert find_place(first.image_id, party.album.album_id, table=party.table) is None
    party.check()


def test_what_waits_is_not_approved_by_bringing_it_again_once_the_link_is_not_moderated(party: Party) -> None:
    data = a_jpeg()
    party.moderate()
    first = party.bring(data).photo
    party.moderate(on=False)
    assert party.bring(data).duplicate
    assert party.is_queued(first)
    party.check()


def test_a_late_duplicate_of_a_guest_puts_nothing_back(any_table: Table, studio: Studio) -> None:
    stores: Stores = replace(open_memory(), table=any_table)
    assert isinstance(stores.blobs, MemoryBlobs)
    party, picture = Party(any_table, stores.blobs), saved(gradient(64, 48), "JPEG")
    first, second = (party.bring(picture, hashed=False).photo for _ in range(2))
    make(first, stores, studio)
    remove_photo(now_of(first, any_table), party.album.album_id, table=any_table)

    assert make(second, stores, studio) == [PhotoDeleting(second.image_id, party.host)]

    assert now_of(first, any_table).albums == ()
    assert find_place(first.image_id, party.album.album_id, table=any_table) is None
    check_counts(everything(any_table), party.host)
