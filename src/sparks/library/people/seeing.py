"""What a caller sees of persons: whether they are there at all, in how many photos, and the face that shows them.

All of it comes from the scopes that are the caller's: nobody learns of a face that is only in somebody's private
photos. Faces of whom a person was merged with may not have moved yet, so what is to be seen of both is one.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sparks.library import keys
from sparks.library.people.reading import find_persons
from sparks.library.people.redirects import get_person, merged_into
from sparks.library.records import from_item
from sparks.model.caller import Anonymous, GuestCaller, Member, Who
from sparks.model.errors import BadInput, NotFound
from sparks.model.person import Person, PersonInScope
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
    ids = person.person_id, *merged_into(person.person_id, table=table)
    rows = [row for each in ids for row in every(table, keys.person_rows(each), keys.SCOPES)]
    shown = [from_item(PersonInScope, row) for row in rows]
    theirs = _scopes_among({each.scope for each in shown}, who, table)
    return seen_in([each for each in shown if each.scope in theirs], person, ids, own_scopes(who))


def see_persons(who: Who, person_ids: Iterable[str], *, table: Table) -> dict[str, SeenPerson]:
    """Those of the persons whom `who` sees, by the ids that were asked for."""
    persons = find_persons(person_ids, table=table)
    own = own_scopes(who)
    places = [keys.person_in_scope(person_id, scope) for person_id in persons for scope in own]
    rows = [from_item(PersonInScope, row) for row in table.get_many(places).values()]
    seen: dict[str, SeenPerson] = {}
    for person_id, person in persons.items():
        shown = [row for row in rows if row.person_id == person_id]
        if shown and person.canonical_person_id is None:
            seen[person_id] = seen_in(shown, person, (person_id,), own)
        elif (found := _seen_somewhere(who, person_id, table)) is not None:
            seen[person_id] = found
    return seen


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


def _seen_somewhere(who: Who, person_id: str, table: Table) -> SeenPerson | None:
    """None where they are to be seen nowhere, or lead to nobody any more."""
    try:
        found = see_person(who, person_id, table=table)
    except NotFound:
        return None
    return found if found.scopes else None


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
