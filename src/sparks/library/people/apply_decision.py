"""Applies a decision to all photos and lists of the persons that it names.

The faces of a person are read from an index, which may be a moment behind: the job runs again a little later, and finds
nothing to do where all is done.
"""

from collections.abc import Iterator
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.people.counters import is_listed
from sparks.library.people.cover_face import elect_cover_face
from sparks.library.people.person_picture import picture_due
from sparks.library.people.photo_faces import TRIES, decisions_about, find_person
from sparks.library.people.reconcile import reconcile_people
from sparks.library.people.redirects import resolve_person
from sparks.library.records import as_read, changes, from_item
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.face import Face
from sparks.model.person import Decision, DecisionKind, FaceDecision, Person, PersonInScope
from sparks.model.scope import Scope
from sparks.table.port import Check, Delete, Item, Table, every

_NEEDED: Final = frozenset({"entityType", "owner", "bbox"})


def apply_decision(decision: Decision, *, min_photos: int | None = None, table: Table) -> frozenset[Scope]:
    """Reconciles the photos and persons that a decision, or its undoing, names. Returns the scopes in which the persons
    of the decision are seen, and those in which any person is shown differently now.
    """
    about = [decision]
    if decision.kind is DecisionKind.PICTURE:  # the face that was chosen before has its own rank again
        known = decisions_about(decision.person_id, table=table)
        about = [*(each for each in known if each.kind is DecisionKind.PICTURE), decision]
    touched = {scope for each in about for scope in _settle_photos(each, min_photos, table)}
    persons = [each for each in (decision.person_id, decision.other_person_id) if each is not None]
    if decision.kind is DecisionKind.MERGE:  # the faces may belong to the person they became since
        persons = [*(resolve_person(each, table=table) for each in persons), *persons]
    for person_id in dict.fromkeys(persons):
        if decision.kind is DecisionKind.MERGE:
            touched |= reconcile_person(person_id, min_photos=min_photos, table=table)
        else:
            touched |= relist_person(person_id, min_photos=min_photos, table=table)
            remove_if_empty(person_id, table=table)
    return frozenset(touched)


def reconcile_person(person_id: str, *, min_photos: int | None = None, table: Table) -> frozenset[Scope]:
    """Reconciles every photo of the person and the list of every scope, and deletes the person if nothing is left of
    them. Returns the scopes in which they are or were seen.
    """
    touched: set[Scope] = set()
    for image_id, owner in dict.fromkeys(photos_with_faces_of(person_id, table=table)):
        touched |= reconcile_people(image_id, owner, min_photos=min_photos, table=table)
    touched |= relist_person(person_id, min_photos=min_photos, table=table)
    remove_if_empty(person_id, table=table)
    return frozenset(touched)


def photos_with_faces_of(person_id: str, *, table: Table) -> Iterator[tuple[str, str]]:
    """The image id and owner of each photo with a face of theirs, once for each face."""
    for row in every(table, entity_types.face(person_id), only=_NEEDED):
        face = from_item(Face, row)
        yield face.image_id, face.owner


def relist_person(person_id: str, *, min_photos: int | None = None, table: Table) -> frozenset[Scope]:
    """Lists the person, or does not, in each scope in which they are seen: by their name, and by the number of photos.
    Returns these scopes.
    """
    for _ in range(TRIES):
        item = table.get(keys.person(person_id))
        if item is None:
            return frozenset()
        if (scopes := _relisted(from_item(Person, item), item, min_photos, table)) is not None:
            return scopes
    raise Busy("this person is being changed by other requests: try again later")


def remove_if_empty(person_id: str, *, table: Table) -> None:
    """Deletes a person without faces, unless named or merged. A person whose faces are not counted yet comes back when
    they are.
    """
    person = find_person(person_id, table=table)
    if person is None or person.is_needed:
        return
    item = table.get(keys.person(person_id)) or {}
    try:
        as_seen = as_read(item, ("memberCount", "decisionCount", "canonicalPersonId"))
        table.write(Delete(keys.person(person_id), as_seen), picture_due(person_id))
    except ConditionFailed:
        return


def _settle_photos(decision: Decision, min_photos: int | None, table: Table) -> Iterator[Scope]:
    for image_id in dict.fromkeys(face.image_id for face in decision.faces):
        row = table.get(keys.face_decision(image_id, decision.decided_at, decision.decision_id))
        if row is not None:
            yield from reconcile_people(
                image_id, from_item(FaceDecision, row).owner, min_photos=min_photos, table=table
            )


def _relisted(person: Person, item: Item, min_photos: int | None, table: Table) -> frozenset[Scope] | None:
    """The scopes in which they are seen; None where another process was faster."""
    there = Check(keys.person(person.person_id), as_read(item, ("decisionCount", "displayName", "hidden")))
    rows = list(every(table, keys.person_rows(person.person_id), keys.SCOPES))
    for row in rows:
        before = from_item(PersonInScope, row)
        after = is_listed(before, person, min_photos)
        if after != before:
            try:
                table.write(there, changes(before, after, when=as_read(row, ("count", "entityType"))))
            except ConditionFailed:
                return None
        if after.rep_face_id is None:
            elect_cover_face(person.person_id, before.scope, table=table)
    if person.rep_face_id is None:
        elect_cover_face(person.person_id, None, table=table)
    return frozenset(from_item(PersonInScope, row).scope for row in rows)
