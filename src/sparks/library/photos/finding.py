"""Finding a photo by its key or its id: what decides is asked so, and not of a list."""

from datetime import datetime

from sparks.library import keys
from sparks.library.photos.writing import NO_PHOTO
from sparks.library.records import from_item
from sparks.model.errors import BadInput, NotFound
from sparks.model.ids import checked_uuid
from sparks.model.photo import Photo, PhotoState
from sparks.model.times import has_passed
from sparks.table.port import Key, Table


def read_photo(key: Key, *, table: Table) -> Photo | None:
    """The photo under this key as it is now, whatever its state; None where there is none (any more)."""
    item = table.get(key)
    return None if item is None else from_item(Photo, item)


def find_photo(image_id: str, *, table: Table) -> Photo | None:
    """The photo's row, whatever its state; None where there is none, or this is no id."""
    try:
        rows = table.query(keys.photo_rows(checked_uuid(image_id)), keys.PHOTOS, limit=1).items
    except BadInput:
        return None
    return from_item(Photo, rows[0]) if rows else None


def get_photo(image_id: str, *, at: datetime, table: Table) -> Photo:
    """The photo as its owner still has it: NotFound where it is gone, being deleted or expired."""
    photo = find_photo(image_id, table=table)
    if photo is None or photo.state is PhotoState.DELETING or has_passed(photo.expires_at, at=at):
        raise NotFound(NO_PHOTO)
    return photo
