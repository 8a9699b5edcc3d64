"""Deleting a photo for good: hidden and given back first, then its objects, counters and rows, the image row last.

Every step finds its work done already when it runs again, so a deletion that was interrupted is simply begun anew.
"""

from collections.abc import Sequence

from sparks.blobs.port import Blobs
from sparks.library import keys, objects
from sparks.library.limits import give_back
from sparks.library.photos import settle_links
from sparks.library.records import from_item, key_of
from sparks.model.errors import ConditionFailed
from sparks.model.face import Face
from sparks.model.photo import Photo, Rendition
from sparks.model.share import who_is_guest
from sparks.table.port import Change, Delete, Equals, Item, Key, Table, every


def begin_deletion(photo: Photo, *, also: Sequence[Change] = (), table: Table) -> None:
    """From now on nobody sees it, its owner has it back in the limit, and the same bytes may come again. `also` is part
    of the same transaction. Nothing happens where it is gone or being deleted already.

    Conflict where a photo that was seen as reserved or trashed is so no more; ConditionFailed where a change of `also`
    fails, or the same bytes were uploaded again this very moment.
    """
    give_back(photo, *_same_bytes(photo, table), *also, table=table)


def erase_photo(photo: Photo, *, also: Sequence[Change] = (), table: Table, blobs: Blobs) -> None:
    """Nothing of it is left when this returns. It begins as `begin_deletion` does."""
    begin_deletion(photo, also=also, table=table)
    item = table.get(key_of(photo))
    if item is None:
        return
    hidden = from_item(Photo, item)  # as the pipeline left it: from now on it adds nothing
    settle_links(hidden.image_id, hidden.owner, table=table)
    rows = list(every(table, keys.photo_rows(hidden.image_id)))
    faces = [from_item(Face, row) for row in rows if row["SK"].startswith(keys.FACES.text)]
    for key in _objects(hidden, faces):
        blobs.delete(key)
    for face in faces:
        table.write(Delete(keys.face_by_id(face.face_id)))
    for row in rows:
        if _key(row) != key_of(hidden):
            table.write(Delete(_key(row)))
    for change in _same_bytes(hidden, table):  # hashed since the photo was read
        try:
            table.write(change)
        except ConditionFailed:
            continue  # another run was faster
    table.write(Delete(key_of(hidden)))


def _same_bytes(photo: Photo, table: Table) -> list[Change]:
    """The same bytes may be uploaded again from then on. A photo that was only reserved has told a hash, perhaps, and
    the row may be another photo's.
    """
    who = photo.owner if photo.guest_id is None else who_is_guest(photo.guest_id)
    told = [keys.same_bytes(who, digest) for digest in (photo.sha256, photo.sha1) if digest is not None]
    found = table.get_many(told)
    mine = [key for key, item in found.items() if item.get("imageId") == photo.image_id]
    return [Delete(key, (Equals("imageId", photo.image_id),)) for key in mine]


def _objects(photo: Photo, faces: list[Face]) -> set[str]:
    """Also the renditions that were made and not yet noted when whoever made them was killed."""
    made = {} if photo.renditions is None else photo.renditions.keys
    usual = [objects.rendition(photo.image_id, size) for size in Rendition]
    crops = [face.thumb_key for face in faces if face.thumb_key is not None]
    original = [] if photo.original_key is None else [photo.original_key]
    return {objects.upload(photo.image_id), *original, *made.values(), *usual, *crops}


def _key(row: Item) -> Key:
    return Key(row["PK"], row["SK"])
