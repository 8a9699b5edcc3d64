"""Makes a photo's derived person rows agree with its faces, decisions and audience.

It follows every change of the photo, its faces or one of its persons, and may run late, twice, and concurrently with
itself: the last run leaves what the rows say.
"""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.counters import CountStep, count_in_scope, count_person
from sparks.library.people.cover_face import elect_cover_face, with_photo
from sparks.library.people.decision_log import delete_photo_decisions
from sparks.library.people.face_moves import BUSY, face_removal_changes, is_external, tagging_of, write_face
from sparks.library.people.photo_faces import TRIES, PhotoFaces, find_persons, read_faces, row_of
from sparks.library.people.redirects import Redirects
from sparks.library.people.replay_decisions import verdict_on
from sparks.library.records import from_item
from sparks.model.audience import person_scopes
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.face import Face
from sparks.model.person import Person, PersonInPhoto, PersonInScope
from sparks.model.photo import Photo
from sparks.model.scope import Scope
from sparks.model.times import now
from sparks.table.port import Check, Item, Table

# Attributes of the photo's row that decide where its persons are seen, beside the version of its faces.
SHOWN: Final = ("entityType", "visibility", "expiresAt", "albums", "s3Key", "images")


def reconcile_people(image_id: str, owner: str, *, min_photos: int | None = None, table: Table) -> frozenset[Scope]:
    """The scopes in which persons changed, are counted or are shown differently: none where nothing was to be done. The
    persons of a photo that is deleted or being deleted are not counted. Busy where others change it all the time. A
    person in at least `min_photos` photos is listed; None keeps the number that was used before.
    """
    touched: set[Scope] = set()
    for _ in range(TRIES):
        if _settle(image_id, owner, min_photos, touched, table):
            return frozenset(touched)
    raise Busy(BUSY)


def _settle(image_id: str, owner: str, min_photos: int | None, touched: set[Scope], table: Table) -> bool:
    """Whether all is reconciled now; not so where another process was faster somewhere."""
    seen = read_faces(image_id, owner, table=table)
    at = now()
    while seen.is_there and (moved := _misplaced(seen, table)) is not None:
        if not write_face(seen, *moved, at=at, table=table):
            return False
        seen = read_faces(image_id, owner, table=table)
    persons = find_persons(seen.taggings, table=table)
    try:
        for tagging in seen.taggings.values():
            _count(seen, tagging, persons.get(tagging.person_id), min_photos, at, touched, table)
    except ConditionFailed:
        return False
    return True


def _misplaced(seen: PhotoFaces, table: Table) -> tuple[Face, Face] | None:
    """A face that does not have the right person, and the same face as it should be."""
    resolve = Redirects(table)
    for face in seen.faces.values():
        placed = verdict_on(face, seen.decisions, seen.faces, resolve).place(face, face.engine_person_id, resolve)
        placed = _with_older_time(placed, seen)
        if placed != face:
            return face, placed
    return None


def _with_older_time(face: Face, seen: PhotoFaces) -> Face:
    """Older rows do not hold it: the person was seen in the photo since then."""
    tagging = seen.taggings.get(face.person_id or "")
    return face if face.added_at is not None or tagging is None else replace(face, added_at=tagging.created_at)


def _count(
    seen: PhotoFaces,
    tagging: PersonInPhoto,
    person: Person | None,
    min_photos: int | None,
    at: datetime,
    touched: set[Scope],
    table: Table,
) -> None:
    """Makes the TAGGING row and every counter as they should be."""
    faces = [face for face in seen.faces.values() if face.person_id == tagging.person_id]
    step = CountStep(Check(seen.key, seen.unchanged(*SHOWN)), tagging, tagging, row_of(seen, tagging))
    stands = not faces and is_external(tagging)
    if stands and seen.is_there and person is None:
        return
    if seen.photo is None or not seen.is_there or not (faces or stands):
        step = _in_scopes(step, frozenset(), min_photos, touched, table)
        _count_person(step.to(None), at, table)
        return
    expected = tagging if stands else tagging_of(seen.photo, tagging.person_id, faces, person, tagging, at=at)
    step = step.to(replace(expected, counted=True, counted_faces=len(faces)))
    if step.after != tagging or person is None or with_photo(person, expected) != person:
        _count_person(step, at, table)
    _in_scopes(step.done(), person_scopes(seen.photo), min_photos, touched, table)


def _count_person(step: CountStep, at: datetime, table: Table) -> None:
    person = count_person(step, at=at, table=table)
    if person is not None and person.photo_count > 0 and person.rep_face_id is None:
        elect_cover_face(person.person_id, None, table=table)


def _in_scopes(
    step: CountStep, scopes: frozenset[Scope], min_photos: int | None, touched: set[Scope], table: Table
) -> CountStep:
    """Counts the row in these scopes and no others; where that is so already, offers its best face as cover there."""
    person_id = step.before.person_id
    known = {scope: keys.person_in_scope(person_id, scope) for scope in {*scopes, *map(Scope, step.before.counted_in)}}
    rows = table.get_many(list(known.values()))
    for scope in sorted(known):
        item = rows.get(known[scope])
        following = step.to(_counted_in(step.before, scope, is_in=scope in scopes))
        if following.after == step.before and item is not None and _shows(item, step.before):
            continue
        shown = count_in_scope(following, scope, min_photos=min_photos, table=table)
        touched.add(scope)
        if shown is not None and shown.rep_face_id is None:
            elect_cover_face(person_id, scope, table=table)
        step = following.done()
    return step


def _counted_in(tagging: PersonInPhoto, scope: Scope, *, is_in: bool) -> PersonInPhoto:
    others = set(tagging.counted_in) - {scope}
    return replace(tagging, counted_in=tuple(sorted(others | {scope} if is_in else others)))


def _shows(item: Item, tagging: PersonInPhoto) -> bool:
    """Whether the scope has the best face of the row, or a better one, as cover."""
    shown = from_item(PersonInScope, item)
    return with_photo(shown, tagging) == shown


def remove_photo_from_people(photo: Photo, *, table: Table) -> frozenset[Scope]:
    """Removes the photo from its persons, whose cover faces and rows may go with it; returns the scopes in which that
    is seen. Its faces have no person from then on, and are to be deleted.
    """
    touched = reconcile_people(photo.image_id, photo.owner, table=table)
    delete_photo_decisions(read_faces(photo.image_id, photo.owner, table=table).decisions, table=table)
    return touched


def delete_face(face: Face, *, at: datetime, table: Table) -> None:
    """Deletes the rows of a face whose photo is being deleted, and logs that for the vector indexes."""
    table.write(*face_removal_changes(face, at=at))
