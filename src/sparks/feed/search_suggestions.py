"""Search suggestions: tags, persons, albums, cameras and members.

Only what the caller may see is suggested: tags of their own photos and of the community, persons whom they see, albums
of which they are a member, cameras of photos that they see.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sparks.feed.search import PhotoSearch, SearchCriteria
from sparks.library import keys
from sparks.library.accounts.users import find_user
from sparks.library.authorized_reads import may_see_person
from sparks.library.pagination import growing_batches
from sparks.library.people.visible_persons import VisiblePerson
from sparks.library.records import from_item
from sparks.library.tags import tags_with_prefix
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.search.port import NameKind
from sparks.search.tokenizer import words_in_order, words_of

BATCH_SIZE: Final = 200  # tags of a scope, or albums


@dataclass(frozen=True, slots=True)
class SuggestedTerms:
    tags: list[tuple[str, int]]
    persons: list[VisiblePerson]
    albums: list[Album]
    cameras: list[str]
    members: list[User]


def suggest(text: str, photo_search: PhotoSearch, *, few: int) -> SuggestedTerms:
    """At most `few` of each kind, best matches first. Busy while the index is being built."""
    photo_search.index.check_built()
    words = words_in_order(text)
    if not words:
        return SuggestedTerms([], [], [], [], [])
    return SuggestedTerms(
        tags=_tags(text, photo_search)[:few],
        persons=_persons(words, photo_search, few),
        albums=list(islice(_albums(words, photo_search), few)),
        cameras=list(islice(_cameras(words, photo_search), few)),
        members=list(islice(_members(words, photo_search), few)),
    )


def _tags(text: str, photo_search: PhotoSearch) -> list[tuple[str, int]]:
    """Tags with their counts, most frequent first. The count is the larger one of the caller's photos and the
    community.
    """
    counts: Counter[str] = Counter()
    for scope in (scope_of_owner(photo_search.who.email), COMMUNITY):
        for tag, count in tags_with_prefix(text, scope, limit=BATCH_SIZE, table=photo_search.table):
            counts[tag] = max(counts[tag], count)
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def _persons(words: tuple[str, ...], photo_search: PhotoSearch, few: int) -> list[VisiblePerson]:
    """The persons whose names match, those in most photos first."""
    named = [each for each, _ in photo_search.persons_called(words)]
    shown = [
        each for each in named if not each.person.hidden and may_see_person(photo_search.who, each, at=photo_search.at)
    ]
    return sorted(shown, key=lambda each: (-each.photo_count, each.person_id))[:few]


def _albums(words: tuple[str, ...], photo_search: PhotoSearch) -> Iterator[Album]:
    for album_ids in growing_batches(_best(photo_search.index.names(NameKind.ALBUM, words)), BATCH_SIZE):
        members = {keys.album_member(each, photo_search.who.email): each for each in album_ids}
        joined = photo_search.table.get_many(list(members))
        rows = photo_search.table.get_many([keys.album(members[key]) for key in members if key in joined])
        yield from (from_item(Album, row) for row in rows.values())


def _cameras(words: tuple[str, ...], photo_search: PhotoSearch) -> Iterator[str]:
    for camera in photo_search.index.cameras():
        known = words_of(camera)
        matches = all(any(each.startswith(word) for each in known) for word in words)
        if matches and photo_search.page(SearchCriteria(camera=camera), limit=1, after=None)[0]:
            yield camera


def _members(words: tuple[str, ...], photo_search: PhotoSearch) -> Iterator[User]:
    for email in _best(photo_search.index.names(NameKind.MEMBER, words)):
        user = find_user(email, table=photo_search.table)
        if user is not None:
            yield user


def _best(found: dict[str, bool]) -> list[str]:
    """Exact matches before those whose name begins so."""
    return sorted(found, key=lambda each: (not found[each], each))
