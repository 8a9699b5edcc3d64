"""A photo that is to go by itself, and is uploaded once more to stay for longer: it does."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.photos import NO_PHOTO
from sparks.library.photos.writing import as_read
from sparks.library.records import changes, from_item, to_item
from sparks.model.errors import Busy, ConditionFailed, NotFound
from sparks.model.photo import Photo, PhotoState
from sparks.model.pointer import Expiry
from sparks.table.port import Change, Delete, Put, Table
from sparks.upload.wish import BACKSTOP

TRIES: Final = 10

_WATCHED: Final = ("entityType", "expiresAt")


def lasts(photo: Photo, until: datetime | None) -> bool:
    """Whether it is there until then; for good, where that is None."""
    return photo.expires_at is None or (until is not None and until <= photo.expires_at)


def keep_until(photo: Photo, until: datetime | None, *, table: Table) -> Photo:
    """The photo as it is now: it expires no sooner than that, and never where that is None. NotFound where it is gone
    or being deleted.
    """
    for _ in range(TRIES):
        if photo.state is PhotoState.DELETING:
            raise NotFound(NO_PHOTO)
        if lasts(photo, until):
            return photo
        kept = replace(photo, expires_at=until, ttl=None if until is None else until + BACKSTOP)
        try:
            table.write(changes(photo, kept, when=as_read(to_item(photo), _WATCHED)), _expiry_row(kept))
        except ConditionFailed as failed:
            if failed.found is None:
                raise NotFound(NO_PHOTO) from failed
            photo = from_item(Photo, dict(failed.found))
        else:
            return kept
    raise Busy("this photo is being changed by many at once: try again later")


def _expiry_row(photo: Photo) -> Change:
    if photo.expires_at is None:
        return Delete(keys.expiry(photo.image_id))
    return Put(to_item(Expiry(image_id=photo.image_id, owner=photo.owner, expires_at=photo.expires_at)))
