"""Photo search: index hits, checked against rows and the caller's access.

The index finds candidates. The row of each photo then decides whether it matches and whether the caller may see it, so
a photo that was changed or hidden a moment ago is not shown as it was. Hits that are left out are replaced by later
ones: a page is full unless it is the last one.

A word also matches the names of persons whom the caller sees and of albums that the caller is a member of. Guessing
names does not reveal other albums.

A letter or two may begin the names of thousands of persons, and for each the caller's access must be checked. So a word
matches at most `MAX_PERSONS_PER_WORD` persons: first those with exactly this name, then the earliest ones. A longer
word reaches the others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.authorized_reads import person_for, user_for
from sparks.library.bulk_access import BulkAccess
from sparks.library.people.visible_persons import VisiblePerson, find_visible_persons
from sparks.library.photos.favorites import favorites_among
from sparks.library.photos.photo_lists import ItemPage
from sparks.library.records import from_item, read_row
from sparks.library.search.documents import audience_facets, camera_facet, document_of, owner_facet, tag_facet
from sparks.library.search.search_index import SearchIndex
from sparks.model.access import NOT_THERE, Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput, NotFound, Unavailable
from sparks.model.photo import AssetType, Photo
from sparks.search.match_rules import matches_query
from sparks.search.port import (
    ALL_DAYS,
    MAX_WORDS,
    GeoRadius,
    Hit,
    HitPosition,
    IndexQuery,
    NameKind,
    QueryWord,
    Sort,
    facet,
)
from sparks.search.tokenizer import words_in_order
from sparks.table.port import Item, Key, Table, every

MAX_INDEXED_FAVORITES: Final = 2000  # passed to the index; of more, each hit is looked up
MAX_BATCH: Final = 500
MAX_PERSONS_PER_WORD: Final = 500
KEYS_ONLY: Final = frozenset[str]()
EPOCH_DAY: Final = date(1970, 1, 1)
NO_INDEX: Final = "this process has no search index: ask the process of `sparks serve`"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCriteria:
    """The criteria of a search; a photo must meet all. Days are by the photographer's clock, both included."""

    text: str = ""
    tags: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    albums: tuple[str, ...] = ()
    uploader: str | None = None
    camera: str | None = None
    kind: AssetType | None = None
    favorite: bool | None = None
    first_day: date | None = None
    last_day: date | None = None
    near: GeoRadius | None = None
    sort: Sort = Sort.NEWEST


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoSearch:
    """Searches of one caller, at a time."""

    who: Member
    at: datetime
    index: SearchIndex
    table: Table

    def page(self, criteria: SearchCriteria, *, limit: int, after: Key | None) -> ItemPage:
        """The rows of the next `limit` photos, and the position after them; None is the end. NotFound for a person, an
        album or an uploader whom the caller does not see; BadInput for too many words; Busy while the index is built.
        """
        self.index.check_built()
        query = self.query(criteria)
        if query is None:
            return [], None
        kept: list[tuple[Hit, Item]] = []
        access = BulkAccess(self.who, Action.SEE_PHOTO, at=self.at, table=self.table)
        position, most = _position_at(after), limit + 1
        while True:
            hits = self.index.find(query, by=criteria.sort, limit=most, after=position)
            kept += self._matching(hits, query, criteria.favorite, access)
            if len(kept) > limit:
                return [row for _, row in kept[:limit]], _key_of(kept[limit - 1][0].position)
            if len(hits) < most:
                return [row for _, row in kept], None
            position, most = hits[-1].position, min(2 * most, MAX_BATCH)

    def query(self, criteria: SearchCriteria) -> IndexQuery | None:
        """The query for the index. None where no photo can match, because the text has no word in it."""
        texts, groups, joined = words_in_order(criteria.text), tuple(self._groups(criteria)), self._joined()
        if criteria.text.strip() and not texts:
            return None
        if len(texts) > MAX_WORDS:
            raise BadInput(f"at most {MAX_WORDS} words can be searched for at once, not {len(texts):,}")
        return IndexQuery(
            words=tuple(self._word(text, joined) for text in texts),
            groups=(audience_facets(self.who, joined), *groups),
            days=(_day(criteria.first_day, ALL_DAYS[0]), _day(criteria.last_day, ALL_DAYS[1])),
            near=criteria.near,
            within=self._favorites() if criteria.favorite else None,
        )

    def persons_called(self, words: Sequence[str]) -> list[tuple[VisiblePerson, bool]]:
        """The visible persons whose names match these words, each with whether the name matches exactly."""
        found = self.index.names(NameKind.PERSON, words)
        best = sorted(found, key=lambda each: (not found[each], len(each), each))[:MAX_PERSONS_PER_WORD]
        return [(seen, found[each]) for each, seen in find_visible_persons(self.who, best, table=self.table).items()]

    def _groups(self, criteria: SearchCriteria) -> Iterable[frozenset[str]]:
        yield from (frozenset({tag_facet(tag)}) for tag in criteria.tags)
        yield from (self._person(person_id) for person_id in criteria.persons)
        yield from (self._album(album_id) for album_id in criteria.albums)
        if criteria.uploader is not None:
            user = user_for(self.who, Action.LIST_PHOTOS, criteria.uploader, at=self.at, table=self.table)
            yield frozenset({owner_facet(user.email)})
        if criteria.camera is not None:
            yield frozenset({camera_facet(criteria.camera)})
        if criteria.kind is not None:
            yield frozenset({facet("kind", criteria.kind.value)})

    def _person(self, person_id: str) -> frozenset[str]:
        """Also the ids of persons who were merged into this one: photos may still have them."""
        seen = person_for(self.who, Action.SEE_PERSONS, person_id, at=self.at, table=self.table)
        return frozenset(facet("person", each) for each in seen.ids)

    def _album(self, album_id: str) -> frozenset[str]:
        """NotFound unless the caller is a member, which is read by key."""
        try:
            member = self.table.get(keys.album_member(keys.key_piece(album_id), self.who.email))
        except BadInput:
            member = None
        if member is None:
            raise NotFound(NOT_THERE.format("album"))
        return frozenset({facet("album", album_id)})

    def _joined(self) -> frozenset[str]:
        """The caller's albums, from an index. While that lags behind, photos are found a moment later."""
        rows = every(self.table, entity_types.album_member(self.who.email), only=KEYS_ONLY)
        return frozenset(row["PK"].partition("#")[2] for row in rows)

    def _word(self, text: str, joined: frozenset[str]) -> QueryWord:
        named = {
            facet("album", each): whole
            for each, whole in self.index.names(NameKind.ALBUM, [text]).items()
            if each in joined
        }
        for seen, whole in self.persons_called([text]):
            named |= {facet("person", each): whole for each in seen.ids}
        return QueryWord(text, frozenset(each for each, whole in named.items() if whole), frozenset(named))

    def _favorites(self) -> frozenset[str] | None:
        """The ids of the caller's favorites. None where there are too many for a query."""
        marks = self.table.query(entity_types.favorite(self.who.email), limit=MAX_INDEXED_FAVORITES, only=KEYS_ONLY)
        return None if marks.after is not None else frozenset(mark["PK"] for mark in marks.items)

    def _matching(
        self, hits: Sequence[Hit], query: IndexQuery, favorite: bool | None, access: BulkAccess
    ) -> list[tuple[Hit, Item]]:
        """The hits whose photos match now, and that the caller sees and, as `favorite` says, has marked or not."""
        photo_keys = [keys.photo(hit.image_id, hit.owner) for hit in hits]
        rows = self.table.get_many(photo_keys)
        readable = {key: row for key, each in rows.items() if (row := read_row(Photo, each)) is not None}
        found = [(hit, readable[key]) for hit, key in zip(hits, photo_keys, strict=True) if key in readable]
        photos = {hit.image_id: from_item(Photo, row) for hit, row in found}
        seen = access.seen_among(photo for photo in photos.values() if _matches(photo, query))
        matching = [(hit, row) for hit, row in found if hit.image_id in seen]
        if favorite is None:
            return matching
        marked = favorites_among([hit.image_id for hit, _ in matching], self.who.email, table=self.table)
        return [(hit, row) for hit, row in matching if (hit.image_id in marked) is favorite]


def _matches(photo: Photo, query: IndexQuery) -> bool:
    document = document_of(photo)
    return document is not None and matches_query(document, query)


def _day(day: date | None, otherwise: int) -> int:
    return otherwise if day is None else (day - EPOCH_DAY).days


def _key_of(position: HitPosition) -> Key:
    return Key(f"{position.tier} {position.time}", position.image_id)


def _position_at(after: Key | None) -> HitPosition | None:
    """The position of a cursor. Cursors are encrypted, so it is one that `_key_of` made."""
    if after is None:
        return None
    tier, time = after.pk.split(" ")
    return HitPosition(int(tier), int(time), after.sk)


def photo_search_for(caller: Member, *, index: SearchIndex | None, at: datetime, table: Table) -> PhotoSearch:
    """Unavailable where this process has no index."""
    if index is None:
        raise Unavailable(NO_INDEX)
    return PhotoSearch(who=caller, at=at, index=index, table=table)
