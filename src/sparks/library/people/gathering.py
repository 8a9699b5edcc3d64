"""What follows a decision, or a change of a person: faces move to where they belong, and lists say what is so.

Which faces a person has is asked of an index, which may be a moment behind: the job runs again a little later, and
finds nothing to do where all is well.
"""

from collections.abc import Iterator
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.people.counting import listed
from sparks.library.people.electing import elect
from sparks.library.people.reading import TRIES, decisions_about, find_person
from sparks.library.people.redirects import resolve_person
from sparks.library.people.settling import settle_people
from sparks.library.photos.writing import as_read
from sparks.library.records import changes, from_item
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind, FaceDecision, Person, PersonInScope
from sparks.model.scope import Scope
from sparks.table.port import Check, Delete, Item, Table, every

_NEEDED: Final = frozenset({"entityType", "owner", "bbox"})


def settle_decision(decision: Decision, *, enough: int | None = None, table: Table) -> frozenset[Scope]:
    """All that a decision, or its undoing, is about: the photos that it names, and the persons. Tells the scopes where
    the persons of the decision are to be seen, and those where anybody is so in another way now.
    """
    about = [decision]
    if decision.kind is DecisionKind.PICTURE:  # what was chosen before is nothing special any more
        known = decisions_about(decision.person_id, table=table)
        about = [*(each for each in known if each.kind is DecisionKind.PICTURE), decision]
    touched = {scope for each in about for scope in _settle_photos(each, enough, table)}
    persons = [each for each in (decision.person_id, decision.other_person_id) if each is not None]
    if decision.kind is DecisionKind.MERGE:  # the faces may be with whom they became since
        persons = [*(resolve_person(each, table=table) for each in persons), *persons]
    for person_id in dict.fromkeys(persons):
        if decision.kind is DecisionKind.MERGE:
            touched |= settle_person(person_id, enough=enough, table=table)
        else:
            touched |= relist_person(person_id, enough=enough, table=table)
            drop_emptied(person_id, table=table)
    return frozenset(touched)


def settle_person(person_id: str, *, enough: int | None = None, table: Table) -> frozenset[Scope]:
    """Every photo of theirs is settled, every scope lists them or not, and one of whom nothing is left is gone. Tells
    the scopes where they are to be seen, or were.
    """
    touched: set[Scope] = set()
    for image_id, owner in dict.fromkeys(photos_with_faces_of(person_id, table=table)):
        touched |= settle_people(image_id, owner, enough=enough, table=table)
    touched |= relist_person(person_id, enough=enough, table=table)
    drop_emptied(person_id, table=table)
    return frozenset(touched)


def photos_with_faces_of(person_id: str, *, table: Table) -> Iterator[tuple[str, str]]:
    """The image id and owner of each photo with a face of theirs, once for each face."""
    for row in every(table, entity_types.face(person_id), only=_NEEDED):
        face = from_item(Face, row)
        yield face.image_id, face.owner


def relist_person(person_id: str, *, enough: int | None = None, table: Table) -> frozenset[Scope]:
    """In the list of each scope where they can be seen, or among the few: by their name, and by how many photos. Tells
    these scopes.
    """
    for _ in range(TRIES):
        item = table.get(keys.person(person_id))
        if item is None:
            return frozenset()
        if (scopes := _relisted(from_item(Person, item), item, enough, table)) is not None:
            return scopes
    raise Busy("this person is being changed by many at once: try again later")


def drop_emptied(person_id: str, *, table: Table) -> None:
    """A person with no face left disappears, unless named or merged. One whose faces are yet to be counted comes back
    when they are.
    """
    person = find_person(person_id, table=table)
    if person is None or person.is_needed:
        return
    item = table.get(keys.person(person_id)) or {}
    try:
        table.write(
            Delete(keys.person(person_id), as_read(item, ("memberCount", "decisionCount", "canonicalPersonId")))
        )
    except ConditionFailed:
        return


def _settle_photos(decision: Decision, enough: int | None, table: Table) -> Iterator[Scope]:
    for image_id in dict.fromkeys(face.image_id for face in decision.faces):
        row = table.get(keys.face_decision(image_id, decision.decided_at, decision.decision_id))
        if row is not None:
            yield from settle_people(image_id, from_item(FaceDecision, row).owner, enough=enough, table=table)


def _relisted(person: Person, item: Item, enough: int | None, table: Table) -> frozenset[Scope] | None:
    """Where they are seen; None where somebody was faster."""
    there = Check(keys.person(person.person_id), as_read(item, ("decisionCount", "displayName", "hidden")))
    rows = list(every(table, keys.person_rows(person.person_id), keys.SCOPES))
    for row in rows:
        before = from_item(PersonInScope, row)
        after = listed(before, person, enough)
        if after != before:
            try:
                table.write(there, changes(before, after, when=as_read(row, ("count", "entityType"))))
            except ConditionFailed:
                return None
        if after.rep_face_id is None:
            elect(person.person_id, before.scope, table=table)
    if person.rep_face_id is None:
        elect(person.person_id, None, table=table)
    return frozenset(from_item(PersonInScope, row).scope for row in rows)
