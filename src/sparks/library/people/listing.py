"""The list of persons, those in most photos first: as they are seen in the scopes of whoever asks.

It comes from an index, which may be a moment behind. There are far fewer persons than photos, so the counts of all of
them are read to put them in order; their names, of one page at a time.

[Note: merged] Until the faces of somebody who was merged have moved, the list may count them for nobody: the page of a
person tells more.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pages import first_page, growing
from sparks.library.people.counting import ENOUGH
from sparks.library.people.reading import find_persons
from sparks.library.people.redirects import Redirects
from sparks.library.people.seeing import SeenPerson, seen_in
from sparks.library.records import from_item
from sparks.model.person import PersonInScope
from sparks.model.scope import Scope
from sparks.table.port import Key, Table, every

Sees = Callable[[SeenPerson], bool]
PersonPage = tuple[list[SeenPerson], Key | None]

_COUNTED: Final = frozenset({"entityType", "count", "enough", "repFaceId", "repImageId", "repRank"})
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Ranked:
    """A person by what the scopes tell of them."""

    person_id: str
    shown: tuple[PersonInScope, ...]

    @property
    def count(self) -> int:
        return sum(each.count for each in self.shown)

    @property
    def is_listed(self) -> bool:
        """In a list of one of the scopes, or in enough photos of all of them together."""
        enough = next((each.enough for each in self.shown if each.enough is not None), ENOUGH)
        return any(each.listed for each in self.shown) or self.count >= enough

    @property
    def rank(self) -> tuple[int, int, str]:
        """Who is in as many photos comes in the order of being founded."""
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
    """The next `limit` persons of these scopes, no photo being in two of them, and where to go on; None is the end.
    With `few` those in few photos too, with `hidden` those whom somebody has hidden; all as far as the caller `sees`
    them.
    """
    ranked = sorted(_ranked(scopes, few or hidden, table), key=lambda each: each.rank)
    behind = [each for each in ranked if after is None or each.rank > _rank_at(after)]

    def wanted(each: Ranked, seen: SeenPerson) -> bool:
        return (hidden if seen.person.hidden else few or each.is_listed) and sees(seen)

    found = ((each, seen) for each, seen in _persons(behind, limit, table) if wanted(each, seen))
    page, position = first_page(found, lambda pair: _position(pair[0]), limit=limit)
    return [seen for _, seen in page], position


def _ranked(scopes: Sequence[Scope], with_few: bool, table: Table) -> Iterator[Ranked]:
    """Without those of the first scope who are in few photos of it, and in none of the others: they are many."""
    shown = defaultdict[str, list[PersonInScope]](list)
    for scope in scopes:
        is_first = scope == scopes[0]
        for each in _shown_in(scope, with_few=with_few or not is_first, table=table):
            shown[each.person_id].append(each)
    for each in _missing(shown, scopes, table):
        shown[each.person_id].append(each)
    return (Ranked(person_id, tuple(rows)) for person_id, rows in shown.items())


def _missing(shown: dict[str, list[PersonInScope]], scopes: Sequence[Scope], table: Table) -> list[PersonInScope]:
    """What the first scope knows of those who were found in the others alone."""
    found = [person_id for person_id, rows in shown.items() if all(each.scope != scopes[0] for each in rows)]
    rows = table.get_many([keys.person_in_scope(person_id, scopes[0]) for person_id in found])
    return [from_item(PersonInScope, row) for row in rows.values()]


def _shown_in(scope: Scope, *, with_few: bool, table: Table) -> Iterator[PersonInScope]:
    """[Note: moving] One who moves from list to list meanwhile is told once."""
    told: set[str] = set()
    for listed in (True, False) if with_few else (True,):
        for row in every(table, entity_types.person_in_scope(scope, listed=listed), only=_COUNTED):
            each = from_item(PersonInScope, row)
            if each.person_id not in told:
                told.add(each.person_id)
                yield each


def _persons(ranked: Iterable[Ranked], limit: int, table: Table) -> Iterator[tuple[Ranked, SeenPerson]]:
    """Each with who it is; who was merged stands for whom they became, unless that one is there too."""
    known = list(ranked)
    ids = {each.person_id for each in known}
    resolve = Redirects(table)
    for some in growing(known, limit + 1):
        persons = find_persons([each.person_id for each in some], table=table)
        for each in some:
            person = persons.get(each.person_id)
            if person is not None and person.canonical_person_id is not None:
                became = resolve(each.person_id)
                person = None if became in ids else find_persons([became], table=table).get(became)
                ids.add(became)
            if person is not None:
                scopes = {row.scope for row in each.shown}
                yield each, seen_in(each.shown, person, (person.person_id, each.person_id), scopes)


def _position(ranked: Ranked) -> Key:
    return Key(f"{ranked.count:0{_DIGITS}d}", ranked.person_id)


def _rank_at(position: Key) -> tuple[int, int, str]:
    return -int(position.pk), len(position.sk), position.sk
