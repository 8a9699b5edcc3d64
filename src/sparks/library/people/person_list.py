"""Lists the persons whom a caller sees, most photos first, or by exact name.

It comes from an index, which may be a moment behind. There are far fewer persons than photos, so the counts of all of
them are read to sort them; the names only of one page. Until the faces of a merged person have moved, the list may
leave out their photos: the page of the person counts them.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pagination import first_page, growing_batches
from sparks.library.people.counters import MIN_PHOTOS
from sparks.library.people.photo_faces import find_persons
from sparks.library.people.redirects import Redirects
from sparks.library.people.visible_persons import VisiblePerson, visible_in
from sparks.library.records import from_item, read_item
from sparks.model.person import Person, PersonInScope
from sparks.model.scope import Scope
from sparks.model.text_validation import checked_name
from sparks.table.port import Key, Table, every

Sees = Callable[[VisiblePerson], bool]
PersonPage = tuple[list[VisiblePerson], Key | None]

_COUNTED: Final = frozenset({"entityType", "count", "enough", "repFaceId", "repImageId", "repRank"})
_DIGITS: Final = 12
_NEEDED: Final = frozenset({"displayName", "createdAt", "canonicalPersonId", "memberCount", "photoCount"})


@dataclass(frozen=True, slots=True)
class RankedPerson:
    """A person with their counts in the scopes."""

    person_id: str
    shown: tuple[PersonInScope, ...]

    @property
    def count(self) -> int:
        return sum(each.count for each in self.shown)

    @property
    def is_listed(self) -> bool:
        """Listed in one of the scopes, or in enough photos of all of them together."""
        min_photos = next((each.min_photos for each in self.shown if each.min_photos is not None), MIN_PHOTOS)
        return any(each.listed for each in self.shown) or self.count >= min_photos

    @property
    def rank(self) -> tuple[int, int, str]:
        """By the number of photos, then in the order in which they were founded."""
        return -self.count, len(self.person_id), self.person_id


def list_persons(
    scopes: Sequence[Scope],
    *,
    few: bool = False,
    hidden: bool = False,
    sees: Sees = lambda _: True,
    limit: int,
    after: Key | None,
    table: Table,
) -> PersonPage:
    """The next `limit` persons of these scopes, of which no photo is in two, and where to continue; None at the end.
    With `few` those in few photos too, with `hidden` the hidden ones; all as far as the caller `sees` them.
    """
    ranked = sorted(_ranked(scopes, few or hidden, table), key=lambda each: each.rank)
    behind = [each for each in ranked if after is None or each.rank > _rank_at(after)]

    def is_included(each: RankedPerson, seen: VisiblePerson) -> bool:
        return (hidden if seen.person.hidden else few or each.is_listed) and sees(seen)

    found = ((each, seen) for each, seen in _persons(behind, limit, table) if is_included(each, seen))
    page, position = first_page(found, lambda pair: _position(pair[0]), limit=limit)
    return [seen for _, seen in page], position


def _ranked(scopes: Sequence[Scope], with_few: bool, table: Table) -> Iterator[RankedPerson]:
    """Without the many who are in few photos of the first scope, and in none of the others."""
    shown = defaultdict[str, list[PersonInScope]](list)
    for scope in scopes:
        is_first = scope == scopes[0]
        for each in _shown_in(scope, with_few=with_few or not is_first, table=table):
            shown[each.person_id].append(each)
    for each in _missing(shown, scopes, table):
        shown[each.person_id].append(each)
    return (RankedPerson(person_id, tuple(rows)) for person_id, rows in shown.items())


def _missing(shown: dict[str, list[PersonInScope]], scopes: Sequence[Scope], table: Table) -> list[PersonInScope]:
    """The rows of the first scope for those who were found only in the others."""
    found = [person_id for person_id, rows in shown.items() if all(each.scope != scopes[0] for each in rows)]
    rows = table.get_many([keys.person_in_scope(person_id, scopes[0]) for person_id in found])
    return [from_item(PersonInScope, row) for row in rows.values()]


def _shown_in(scope: Scope, *, with_few: bool, table: Table) -> Iterator[PersonInScope]:
    """A person who moves between the lists meanwhile is returned once."""
    returned: set[str] = set()
    for listed in (True, False) if with_few else (True,):
        for row in every(table, entity_types.person_in_scope(scope, listed=listed), only=_COUNTED):
            each = from_item(PersonInScope, row)
            if each.person_id not in returned:
                returned.add(each.person_id)
                yield each


def _persons(ranked: Iterable[RankedPerson], limit: int, table: Table) -> Iterator[tuple[RankedPerson, VisiblePerson]]:
    """Each with their row; a merged person stands for the one they became, unless that one is listed too."""
    known = list(ranked)
    ids = {each.person_id for each in known}
    resolve = Redirects(table)
    for some in growing_batches(known, limit + 1):
        persons = find_persons([each.person_id for each in some], table=table)
        for each in some:
            person = persons.get(each.person_id)
            if person is not None and person.canonical_person_id is not None:
                became = resolve(each.person_id)
                person = None if became in ids else find_persons([became], table=table).get(became)
                ids.add(became)
            if person is not None:
                scopes = {row.scope for row in each.shown}
                yield each, visible_in(each.shown, person, (person.person_id, each.person_id), scopes)


def _position(ranked: RankedPerson) -> Key:
    return Key(f"{ranked.count:0{_DIGITS}d}", ranked.person_id)


def _rank_at(position: Key) -> tuple[int, int, str]:
    return -int(position.pk), len(position.sk), position.sk


def persons_named(name: str, *, table: Table) -> Iterator[Person]:
    """Those with this name, whatever its case; not those who were merged. BadInput where it is no name.

    All persons are read: they are far fewer than faces, and naming is rare.
    """
    folded = _alike(checked_name(name) or "")
    for row in every(table, entity_types.PERSONS, only=_NEEDED):
        person = read_item(Person, row)
        if person is not None and person.canonical_person_id is None and _alike(person.display_name) == folded:
            yield person


def _alike(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
