"""What a caller sees of persons: whether they are there at all, in how many photos, and the face that shows them.

All of it comes from the scopes that are the caller's: nobody learns of a face that is only in somebody's private
photos. Faces of whom a person was merged with may not have moved yet, so what is to be seen of both is one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sparks.library import keys
from sparks.library.people.reading import find_persons
from sparks.library.people.redirects import Redirects, get_person
from sparks.library.people.replaying import merged_by
from sparks.library.records import from_item
from sparks.model.caller import Anonymous, GuestCaller, Member, Who
from sparks.model.errors import BadInput, NotFound
from sparks.model.person import Decision, Person, PersonInScope
from sparks.model.scope import COMMUNITY, Scope, album_of, scope_of_album, scope_of_owner, scope_of_private
from sparks.table.port import Table, every


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPerson:
    """A person as somebody sees them. `ids` are theirs and those of all who became them, `scopes` where they are seen.

    [Note: albums] Where they are seen in albums alone, `photo_count` is what the album has that shows most of them: a
    photo may be in several.
    """

    person: Person
    ids: frozenset[str]
    scopes: frozenset[Scope] = frozenset()
    photo_count: int = 0
    rep_face_id: str | None = None
    rep_image_id: str | None = None

    @property
    def person_id(self) -> str:
        return self.person.person_id


def own_scopes(who: Who) -> tuple[Scope, ...]:
    """What a member sees, albums aside, or a guest behind their link: no photo is in two of these."""
    match who:
        case Member():
            return COMMUNITY, scope_of_private(who.email)
        case GuestCaller():
            return (scope_of_album(who.link.album_id),)
        case Anonymous():
            return ()


def see_person(who: Who, person_id: str, *, table: Table) -> SeenPerson:
    """Whom the id leads to, as `who` sees them: perhaps in no scope at all. NotFound where there is none."""
    try:
        person = get_person(person_id, table=table)
    except BadInput as error:
        raise NotFound(str(error)) from error
    told = _all_of(person, table)
    return _as_seen(told, _scopes_among(told.scopes, who, table), who)


def see_persons(who: Who, person_ids: Iterable[str], *, table: Table) -> dict[str, SeenPerson]:
    """Those of the persons whom `who` sees, by the ids that were asked for. Most are in a scope of the caller's own,
    which is read for all of them at once.
    """
    persons = find_persons(person_ids, table=table)
    own = own_scopes(who)
    shown = defaultdict[str, list[PersonInScope]](list)
    for row in table.get_many([keys.person_in_scope(each, scope) for each in persons for scope in own]).values():
        each = from_item(PersonInScope, row)
        shown[each.person_id].append(each)
    seen = {
        person_id: seen_in(shown[person_id], person, (person_id,), own)
        for person_id, person in persons.items()
        if person_id in shown and person.canonical_person_id is None
    }
    return seen | _seen_elsewhere(who, [person for each, person in persons.items() if each not in seen], table)


def seen_in(shown: Sequence[PersonInScope], person: Person, ids: Iterable[str], own: Collection[Scope]) -> SeenPerson:
    """The person as these rows of theirs show them; the counts of the `own` scopes add up."""
    counted = [each.count for each in shown if each.scope in own]
    best = max(shown, key=_rank, default=None)
    return SeenPerson(
        person=person,
        ids=frozenset(ids),
        scopes=frozenset(each.scope for each in shown),
        photo_count=sum(counted) if counted else max((each.count for each in shown), default=0),
        rep_face_id=None if best is None else best.rep_face_id,
        rep_image_id=None if best is None else best.rep_image_id,
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """All that rows tell of a person and of those who became them, whoever may see it."""

    person: Person
    ids: frozenset[str]
    shown: Sequence[PersonInScope]

    @property
    def scopes(self) -> set[Scope]:
        return {each.scope for each in self.shown}


def _all_of(person: Person, table: Table) -> _Told:
    """[Note: one read] Where somebody is seen and who became them lie side by side: one query for each of these."""
    ids, shown, waiting = {person.person_id}, list[PersonInScope](), [person.person_id]
    while waiting:
        rows = list(every(table, keys.person_rows(waiting.pop())))
        shown += [from_item(PersonInScope, row) for row in rows if row["SK"].startswith(keys.SCOPES.text)]
        decided = [from_item(Decision, row) for row in rows if row["SK"].startswith(keys.DECISIONS.text)]
        became = set(merged_by(decided)) - ids
        ids |= became
        waiting += became
    return _Told(person, frozenset(ids), shown)


def _seen_elsewhere(who: Who, persons: Sequence[Person], table: Table) -> dict[str, SeenPerson]:
    """Those who are seen in albums, or as whom they became: what the caller is in those albums is asked once."""
    known, resolve = {each.person_id: each for each in persons}, Redirects(table)
    leads = {each: each if known[each].canonical_person_id is None else resolve(each) for each in known}
    known |= find_persons([each for each in leads.values() if each not in known], table=table)
    told = {each: _all_of(known[each], table) for each in set(leads.values()) & known.keys()}
    theirs = _scopes_among({scope for each in told.values() for scope in each.scopes}, who, table)
    seen = {person_id: _as_seen(each, theirs, who) for person_id, each in told.items() if each.scopes & theirs}
    return {person_id: seen[end] for person_id, end in leads.items() if end in seen}


def _as_seen(told: _Told, theirs: Collection[Scope], who: Who) -> SeenPerson:
    return seen_in([each for each in told.shown if each.scope in theirs], told.person, told.ids, own_scopes(who))


def _scopes_among(scopes: Collection[Scope], who: Who, table: Table) -> set[Scope]:
    """Those that are the caller's: whether they are a member of an album is read by its key."""
    theirs = set(own_scopes(who))
    if isinstance(who, Member):
        albums = {keys.album_member(album, who.email): album for album in map(album_of, scopes) if album is not None}
        joined = table.get_many(list(albums))
        theirs |= {scope_of_owner(who.email), *(scope_of_album(albums[key]) for key in joined)}
    return theirs & set(scopes)


def _rank(shown: PersonInScope) -> float:
    return -1.0 if shown.rep_face_id is None or shown.rep_rank is None else shown.rep_rank
