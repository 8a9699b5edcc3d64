"""Reads a photo's row, and writes it back only if what matters is unchanged.

The watched attributes together show every change by people, the pipeline and a deletion that a plan depends on. So the
pipeline undoes no edit; a photo that was made private, trashed or deleted while it was processed stays so; and an edit
need not wait for the pipeline. Attributes of face detection are not watched.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.records import as_read, changes, from_item, read_item, to_item
from sparks.model.access import NOT_THERE
from sparks.model.audience import is_kept
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotFound
from sparks.model.ids import checked_uuid
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Key, Table

NO_PHOTO: Final = NOT_THERE.format("photo")
TRIES: Final = 20

_WATCHED: Final = ("entityType", "version", "processingStatus", "sizes")

Plan = Callable[[Photo], Photo]


def update_photo(photo: Photo, plan: Plan, *, watching: Iterable[str] = (), table: Table) -> Photo:
    """The photo as `plan` makes it, planned again where another process was faster; nothing is written where the plan
    changes nothing. `watching` are further attributes that the plan uses. NotFound where it is deleted or being
    deleted.
    """
    item, watched = to_item(photo), (*_WATCHED, *watching)
    for _ in range(TRIES):
        if photo.state is PhotoState.DELETING:
            raise NotFound(NO_PHOTO)
        planned = plan(photo)
        if planned == photo:
            return photo
        try:
            table.write(changes(photo, planned, when=as_read(item, watched)))
        except ConditionFailed as failed:
            if failed.found is None:
                raise NotFound(NO_PHOTO) from failed
            item = dict(failed.found)
            photo = from_item(Photo, item)
        else:
            return planned
    raise Busy("this photo is being changed by other requests: try again later")


def read_photo(key: Key, *, table: Table) -> Photo | None:
    """The photo under this key in any state; None where there is none, or the row is not one."""
    item = table.get(key)
    return None if item is None else read_item(Photo, item)


def find_photo(image_id: str, *, table: Table) -> Photo | None:
    """The photo in any state; None where there is none, the row is not one, or this is no id."""
    try:
        rows = table.query(keys.photo_rows(checked_uuid(image_id)), keys.PHOTOS, limit=1).items
    except BadInput:
        return None
    return read_item(Photo, rows[0]) if rows else None


def get_photo(image_id: str, *, at: datetime, table: Table) -> Photo:
    """The photo as its owner still has it: NotFound where it is deleted, being deleted or expired."""
    photo = find_photo(image_id, table=table)
    if photo is None or not is_kept(photo, at):
        raise NotFound(NO_PHOTO)
    return photo
