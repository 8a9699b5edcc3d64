"""Photos that answer a question, as far as the caller sees them.

The index says which photos may answer; each photo's own row then decides whether it does, and whether it is for the
caller to see. So nothing that was changed or hidden a moment ago is shown for what it was, and a page is full unless it
is the last one: what is left out is read past.

[Note: names] A word stands for whom and what it names, as far as the caller knows of them: persons whom they see
somewhere, albums that they are a member of. Nobody finds out by guessing that there is an album called so.

[Note: so many] A letter or two may begin the names of thousands, and of each it must be known whether the caller sees
them. So a word stands for the `MOST_NAMED` persons whom it fits best: those who are called just so, then those who were
found first. Whoever types on reaches the others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.access import person_for, user_for
from sparks.library.people import SeenPerson, see_persons
from sparks.library.photos import ItemPage, favourites_among
from sparks.library.records import from_item
from sparks.library.search import SearchIndex, camera_facet, document_of, seen_by, theirs, wanted_tag
from sparks.library.sight import Sight
from sparks.model.access import NOT_THERE, Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput, NotFound
from sparks.model.photo import AssetType, Photo
from sparks.search.matching import answers
from sparks.search.port import ALL_DAYS, MOST_WORDS, Hit, NameKind, Near, Position, Question, Sort, Word, facet
from sparks.search.words import words_in_order
from sparks.table.port import Item, Key, Table, every

FEW_FAVOURITES: Final = 2000  # of which the index is told; of more, each photo found is looked up
MOST_AT_ONCE: Final = 500
MOST_NAMED: Final = 500  # persons whom one word may stand for
KEYS_ONLY: Final = frozenset[str]()
EPOCH_DAY: Final = date(1970, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What somebody asks for: photos that have all of it. Days are by the photographer's clock, both included."""

    text: str = ""
    tags: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    albums: tuple[str, ...] = ()
    uploader: str | None = None
    camera: str | None = None
    kind: AssetType | None = None
    favourite: bool | None = None
    first_day: date | None = None
    last_day: date | None = None
    near: Near | None = None
    sort: Sort = Sort.NEWEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """What one caller asks, at that time."""

    who: Member
    at: datetime
    index: SearchIndex
    table: Table

    def page(self, wanted: Wanted, *, limit: int, after: Key | None) -> ItemPage:
        """The rows of the next `limit` photos, and where to go on; None is the end. NotFound for a person, an album or
        an uploader whom the caller does not see; BadInput for too many words; Busy while the index is being built.
        """
        self.index.check_built()
        question = self.question(wanted)
        if question is None:
            return [], None
        kept: list[tuple[Hit, Item]] = []
        sight = Sight(self.who, Action.SEE_PHOTO, at=self.at, table=self.table)
        position, most = _position_at(after), limit + 1
        while True:
            hits = self.index.find(question, by=wanted.sort, limit=most, after=position)
            kept += self._answering(hits, question, wanted.favourite, sight)
            if len(kept) > limit:
                return [row for _, row in kept[:limit]], _key_of(kept[limit - 1][0].position)
            if len(hits) < most:
                return [row for _, row in kept], None
            position, most = hits[-1].position, min(2 * most, MOST_AT_ONCE)

    def question(self, wanted: Wanted) -> Question | None:
        """None where no photo can answer: what was typed has no word in it."""
        texts, groups, joined = words_in_order(wanted.text), tuple(self._groups(wanted)), self._joined()
        if wanted.text.strip() and not texts:
            return None
        if len(texts) > MOST_WORDS:
            raise BadInput(f"at most {MOST_WORDS} words can be searched for at once, not {len(texts):,}")
        return Question(
            words=tuple(self._word(text, joined) for text in texts),
            groups=(seen_by(self.who, joined), *groups),
            days=(_day(wanted.first_day, ALL_DAYS[0]), _day(wanted.last_day, ALL_DAYS[1])),
            near=wanted.near,
            within=self._favourites() if wanted.favourite else None,
        )

    def persons_called(self, words: Sequence[str]) -> list[tuple[SeenPerson, bool]]:
        """Whom these words may stand for, of those whom the caller sees; and whether they are called just so."""
        found = self.index.names(NameKind.PERSON, words)
        best = sorted(found, key=lambda each: (not found[each], len(each), each))[:MOST_NAMED]
        return [(seen, found[each]) for each, seen in see_persons(self.who, best, table=self.table).items()]

    def _groups(self, wanted: Wanted) -> Iterable[frozenset[str]]:
        yield from (frozenset({wanted_tag(tag)}) for tag in wanted.tags)
        yield from (self._person(person_id) for person_id in wanted.persons)
        yield from (self._album(album_id) for album_id in wanted.albums)
        if wanted.uploader is not None:
            user = user_for(self.who, Action.LIST_PHOTOS, wanted.uploader, at=self.at, table=self.table)
            yield frozenset({theirs(user.email)})
        if wanted.camera is not None:
            yield frozenset({camera_facet(wanted.camera)})
        if wanted.kind is not None:
            yield frozenset({facet("kind", wanted.kind.value)})

    def _person(self, person_id: str) -> frozenset[str]:
        """Their photos may still name those who became them."""
        seen = person_for(self.who, Action.SEE_PERSONS, person_id, at=self.at, table=self.table)
        return frozenset(facet("person", each) for each in seen.ids)

    def _album(self, album_id: str) -> frozenset[str]:
        """Whether the caller is a member is read by key."""
        try:
            member = self.table.get(keys.album_member(keys.plain(album_id), self.who.email))
        except BadInput:
            member = None
        if member is None:
            raise NotFound(NOT_THERE.format("album"))
        return frozenset({facet("album", album_id)})

    def _joined(self) -> frozenset[str]:
        """Their albums, as an index tells: where that is behind, photos are found a moment later."""
        rows = every(self.table, entity_types.album_member(self.who.email), only=KEYS_ONLY)
        return frozenset(row["PK"].partition("#")[2] for row in rows)

    def _word(self, text: str, joined: frozenset[str]) -> Word:
        named = {
            facet("album", each): whole
            for each, whole in self.index.names(NameKind.ALBUM, [text]).items()
            if each in joined
        }
        for seen, whole in self.persons_called([text]):
            named |= {facet("person", each): whole for each in seen.ids}
        return Word(text, frozenset(each for each, whole in named.items() if whole), frozenset(named))

    def _favourites(self) -> frozenset[str] | None:
        """None where they are too many to name them all."""
        marks = self.table.query(entity_types.favourite(self.who.email), limit=FEW_FAVOURITES, only=KEYS_ONLY)
        return None if marks.after is not None else frozenset(mark["PK"] for mark in marks.items)

    def _answering(
        self, hits: Sequence[Hit], question: Question, favourite: bool | None, sight: Sight
    ) -> list[tuple[Hit, Item]]:
        """Those of the photos that answer it as they are now, and that the caller sees and has marked, or not."""
        named = [keys.photo(hit.image_id, hit.owner) for hit in hits]
        rows = self.table.get_many(named)
        found = [(hit, rows[key]) for hit, key in zip(hits, named, strict=True) if key in rows]
        photos = {hit.image_id: from_item(Photo, row) for hit, row in found}
        seen = sight.seen_among(photo for photo in photos.values() if _answers(photo, question))
        answering = [(hit, row) for hit, row in found if hit.image_id in seen]
        if favourite is None:
            return answering
        marked = favourites_among([hit.image_id for hit, _ in answering], self.who.email, table=self.table)
        return [(hit, row) for hit, row in answering if (hit.image_id in marked) is favourite]


def _answers(photo: Photo, question: Question) -> bool:
    document = document_of(photo)
    return document is not None and answers(document, question)


def _day(day: date | None, otherwise: int) -> int:
    return otherwise if day is None else (day - EPOCH_DAY).days


def _key_of(position: Position) -> Key:
    return Key(f"{position.tier} {position.time}", position.image_id)


def _position_at(after: Key | None) -> Position | None:
    """[Note: the seal] What a cursor holds is what was put in."""
    if after is None:
        return None
    tier, time = after.pk.split(" ")
    return Position(int(tier), int(time), after.sk)
