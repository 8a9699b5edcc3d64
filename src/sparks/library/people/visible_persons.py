"""Persons as a caller sees them: photo count, cover face and scopes.

All of it comes from the caller's scopes, so that a face that is only in other users' private photos is not revealed.
Faces of a merged person may not have moved yet, so the rows of both are combined.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sparks.library import keys
from sparks.library.people.photo_faces import find_persons
from sparks.library.people.redirects import Redirects, get_person
from sparks.library.people.replay_decisions import merged_by
from sparks.library.records import from_item
from sparks.model.audience import own_scopes
from sparks.model.caller import Caller, Member
from sparks.model.errors import BadInput, NotFound
from sparks.model.person import Decision, Person, PersonInScope
from sparks.model.scope import COMMUNITY, Scope, album_of, scope_of_album, scope_of_owner
from sparks.table.port import Table, every


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePerson:
    """A person as a caller sees them. `ids` are theirs and those of all who became them, `scopes` those in which they
    are seen.

    Where they are seen in albums only, `photo_count` is the largest count of one album, since a photo may be in
    several.
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


def find_visible_person(caller: Caller, person_id: str, *, table: Table) -> VisiblePerson:
    """The person to whom the id leads, as the caller sees them: perhaps in no scope. NotFound where there is none."""
    try:
        person = get_person(person_id, table=table)
    except BadInput as error:
        raise NotFound(str(error)) from error
    rows = _all_of(person, table)
    return _as_seen(rows, _scopes_among(rows.scopes, caller, table), caller)


def find_visible_persons(caller: Caller, person_ids: Iterable[str], *, table: Table) -> dict[str, VisiblePerson]:
    """Those of the persons whom the caller sees, by the given ids. Most are in one of the caller's own scopes, which
    are read for all of them at once.
    """
    persons = find_persons(person_ids, table=table)
    own = own_scopes(caller)
    shown = defaultdict[str, list[PersonInScope]](list)
    for row in table.get_many([keys.person_in_scope(each, scope) for each in persons for scope in own]).values():
        each = from_item(PersonInScope, row)
        shown[each.person_id].append(each)
    seen = {
        person_id: visible_in(shown[person_id], person, (person_id,), own)
        for person_id, person in persons.items()
        if person_id in shown and person.canonical_person_id is None
    }
    return seen | _seen_elsewhere(caller, [person for each, person in persons.items() if each not in seen], table)


def visible_in(
    shown: Sequence[PersonInScope], person: Person, ids: Iterable[str], own: Collection[Scope]
) -> VisiblePerson:
    """The person as these rows show them; the counts of the `own` scopes are added up."""
    counted = [each.count for each in shown if each.scope in own]
    best = max(shown, key=_rank, default=None)
    return VisiblePerson(
        person=person,
        ids=frozenset(ids),
        scopes=frozenset(each.scope for each in shown),
        photo_count=sum(counted) if counted else max((each.count for each in shown), default=0),
        rep_face_id=None if best is None else best.rep_face_id,
        rep_image_id=None if best is None else best.rep_image_id,
    )


@dataclass(frozen=True, slots=True)
class _PersonRows:
    """All rows of a person and of those merged into them, whether or not the caller sees them."""

    person: Person
    ids: frozenset[str]
    shown: Sequence[PersonInScope]

    @property
    def scopes(self) -> set[Scope]:
        return {each.scope for each in self.shown}


def _all_of(person: Person, table: Table) -> _PersonRows:
    """The scopes of a person and the merges into them are in one partition: one query for each person."""
    ids, shown, waiting = {person.person_id}, list[PersonInScope](), [person.person_id]
    while waiting:
        rows = list(every(table, keys.person_rows(waiting.pop())))
        shown += [from_item(PersonInScope, row) for row in rows if row["SK"].startswith(keys.SCOPES.text)]
        decided = [from_item(Decision, row) for row in rows if row["SK"].startswith(keys.DECISIONS.text)]
        became = set(merged_by(decided)) - ids
        ids |= became
        waiting += became
    return _PersonRows(person, frozenset(ids), shown)


def _seen_elsewhere(caller: Caller, persons: Sequence[Person], table: Table) -> dict[str, VisiblePerson]:
    """Those who are seen in albums, or as the person they became; the caller's albums are read once."""
    known, resolve = {each.person_id: each for each in persons}, Redirects(table)
    leads = {each: each if known[each].canonical_person_id is None else resolve(each) for each in known}
    known |= find_persons([each for each in leads.values() if each not in known], table=table)
    rows = {each: _all_of(known[each], table) for each in set(leads.values()) & known.keys()}
    theirs = _scopes_among({scope for each in rows.values() for scope in each.scopes}, caller, table)
    seen = {person_id: _as_seen(each, theirs, caller) for person_id, each in rows.items()}
    seen = {person_id: each for person_id, each in seen.items() if each.scopes}
    return {person_id: seen[end] for person_id, end in leads.items() if end in seen}


def _as_seen(rows: _PersonRows, theirs: Collection[Scope], caller: Caller) -> VisiblePerson:
    shown = [each for each in rows.shown if each.scope in theirs]
    if not shown and rows.person.is_external and isinstance(caller, Member):  # who is not listed yet
        shown = [PersonInScope(person_id=rows.person.person_id, scope=COMMUNITY)]
    return visible_in(shown, rows.person, rows.ids, own_scopes(caller))


def _scopes_among(scopes: Collection[Scope], caller: Caller, table: Table) -> set[Scope]:
    """Those of the scopes that are the caller's: membership of an album is read by key."""
    theirs = set(own_scopes(caller))
    if isinstance(caller, Member):
        albums = {keys.album_member(album, caller.email): album for album in map(album_of, scopes) if album is not None}
        joined = table.get_many(list(albums))
        theirs |= {scope_of_owner(caller.email), *(scope_of_album(albums[key]) for key in joined)}
    return theirs & set(scopes)


def _rank(shown: PersonInScope) -> float:
    return -1.0 if shown.rep_face_id is None or shown.rep_rank is None else shown.rep_rank
