"""What somebody may mean while they type: tags, persons, albums, cameras and members, a few of each.

All of it is what the caller may know of: tags of their own photos and of the community, persons whom they see, albums
that they are in, cameras of photos that they see.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sparks.feed.search import Searching, Wanted
from sparks.library import keys
from sparks.library.access import may_see_person
from sparks.library.accounts import find_user
from sparks.library.pages import growing
from sparks.library.people import SeenPerson
from sparks.library.records import from_item
from sparks.library.tags import tags_beginning
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.search.port import NameKind
from sparks.search.words import words_in_order, words_of

LOOKED_AT: Final = 200  # tags of a scope that begin so


@dataclass(frozen=True, slots=True)
class Suggestions:
    tags: list[tuple[str, int]]
    persons: list[SeenPerson]
    albums: list[Album]
    cameras: list[str]
    members: list[User]


def suggest(text: str, searching: Searching, *, few: int) -> Suggestions:
    """At most so `few` of each kind, those that fit best first. Busy while the index is being built."""
    searching.index.check_built()
    words = words_in_order(text)
    if not words:
        return Suggestions([], [], [], [], [])
    return Suggestions(
        tags=_tags(text, searching)[:few],
        persons=_persons(words, searching, few),
        albums=list(islice(_albums(words, searching), few)),
        cameras=list(islice(_cameras(words, searching), few)),
        members=list(islice(_members(words, searching), few)),
    )


def _tags(text: str, searching: Searching) -> list[tuple[str, int]]:
    """Those on most photos first; of one's own and of the community, what the caller would see most of."""
    counts: Counter[str] = Counter()
    for scope in (scope_of_owner(searching.who.email), COMMUNITY):
        for tag, count in tags_beginning(text, scope, limit=LOOKED_AT, table=searching.table):
            counts[tag] = max(counts[tag], count)
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def _persons(words: tuple[str, ...], searching: Searching, few: int) -> list[SeenPerson]:
    """Those in most photos first, of all whom the words may stand for."""
    called = [each for each, _ in searching.persons_called(words)]
    shown = [each for each in called if not each.person.hidden and may_see_person(searching.who, each, at=searching.at)]
    return sorted(shown, key=lambda each: (-each.photo_count, each.person_id))[:few]


def _albums(words: tuple[str, ...], searching: Searching) -> Iterator[Album]:
    for album_ids in growing(_best(searching.index.names(NameKind.ALBUM, words)), LOOKED_AT):
        members = {keys.album_member(each, searching.who.email): each for each in album_ids}
        joined = searching.table.get_many(list(members))
        rows = searching.table.get_many([keys.album(members[key]) for key in members if key in joined])
        yield from (from_item(Album, row) for row in rows.values())


def _cameras(words: tuple[str, ...], searching: Searching) -> Iterator[str]:
    for camera in searching.index.cameras():
        known = words_of(camera)
        begun = all(any(each.startswith(word) for each in known) for word in words)
        if begun and searching.page(Wanted(camera=camera), limit=1, after=None)[0]:
            yield camera


def _members(words: tuple[str, ...], searching: Searching) -> Iterator[User]:
    for email in _best(searching.index.names(NameKind.MEMBER, words)):
        user = find_user(email, table=searching.table)
        if user is not None:
            yield user


def _best(found: dict[str, bool]) -> list[str]:
    """Those who are called just so before those whose name begins so."""
    return sorted(found, key=lambda each: (not found[each], each))
