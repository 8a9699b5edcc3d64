"""Picture of a person for everyone: the blob `persons/{personId}.jpg`, named by `s3Key` of the person's row.

It is a copy of the crop of the cover face in the community's scope. A person whom the community sees in no photo has
none.

[Note: pictures of persons] A transaction that changes that cover face, or merges or deletes the person, also puts a
PICTURE_DUE row. So whatever is interrupted, a row says that the picture may be wrong until it was updated. A process
that is about to write the blob puts such a row of its own first, since the photo may become private at that moment and
the blob arrive after another process has deleted it. Only the process itself deletes its row, or any other one after
ten minutes, when the blob has arrived or never will.

A picture that has to go is deleted before the row stops naming it: a process that is killed in between leaves a row
without a picture, never a picture that no row leads to. A new picture is written before the row names it.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from sparks.blobs.port import Blobs, has_blob
from sparks.library import blob_keys, entity_types, keys
from sparks.library.people.photo_faces import TRIES, find_face_in_photo
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import as_read, changes, from_item, key_of, to_item
from sparks.model.audience import listing_scopes
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotFound
from sparks.model.face import Face
from sparks.model.ids import new_event_id
from sparks.model.person import Person, PersonInScope, PersonPictureDue
from sparks.model.scope import COMMUNITY, Scope
from sparks.model.times import now
from sparks.table.port import Change, Delete, Item, Key, Put, Set, Table, every

WRITING_ENDS_AFTER: Final = timedelta(minutes=10)

_PICTURE: Final = ("s3Key", "pictureFaceId", "canonicalPersonId")


def picture_due(person_id: str, *, writing: bool = False) -> Put:
    """The change by which the picture of the person is updated later."""
    return Put(to_item(PersonPictureDue(person_id=person_id, due_id=new_event_id(), made_at=now(), writing=writing)))


def picture_changes(person_id: str, scope: Scope | None) -> tuple[Change, ...]:
    """The changes that go with a new cover face in this scope: the picture follows that of the community."""
    return (picture_due(person_id),) if scope == COMMUNITY else ()


def persons_with_picture_due(*, table: Table) -> Iterator[str]:
    """Each once. From an index, which may be a moment behind."""
    rows = every(table, entity_types.PERSON_PICTURES_DUE)
    yield from dict.fromkeys(from_item(PersonPictureDue, row).person_id for row in rows)


def update_due_pictures(person_ids: Iterable[str], *, table: Table, blobs: Blobs) -> None:
    """Updates the pictures of those of the persons that are due."""
    for person_id in dict.fromkeys(person_ids):
        if table.query(keys.person_rows(person_id), keys.PICTURES_DUE, limit=1).items:
            update_picture(person_id, table=table, blobs=blobs)


def update_picture(person_id: str, *, table: Table, blobs: Blobs) -> None:
    """Makes the blob and the row agree with the face that the community sees. A repeat is harmless. Busy where others
    change the person all the time: the picture stays due then.
    """
    mine = picture_due(person_id, writing=True)
    for _ in range(TRIES):
        due = list(_due(person_id, table))
        face = _shown_face(person_id, table)
        if face is not None:
            table.write(mine)
            _take_over(person_id, face, table, blobs)
        if _replace(person_id, face, table, blobs) and _same(_shown_face(person_id, table), face):
            _delete_rows({mine.key, *(key_of(each) for each in due)}, table)
            return
    raise Busy("this person is being changed by other requests: try again later")


def _due(person_id: str, table: Table) -> Iterator[PersonPictureDue]:
    """The rows that can be deleted once the picture is right: not those of other processes that are writing it."""
    for row in every(table, keys.person_rows(person_id), keys.PICTURES_DUE):
        due = from_item(PersonPictureDue, row)
        if not due.writing or now() - due.made_at >= WRITING_ENDS_AFTER:
            yield due


def _shown_face(person_id: str, table: Table) -> Face | None:
    """The cover face in the community's scope, as far as the rows of the person, the face and the photo agree that the
    community sees it.
    """
    person = table.get(keys.person(person_id))
    row = table.get(keys.person_in_scope(person_id, COMMUNITY))
    if person is None or "canonicalPersonId" in person or row is None:
        return None
    cover = from_item(PersonInScope, row)
    if cover.rep_image_id is None or cover.rep_face_id is None:
        return None
    face = find_face_in_photo(cover.rep_image_id, cover.rep_face_id, table=table)
    if face is None or face.person_id != person_id:
        return None
    photo = read_photo(keys.photo(face.image_id, face.owner), table=table)
    return face if photo is not None and COMMUNITY in listing_scopes(photo) else None


def _same(face: Face | None, other: Face | None) -> bool:
    return (face and face.face_id) == (other and other.face_id)


def _take_over(person_id: str, face: Face, table: Table, blobs: Blobs) -> None:
    """Makes the picture of another program one of Sparks, before it is replaced: from then on it can be deleted."""
    item = table.get(keys.person(person_id)) or {}
    if not _is_external(item) or face.thumb_key is None or not has_blob(face.thumb_key, blobs=blobs):
        return
    with suppress(ConditionFailed):  # the picture is looked at again anyway
        table.write(Set(keys.person(person_id), {"pictureFaceId": face.face_id}, when=as_read(item, _PICTURE)))


def _is_external(item: Item) -> bool:
    """Whether the row names a picture of another program."""
    return "s3Key" in item and "pictureFaceId" not in item


def _replace(person_id: str, face: Face | None, table: Table, blobs: Blobs) -> bool:
    """Whether the row names the picture of this face, or none; not so where another process was faster. A picture of
    another program stays.
    """
    item = table.get(keys.person(person_id))
    key = picture_blob_key(person_id)
    if key is None or (item is not None and _is_external(item)):
        return True
    is_copied = item is not None and face is not None and _copied(face, key, blobs)
    if not is_copied:
        blobs.delete(key)
    if item is None:
        return True
    before = from_item(Person, item)
    face_id = None if face is None else face.face_id  # also of a face without a crop: it need not be tried again
    after = replace(before, picture_key=key if is_copied else None, picture_face_id=face_id)
    if after == before:
        return True
    try:
        table.write(changes(before, replace(after, updated_at=now()), when=as_read(item, _PICTURE)))
    except ConditionFailed:
        return False
    return True


def picture_blob_key(person_id: str) -> str | None:
    """None where another program made the id, and it cannot be part of a blob key."""
    try:
        return blob_keys.person_picture(person_id)
    except BadInput:
        return None


def _copied(face: Face, key: str, blobs: Blobs) -> bool:
    """False where the face has no crop: it was deleted, or could not be made."""
    if face.thumb_key is None:
        return False
    try:
        blobs.copy(face.thumb_key, key)
    except NotFound:
        return False
    return True


def _delete_rows(found: Iterable[Key], table: Table) -> None:
    for key in found:
        table.write(Delete(key))
