"""Search index of this process, built from the table and kept current by its log.

It is built from the rows at first, and again when the saved copy is lost; from then on it follows the change log. Each
machine has an index of its own.

A photo that becomes private while the lists are read may be in none of them at the time each is read. The change is in
the log, so a new index records as its position the time before it was begun.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Final, TypeVar

from sparks.library import entity_types, keys
from sparks.library.face_log import OVERLAP
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item, read_item, read_items
from sparks.library.search.change_log import KEEP_FOR, PHOTO, ChangedEntity, LoggedChange, entries_between_times
from sparks.library.search.documents import (
    ATTRIBUTES,
    document_of,
    missing_name,
    name_of_album,
    name_of_member,
    name_of_person,
)
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.errors import Busy
from sparks.model.keyring import Keyring
from sparks.model.person import Person
from sparks.model.photo import Photo
from sparks.model.times import EPOCH
from sparks.search.port import Document, Hit, HitPosition, IndexQuery, NameEntry, NameKind, Search, Sort
from sparks.table.port import Item, Key, Table, every

SHORT_OVERLAP: Final = timedelta(seconds=10)
LONG_OVERLAP_EVERY: Final = timedelta(minutes=1)
COMPARE_EVERY: Final = timedelta(minutes=10)
BATCH_SIZE: Final = 1000  # rows

T = TypeVar("T")

Changes = Callable[[int], object]

log = logging.getLogger(__name__)


class SearchIndex:
    """It is thread-safe."""

    def __init__(self, search: Search, *, table: Table, keyring: Keyring) -> None:
        self._search = search
        self._table = table
        self._keyring = keyring
        self._processed: frozenset[LoggedChange] = frozenset()
        self._thorough_at = self._compared_at = EPOCH
        self._is_behind = False
        self._is_checked = False
        self._lock = threading.RLock()

    # -- Queries

    def find(self, query: IndexQuery, *, by: Sort, limit: int, after: HitPosition | None = None) -> list[Hit]:
        """The result for the changes that are indexed by now. The rows of the photos decide. Busy while the index is
        being built.
        """
        self.check_built()
        return self._search.find(query, by=by, limit=limit, after=after)

    def names(self, kind: NameKind, words: Collection[str]) -> dict[str, bool]:
        self.check_built()
        return self._search.names(kind, words)

    def cameras(self) -> list[str]:
        self.check_built()
        return self._search.cameras()

    def count(self) -> int:
        return self._search.count()

    def check_built(self) -> None:
        """Busy unless the whole library is indexed."""
        if self._search.position() is None:
            raise Busy(
                f"the search index is being built, and holds {self._search.count():,} photos so far: "
                "try again in a moment"
            )

    # -- Following the log

    def catch_up(self, *, at: datetime) -> int:
        """Follows the log up to `at`, which is now. Returns the number of new entries.

        It reads back a little each time, and far once a minute, for entries that appeared late.
        """
        with self._lock:
            if not self._is_checked:
                self._search.check()
                self._is_checked = True
            position = self._search.position()
            if position is None or position < at - KEEP_FOR + OVERLAP:
                return self.build(at=at)
            known, news = self._processed, self._catch_up(position, at)
            self._is_behind |= any(one.about is None for one in self._processed - known)
            if self._is_behind and abs(at - self._compared_at) >= COMPARE_EVERY:
                self._compare(at)
            return news

    def build(self, *, at: datetime, anew: bool = False, told: Changes = lambda _: None) -> int:
        """Indexes all photos and names of the table; returns the number of photos. `at` is now. With `anew`, known
        documents are written again, too. `told` is called with the number of photos that were read.
        """
        with self._lock:
            self._put_all_names()
            listed: set[str] = set()
            for rows in _batches(self._listed()):
                photos = list(read_items(Photo, rows))
                documents = [document_of(photo) for photo in photos]
                self._search.put([each for each in documents if each is not None], anew=anew)
                listed |= {photo.image_id for photo in photos}
                told(len(listed))
            self._drop(self._search.ids() - listed)
            self._search.advance(at - OVERLAP)
            self._catch_up(at - OVERLAP, at)
            return self._search.count()

    def _compare(self, at: datetime) -> None:
        """Entries that were encrypted with a secret which this machine does not have cannot be read. So everything is
        compared, but not each time.
        """
        log.warning("what has changed was sealed with a secret that is not here: copy secrets.json to all machines")
        self._is_behind, self._compared_at = False, at
        self.build(at=at)

    def _catch_up(self, position: datetime, at: datetime) -> int:
        thorough = abs(at - self._thorough_at) >= LONG_OVERLAP_EVERY
        since = min(position, at) - (OVERLAP if thorough else SHORT_OVERLAP)
        entries = frozenset(entries_between_times(since, at + OVERLAP, table=self._table, keyring=self._keyring))
        new = entries - self._processed
        self._settle(new)
        self._processed = frozenset(one for one in self._processed | entries if one.at >= at - OVERLAP)
        self._thorough_at = at if thorough else self._thorough_at
        if new or at - position >= LONG_OVERLAP_EVERY:
            self._search.advance(at)
        return len(new)

    def _settle(self, news: Iterable[LoggedChange]) -> None:
        """Makes each entity in the index agree with its row."""
        about = list(dict.fromkeys(each for one in news for each in one.about or ()))
        for some in _batches(each for each in about if each.kind == PHOTO):
            self._settle_photos({each.id: keys.photo(each.id, each.owner) for each in some})
        for some in _batches(each for each in about if each.kind != PHOTO):
            self._search.put_names(self._names_now(some))

    def _settle_photos(self, named: dict[str, Key]) -> None:
        rows = self._table.get_many(list(named.values()))
        documents = [document_of(photo) for photo in read_items(Photo, rows.values())]
        found = {each.image_id: each for each in documents if each is not None}
        self._search.put(found.values())
        self._search.remove(named.keys() - found.keys())

    def _names_now(self, about: Iterable[ChangedEntity]) -> list[NameEntry]:
        entities = {_key_of(each): each for each in about}
        rows = self._table.get_many(list(entities))
        found = {key: _name_in(NameKind(each.kind), rows[key]) for key, each in entities.items() if key in rows}
        return [found.get(key) or missing_name(NameKind(each.kind), each.id) for key, each in entities.items()]

    # -- Building

    def _listed(self) -> Iterator[Item]:
        lists = (entity_types.FEED, entity_types.PRIVATE)
        return chain.from_iterable(every(self._table, each, page=BATCH_SIZE, only=ATTRIBUTES) for each in lists)

    def _put_all_names(self) -> None:
        for kind, within in (
            (NameKind.PERSON, entity_types.PERSONS),
            (NameKind.ALBUM, entity_types.ALBUMS),
            (NameKind.MEMBER, entity_types.USERS),
        ):
            listed: set[str] = set()
            for rows in _batches(every(self._table, within)):
                names = [name for row in rows if (name := _name_in(kind, row)) is not None]
                self._search.put_names(names)
                listed |= {name.id for name in names}
            self._search.put_names([missing_name(kind, each) for each in self._search.named_ids(kind) - listed])

    def _drop(self, image_ids: Collection[str]) -> None:
        """Those that no list holds: their own rows are read once more, since one may just have become private."""
        for some in _batches(sorted(image_ids)):
            there = {image_id: document for image_id in some if (document := self._document(image_id)) is not None}
            self._search.put(there.values())
            self._search.remove(set(some) - there.keys())

    def _document(self, image_id: str) -> Document | None:
        photo = find_photo(image_id, table=self._table)
        return None if photo is None else document_of(photo)


def _key_of(each: ChangedEntity) -> Key:
    match NameKind(each.kind):
        case NameKind.PERSON:
            return keys.person(each.id)
        case NameKind.ALBUM:
            return keys.album(each.id)
        case NameKind.MEMBER:
            return keys.user(each.id)


def _name_in(kind: NameKind, row: Item) -> NameEntry | None:
    """None for a row of another kind."""
    match kind:
        case NameKind.PERSON:
            person = read_item(Person, row)
            return None if person is None else name_of_person(person)
        case NameKind.ALBUM:
            return name_of_album(from_item(Album, row))
        case NameKind.MEMBER:
            user = read_item(User, row)
            return None if user is None else name_of_member(user)


def _batches(values: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(values)
    while some := list(islice(rest, BATCH_SIZE)):
        yield some
