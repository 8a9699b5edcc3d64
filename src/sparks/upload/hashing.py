"""The hashes of bytes that nobody has hashed when they arrived: those that went straight to another store."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from sparks.library import keys
from sparks.library.albums import carry_over
from sparks.library.erasure import begin_deletion
from sparks.library.photos import NO_PHOTO, read_photo
from sparks.library.photos.writing import as_read
from sparks.library.records import changes, from_item, to_item
from sparks.model.errors import Busy, ConditionFailed, NotFound
from sparks.model.events import Event, PhotoChanged, PhotoDeleting, PhotoEvent
from sparks.model.photo import Photo, PhotoState
from sparks.model.pointer import SameBytes
from sparks.model.times import now
from sparks.table.port import Key, Table
from sparks.upload.digests import chunks_of, digests_of
from sparks.upload.recording import hash_rows, held_hashes, who_uploaded
from sparks.upload.tickets import Same, find_same

TRIES: Final = 20

_WATCHED: Final = ("entityType", "sha256")


class Duplicate(Exception):
    """The bytes are a photo that is there already."""

    def __init__(self, same: Same) -> None:
        super().__init__("the same bytes are another photo")
        self.same = same


def record_hashes(photo: Photo, file: int, *, table: Table) -> Photo:
    """The photo with the hashes of its bytes, by which it is found from now on. Duplicate where they are another one;
    NotFound where it is gone or being deleted.
    """
    if photo.sha256 is not None:
        return photo
    digests = digests_of(chunks_of(file))
    held: Mapping[Key, SameBytes] = {}
    for _ in range(TRIES):
        hashed = replace(photo, sha256=digests.sha256, sha1=digests.sha1)
        rows = hash_rows(hashed, held, at=now(), table=table)
        try:
            table.write(changes(photo, hashed, when=as_read(to_item(photo), _WATCHED)), *rows)
        except ConditionFailed as failed:
            if failed.position > 0:
                _look_for_another(hashed, digests.sha256, table)
                held = held_hashes(hashed, table)
                continue
            photo = _moved(failed)
            if photo.sha256 is not None:
                return photo
        else:
            return hashed
    raise Busy("the same bytes are being uploaded and deleted by many at once: try again later")


def drop_duplicate(event: PhotoEvent, same: Same, *, table: Table) -> Iterator[Event]:
    """It is given back, and goes; what follows for it, and for the one that stays."""
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    moved = photo is not None and carry_over(photo, same.photo, table=table)
    if photo is not None:
        begin_deletion(photo, table=table)
        yield PhotoDeleting(event.image_id, event.owner)
    if same.follows is not None:
        yield same.follows
    elif moved:
        yield PhotoChanged(same.photo.image_id, same.photo.owner)


def _look_for_another(photo: Photo, sha256: str, table: Table) -> None:
    same = find_same(who_uploaded(photo), sha256, at=now(), until=photo.expires_at, table=table)
    if same is not None and same.photo.image_id != photo.image_id:
        raise Duplicate(same)


def _moved(failed: ConditionFailed) -> Photo:
    """The photo as it is by now."""
    photo = None if failed.found is None else from_item(Photo, dict(failed.found))
    if photo is None or photo.state is PhotoState.DELETING:
        raise NotFound(NO_PHOTO) from failed
    return photo
