"""What an archive can be of: each source tells what it is and whom for, and gives the photos that they may have."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Final

from sparks.api.archive_answers import wanted_by
from sparks.api.searching import searching_for
from sparks.feed import search as feed
from sparks.journey import Stores
from sparks.library.access import album_for, person_for
from sparks.library.sight import Sight
from sparks.model.access import Action
from sparks.model.archive import Archive
from sparks.model.caller import Member, Who, name_of
from sparks.model.errors import NotAllowed
from sparks.model.photo import Photo
from sparks.sharing.archive.choosing import ArchiveSize, entries_of
from sparks.sharing.archive.gathering import photos_in_album, photos_in_pages, photos_of_person, photos_with_ids
from sparks.sharing.archive.planning import Purpose, plan_archive

DOWNLOAD: Final = Action.DOWNLOAD_ORIGINAL
NO_SEARCH: Final = "guests cannot search: name the album or the photos"

Photos = Callable[[], Iterator[Photo]]
Source = tuple[Purpose, Photos]


class ArchiveSources:
    def __init__(self, *, stores: Stores, clock: Callable[[], datetime]) -> None:
        self._stores = stores
        self._table = stores.table
        self._blobs = stores.blobs
        self._keyring = stores.keyring
        self._now = clock

    def selection(self, who: Who, ids: list[str], size: ArchiveSize | None) -> Source:
        digest = sha256("\n".join(ids).encode()).hexdigest()
        purpose = Purpose(name_of(who), f"selection {digest}", wanted_by(who, size), "Photos")
        return purpose, lambda: photos_with_ids(ids, sees=self._sight(who).sees, table=self._table)

    def album(self, who: Who, album_id: str, size: ArchiveSize | None) -> Source:
        album = album_for(who, DOWNLOAD, album_id, at=self._now(), table=self._table).album
        purpose = Purpose(name_of(who), f"album {album_id}", wanted_by(who, size), album.title)
        return purpose, lambda: photos_in_album(album_id, sees=self._sight(who).sees, table=self._table)

    def person(self, who: Who, person_id: str, size: ArchiveSize | None) -> Source:
        person = person_for(who, Action.SEE_PERSONS, person_id, at=self._now(), table=self._table)
        what, title = f"person {person.person_id}", person.person.display_name
        purpose = Purpose(name_of(who), what, wanted_by(who, size), title)
        return purpose, lambda: photos_of_person(person, sees=self._sight(who).sees, table=self._table)

    def search(self, who: Who, asked: feed.Wanted, size: ArchiveSize | None) -> Source:
        """NotAllowed for guests."""
        if not isinstance(who, Member):
            raise NotAllowed(NO_SEARCH)
        searching = searching_for(who, at=self._now(), stores=self._stores)
        purpose = Purpose(name_of(who), f"search {asked}", wanted_by(who, size), "Photos")
        return purpose, lambda: photos_in_pages(partial(searching.page, asked), sees=self._sight(who).sees)

    def _sight(self, who: Who) -> Sight:
        return Sight(who, DOWNLOAD, at=self._now(), table=self._table)

    def plan(self, purpose: Purpose, photos: Photos) -> Archive:
        """The archive of these photos, as far as the caller may have them."""
        entries = entries_of(photos(), purpose.wanted, blobs=self._blobs)
        return plan_archive(entries, purpose, at=self._now(), table=self._table, keyring=self._keyring)
