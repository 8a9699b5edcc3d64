"""Who is in a photo, made to agree with its faces, with what people decided, and with who may see it.

It follows whatever changed the photo, its faces, or a person of it, and may run late, twice, and at once with itself:
whoever settles last leaves what the rows say.
"""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.counting import Step, count_in_scope, count_person
from sparks.library.people.electing import elect, with_photo
from sparks.library.people.placing import tagging_of
from sparks.library.people.reading import TRIES, PhotoFaces, find_persons, read_faces, row_of
from sparks.library.people.redirects import Redirects
from sparks.library.people.replaying import verdict_on
from sparks.library.people.writing import BUSY, write_face
from sparks.library.records import from_item
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.face import Face
from sparks.model.person import Person, PersonInScope, Tagging
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner, scope_of_private
from sparks.model.times import now
from sparks.table.port import Check, Item, Table

# What decides where a photo's persons are seen, as its row has it; beside the version of its faces.
SHOWN: Final = ("entityType", "visibility", "expiresAt", "albums", "s3Key", "images")


def settle_people(image_id: str, owner: str, *, enough: int | None = None, table: Table) -> frozenset[Scope]:
    """The scopes whose persons are others now, are counted or shown in another way: none where all is settled. Of a
    photo that is gone, or on its way out, nobody is counted. Busy where others change it all the time. `enough` photos
    make a person listed; None: as many as did before.
    """
    touched: set[Scope] = set()
    for _ in range(TRIES):
        if _settle(image_id, owner, enough, touched, table):
            return frozenset(touched)
    raise Busy(BUSY)


def scopes_of(photo: Photo) -> tuple[Scope, ...]:
    """Where the persons of the photo can be seen: nowhere unless it is finished, out of the trash, and here to stay."""
    if photo.state is not PhotoState.READY or photo.expires_at is not None:
        return ()
    seen = COMMUNITY if photo.visibility is Visibility.COMMUNITY else scope_of_private(photo.owner)
    return tuple(sorted({scope_of_owner(photo.owner), seen, *map(scope_of_album, photo.albums)}))


def _settle(image_id: str, owner: str, enough: int | None, touched: set[Scope], table: Table) -> bool:
    """Whether all is settled now; not so where somebody else was faster somewhere."""
    seen = read_faces(image_id, owner, table=table)
    at = now()
    while seen.is_there and (moved := _misplaced(seen, table)) is not None:
        if not write_face(seen, *moved, at=at, table=table):
            return False
        seen = read_faces(image_id, owner, table=table)
    persons = find_persons(seen.taggings, table=table)
    try:
        for tagging in seen.taggings.values():
            _count(seen, tagging, persons.get(tagging.person_id), enough, at, touched, table)
    except ConditionFailed:
        return False
    return True


def _misplaced(seen: PhotoFaces, table: Table) -> tuple[Face, Face] | None:
    """A face that is not where it should be, and how it should be."""
    resolve = Redirects(table)
    for face in seen.faces.values():
        placed = verdict_on(face, seen.decisions, seen.faces, resolve).place(face, face.home, resolve)
        if placed != face:
            return face, placed
    return None


def _count(
    seen: PhotoFaces,
    tagging: Tagging,
    person: Person | None,
    enough: int | None,
    at: datetime,
    touched: set[Scope],
    table: Table,
) -> None:
    """The tagging as it should be, and every counter that it moves."""
    faces = [face for face in seen.faces.values() if face.person_id == tagging.person_id]
    step = Step(Check(seen.key, seen.unchanged(*SHOWN)), tagging, tagging, row_of(seen, tagging))
    if seen.photo is None or not seen.is_there or not faces:
        step = _in_scopes(step, (), enough, touched, table)
        _count_person(step.to(None), at, table)
        return
    wanted = tagging_of(seen.photo, tagging.person_id, faces, person, tagging, at=at)
    step = step.to(replace(wanted, counted=True, counted_faces=len(faces)))
    if step.after != tagging or person is None or with_photo(person, wanted) != person:
        _count_person(step, at, table)
    _in_scopes(step.done(), scopes_of(seen.photo), enough, touched, table)


def _count_person(step: Step, at: datetime, table: Table) -> None:
    person = count_person(step, at=at, table=table)
    if person is not None and person.photo_count > 0 and person.rep_face_id is None:
        elect(person.person_id, None, table=table)


def _in_scopes(step: Step, scopes: tuple[Scope, ...], enough: int | None, touched: set[Scope], table: Table) -> Step:
    """The tagging counted in these scopes and no others; where that is so already, shown there by its best face."""
    person_id = step.before.person_id
    known = {scope: keys.person_in_scope(person_id, scope) for scope in {*scopes, *map(Scope, step.before.counted_in)}}
    rows = table.get_many(list(known.values()))
    for scope in sorted(known):
        item = rows.get(known[scope])
        following = step.to(_counted_in(step.before, scope, is_in=scope in scopes))
        if following.after == step.before and item is not None and _shows(item, step.before):
            continue
        shown = count_in_scope(following, scope, enough=enough, table=table)
        touched.add(scope)
        if shown is not None and shown.rep_face_id is None:
            elect(person_id, scope, table=table)
        step = following.done()
    return step


def _counted_in(tagging: Tagging, scope: Scope, *, is_in: bool) -> Tagging:
    others = set(tagging.counted_in) - {scope}
    return replace(tagging, counted_in=tuple(sorted(others | {scope} if is_in else others)))


def _shows(item: Item, tagging: Tagging) -> bool:
    """Whether the scope knows the best face of the tagging, or a better one."""
    shown = from_item(PersonInScope, item)
    return with_photo(shown, tagging) == shown
