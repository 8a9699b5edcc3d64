"""Deleting a photo for good: hidden and given back first, then its objects, counters and rows, the image row last.

Every step finds its work done already when it runs again, so a deletion that was interrupted is simply begun anew.
"""

from collections.abc import Sequence

from sparks.blobs.port import Blobs
from sparks.library import keys, objects
from sparks.library.limits import give_back
from sparks.library.limits.account import TRIES
from sparks.library.people import delete_face, leave_people
from sparks.library.photos import read_photo, settle_links
from sparks.library.records import from_item, key_of
from sparks.library.sharing.counting import given_back
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.face import Face
from sparks.model.photo import Photo
from sparks.model.scope import Scope
from sparks.model.share import who_is_guest
from sparks.model.times import now
from sparks.table.port import Change, Delete, Equals, Item, Key, Table, every


def begin_deletion(photo: Photo, *, also: Sequence[Change] = (), table: Table) -> None:
    """From now on nobody sees it, its owner has it back in the limit, and the same bytes may come again. `also` is part
    of the same transaction. Nothing happens where it is gone or being deleted already.

    Conflict where a photo that was seen as reserved or trashed is so no more; ConditionFailed where a change of `also`
    fails, or the same bytes were uploaded again this very moment.
    """
    for _ in range(TRIES):
        counted = given_back(photo, table=table)
        try:
            return give_back(photo, *counted, *_same_bytes(photo, table), *also, table=table)
        except ConditionFailed as failed:
            if failed.position >= len(counted):
                raise  # else a link was revoked or given caps meanwhile
    raise Busy("this photo's link is being changed by many at once: try again later")


def erase_photo(photo: Photo, *, also: Sequence[Change] = (), table: Table, blobs: Blobs) -> frozenset[Scope]:
    """None of its rows and blobs is left when this returns; the scopes whose persons it showed, until now. It begins as
    `begin_deletion` does.

    What else may hold its id, `forget_photo` takes care of: copies of months, jobs, open pages.
    """
    begin_deletion(photo, also=also, table=table)
    hidden = read_photo(key_of(photo), table=table)  # as the pipeline left it: from now on it adds nothing
    if hidden is None:
        return frozenset()
    settle_links(hidden.image_id, hidden.owner, table=table)
    touched = leave_people(hidden, table=table)
    rows = list(every(table, keys.photo_rows(hidden.image_id)))
    faces = [from_item(Face, row) for row in rows if row["SK"].startswith(keys.FACES.text)]
    if hidden.upload_id is not None:
        blobs.abort_upload(objects.upload(hidden.image_id), hidden.upload_id)
    for key in _objects(hidden, faces, blobs):
        blobs.delete(key)
    for face in faces:
        delete_face(face, at=now(), table=table)
    for row in rows:
        if _key(row) != key_of(hidden):
            table.write(Delete(_key(row)))
    for change in _same_bytes(hidden, table):  # hashed since the photo was read
        try:
            table.write(change)
        except ConditionFailed:
            continue  # another run was faster
    table.write(Delete(key_of(hidden)))
    return touched


def _same_bytes(photo: Photo, table: Table) -> list[Change]:
    """The same bytes may be uploaded again from then on. A photo that was only reserved has told a hash, perhaps, and
    the row may be another photo's.
    """
    who = photo.owner if photo.guest_id is None else who_is_guest(photo.guest_id)
    told = [keys.same_bytes(who, digest) for digest in (photo.sha256, photo.sha1) if digest is not None]
    found = table.get_many(told)
    mine = [key for key, item in found.items() if item.get("imageId") == photo.image_id]
    return [Delete(key, (Equals("imageId", photo.image_id),)) for key in mine]


def _objects(photo: Photo, faces: list[Face], blobs: Blobs) -> set[str]:
    """Also what was stored and not yet noted when whoever did so was killed."""
    noted = {} if photo.renditions is None else photo.renditions.keys
    crops = [face.thumb_key for face in faces if face.thumb_key is not None]
    original = [] if photo.original_key is None else [photo.original_key]
    prefixes = objects.originals_of(photo.image_id), objects.made_of(photo.image_id)
    stored = [blob.key for prefix in prefixes for blob in blobs.list(prefix).blobs]
    return {objects.upload(photo.image_id), *original, *noted.values(), *crops, *stored}


def _key(row: Item) -> Key:
    return Key(row["PK"], row["SK"])
