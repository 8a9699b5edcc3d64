"""The search index, kept to what the table says.

It is built from the rows the first time, and again where what was kept is lost; from then on it follows the log of what
has changed. Each machine that is asked has an index of its own and follows for itself.

[Note: lists that move] A photo that becomes private while the lists are read may be in none of them when they are
looked at. That it became so is in the log: what is noted once all is built is the time before it was begun.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Final, TypeVar

from sparks.library import entity_types, keys
from sparks.library.face_log import OVERLAP
from sparks.library.photos import find_photo
from sparks.library.records import from_item
from sparks.library.search.documents import (
    ATTRIBUTES,
    document_of,
    name_of_album,
    name_of_member,
    name_of_person,
    nobody,
)
from sparks.library.search.noting import KEPT, PHOTO, Changed, Heard, notes_between
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.errors import Busy
from sparks.model.keyring import Keyring
from sparks.model.person import Person
from sparks.model.photo import Photo
from sparks.model.times import EPOCH
from sparks.search.port import Document, Hit, Name, NameKind, Position, Question, Search, Sort
from sparks.table.port import Item, Key, Table, every

GLANCE: Final = timedelta(seconds=10)
THOROUGH_EVERY: Final = timedelta(minutes=1)
COMPARE_EVERY: Final = timedelta(minutes=10)
AT_ONCE: Final = 1000  # rows

T = TypeVar("T")

Told = Callable[[int], object]

log = logging.getLogger(__name__)


class SearchIndex:
    """Any thread may use it."""

    def __init__(self, search: Search, *, table: Table, keyring: Keyring) -> None:
        self._search = search
        self._table = table
        self._keyring = keyring
        self._heard: frozenset[Heard] = frozenset()
        self._thorough_at = self._compared_at = EPOCH
        self._is_behind = False
        self._is_checked = False
        self._following = threading.RLock()

    # -- Asking

    def find(self, question: Question, *, by: Sort, limit: int, after: Position | None = None) -> list[Hit]:
        """As far as this has caught up. The rows of the photos tell how they are. Busy while it is being built."""
        self.check_built()
        return self._search.find(question, by=by, limit=limit, after=after)

    def names(self, kind: NameKind, words: Collection[str]) -> dict[str, bool]:
        self.check_built()
        return self._search.names(kind, words)

    def cameras(self) -> list[str]:
        self.check_built()
        return self._search.cameras()

    def count(self) -> int:
        return self._search.count()

    def check_built(self) -> None:
        """Busy unless all of the library is here."""
        if self._search.position() is None:
            raise Busy(
                f"the search index is being built, and holds {self._search.count():,} photos so far: "
                "try again in a moment"
            )

    # -- Following

    def catch_up(self, *, at: datetime) -> int:
        """Hears of what has changed, up to `at`, which is now. Tells how many entries it had not heard before.

        Looks back a little each time, and far once a minute, for entries that appeared late.
        """
        with self._following:
            if not self._is_checked:
                self._search.check()
                self._is_checked = True
            position = self._search.position()
            if position is None or position < at - KEPT + OVERLAP:
                return self.build(at=at)
            known, news = self._heard, self._catch_up(position, at)
            self._is_behind |= any(one.about is None for one in self._heard - known)
            if self._is_behind and abs(at - self._compared_at) >= COMPARE_EVERY:
                self._compare(at)
            return news

    def build(self, *, at: datetime, anew: bool = False, told: Told = lambda _: None) -> int:
        """Takes all photos and names from the table; tells how many photos there are. `at` is now. With `anew`, what is
        here already is written again, too. `told` hears how many photos were looked at.
        """
        with self._following:
            self._put_all_names()
            listed: set[str] = set()
            for rows in _batches(self._listed()):
                photos = [from_item(Photo, row) for row in rows]
                documents = [document_of(photo) for photo in photos]
                self._search.put([each for each in documents if each is not None], anew=anew)
                listed |= {photo.image_id for photo in photos}
                told(len(listed))
            self._drop(self._search.ids() - listed)
            self._search.advance(at - OVERLAP)
            self._catch_up(at - OVERLAP, at)
            return self._search.count()

    def _compare(self, at: datetime) -> None:
        """[Note: other secrets] Somebody notes changes with a secret that this machine has not: which, nobody can tell.
        So everything is looked at, but not each time.
        """
        log.warning("what has changed was sealed with a secret that is not here: copy secrets.json to all machines")
        self._is_behind, self._compared_at = False, at
        self.build(at=at)

    def _catch_up(self, position: datetime, at: datetime) -> int:
        thorough = abs(at - self._thorough_at) >= THOROUGH_EVERY
        since = min(position, at) - (OVERLAP if thorough else GLANCE)
        heard = frozenset(notes_between(since, at + OVERLAP, table=self._table, keyring=self._keyring))
        news = heard - self._heard
        self._settle(news)
        self._heard = frozenset(one for one in self._heard | heard if one.at >= at - OVERLAP)
        self._thorough_at = at if thorough else self._thorough_at
        if news or at - position >= THOROUGH_EVERY:
            self._search.advance(at)
        return len(news)

    def _settle(self, news: Iterable[Heard]) -> None:
        """Each of them is here as its row says."""
        about = list(dict.fromkeys(each for one in news for each in one.about or ()))
        for some in _batches(each for each in about if each.kind == PHOTO):
            self._settle_photos({each.id: keys.photo(each.id, each.owner) for each in some})
        for some in _batches(each for each in about if each.kind != PHOTO):
            self._search.put_names(self._names_now(some))

    def _settle_photos(self, named: dict[str, Key]) -> None:
        rows = self._table.get_many(list(named.values()))
        documents = [document_of(from_item(Photo, row)) for row in rows.values()]
        found = {each.image_id: each for each in documents if each is not None}
        self._search.put(found.values())
        self._search.remove(named.keys() - found.keys())

    def _names_now(self, about: Iterable[Changed]) -> list[Name]:
        wanted = {_key_of(each): each for each in about}
        rows = self._table.get_many(list(wanted))
        return [
            _name_in(NameKind(each.kind), rows[key]) if key in rows else nobody(NameKind(each.kind), each.id)
            for key, each in wanted.items()
        ]

    # -- All of it

    def _listed(self) -> Iterator[Item]:
        lists = (entity_types.FEED, entity_types.PRIVATE)
        return chain.from_iterable(every(self._table, each, page=AT_ONCE, only=ATTRIBUTES) for each in lists)

    def _put_all_names(self) -> None:
        for kind, within in (
            (NameKind.PERSON, entity_types.PERSONS),
            (NameKind.ALBUM, entity_types.ALBUMS),
            (NameKind.MEMBER, entity_types.USERS),
        ):
            listed: set[str] = set()
            for rows in _batches(every(self._table, within)):
                names = [_name_in(kind, row) for row in rows]
                self._search.put_names(names)
                listed |= {name.id for name in names}
            self._search.put_names([nobody(kind, each) for each in self._search.named_ids(kind) - listed])

    def _drop(self, image_ids: Collection[str]) -> None:
        """Those that no list has: looked at once more, by their own rows, as one may just have become private."""
        for some in _batches(sorted(image_ids)):
            there = {image_id: document for image_id in some if (document := self._document(image_id)) is not None}
            self._search.put(there.values())
            self._search.remove(set(some) - there.keys())

    def _document(self, image_id: str) -> Document | None:
        photo = find_photo(image_id, table=self._table)
        return None if photo is None else document_of(photo)


def _key_of(each: Changed) -> Key:
    match NameKind(each.kind):
        case NameKind.PERSON:
            return keys.person(each.id)
        case NameKind.ALBUM:
            return keys.album(each.id)
        case NameKind.MEMBER:
            return keys.user(each.id)


def _name_in(kind: NameKind, row: Item) -> Name:
    match kind:
        case NameKind.PERSON:
            return name_of_person(from_item(Person, row))
        case NameKind.ALBUM:
            return name_of_album(from_item(Album, row))
        case NameKind.MEMBER:
            return name_of_member(from_item(User, row))


def _batches(values: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(values)
    while some := list(islice(rest, AT_ONCE)):
        yield some
