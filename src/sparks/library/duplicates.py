"""Duplicate originals: hash rows, lookup by hash, and their clean-up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.albums.album_photos import copy_album_membership
from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import restore_photo
from sparks.library.photos.photo_rows import NO_PHOTO, read_photo
from sparks.library.records import as_read, changes, from_item, key_of, to_item
from sparks.model.audience import is_kept
from sparks.model.errors import Busy, ConditionFailed, NotFound
from sparks.model.events import Event, PhotoChanged, PhotoDeletionBegun, PhotoEvent, Uploaded
from sparks.model.photo import BACKSTOP, HIDDEN, Photo, PhotoState
from sparks.model.photo_index import ContentDigest, Expiry
from sparks.model.share import who_is_guest
from sparks.model.times import has_passed, now
from sparks.table.port import Absent, Change, Delete, Equals, Key, Put, Table

TRIES: Final = 20

_WATCHED: Final = ("entityType", "sha256")
EXPIRY_TRIES: Final = 10
_WATCHED_FOR_EXPIRY: Final = ("entityType", "expiresAt")


@dataclass(frozen=True, slots=True)
class ExistingPhoto:
    """A photo of the same bytes. `follows` is to be sent where it was just restored from the trash, or got a later
    expiry.
    """

    photo: Photo
    follows: Event | None = None


class DuplicateOriginal(Exception):
    """The bytes are those of an existing photo."""

    def __init__(self, existing: ExistingPhoto) -> None:
        super().__init__("the same bytes are another photo")
        self.same = existing


def record_hashes(photo: Photo, *, sha256: str, sha1: str, table: Table) -> Photo:
    """The photo with the digests of its bytes, by which it is found from now on. DuplicateOriginal where another photo
    has them; NotFound where it is deleted or being deleted.
    """
    held: Mapping[Key, ContentDigest] = {}
    for _ in range(TRIES):
        hashed = replace(photo, sha256=sha256, sha1=sha1)
        rows = hash_rows(hashed, held, at=now(), table=table)
        try:
            table.write(changes(photo, hashed, when=as_read(to_item(photo), _WATCHED)), *rows)
        except ConditionFailed as failed:
            if failed.position > 0:
                _look_for_another(hashed, sha256, table)
                held = held_hashes(hashed, table)
                continue
            photo = _moved(failed)
            if photo.sha256 is not None:
                return photo
        else:
            return hashed
    raise Busy("the same bytes are being uploaded and deleted at the same time: try again later")


def drop_duplicate(event: PhotoEvent, existing: ExistingPhoto, *, table: Table) -> Iterator[Event]:
    """Deletes the duplicate; returns the events for it and for the photo that stays."""
    photo = read_photo(keys.photo(event.image_id, event.owner), table=table)
    moved = photo is not None and copy_album_membership(photo, existing.photo, table=table)
    if photo is not None:
        begin_deletion(photo, table=table)
        yield PhotoDeletionBegun(event.image_id, event.owner)
    if existing.follows is not None:
        yield existing.follows
    elif moved:
        yield PhotoChanged(existing.photo.image_id, existing.photo.owner)


def _look_for_another(photo: Photo, sha256: str, table: Table) -> None:
    same = find_existing_photo(uploader_of(photo), sha256, at=now(), until=photo.expires_at, table=table)
    if same is not None and same.photo.image_id != photo.image_id:
        raise DuplicateOriginal(same)


def _moved(failed: ConditionFailed) -> Photo:
    """The photo as it is by now."""
    photo = None if failed.found is None else from_item(Photo, dict(failed.found))
    if photo is None or photo.state is PhotoState.DELETING:
        raise NotFound(NO_PHOTO) from failed
    return photo


def outlives(photo: Photo, until: datetime | None) -> bool:
    """Whether the photo exists until then; None is for good."""
    return photo.expires_at is None or (until is not None and until <= photo.expires_at)


def extend_expiry(photo: Photo, until: datetime | None, *, table: Table) -> Photo:
    """The photo as it is now: it expires no sooner than `until`, and never where that is None. NotFound where it is
    deleted or being deleted.
    """
    for _ in range(EXPIRY_TRIES):
        if photo.state is PhotoState.DELETING:
            raise NotFound(NO_PHOTO)
        if outlives(photo, until):
            return photo
        kept = replace(photo, expires_at=until, ttl=None if until is None else until + BACKSTOP)
        try:
            table.write(changes(photo, kept, when=as_read(to_item(photo), _WATCHED_FOR_EXPIRY)), _expiry_row(kept))
        except ConditionFailed as failed:
            if failed.found is None:
                raise NotFound(NO_PHOTO) from failed
            photo = from_item(Photo, dict(failed.found))
        else:
            return kept
    raise Busy("this photo is being changed by other requests: try again later")


def _expiry_row(photo: Photo) -> Change:
    if photo.expires_at is None:
        return Delete(keys.expiry(photo.image_id))
    return Put(to_item(Expiry(image_id=photo.image_id, owner=photo.owner, expires_at=photo.expires_at)))


def hash_rows(photo: Photo, held: Mapping[Key, ContentDigest], *, at: datetime, table: Table) -> Iterator[Change]:
    """The rows that make this photo the uploader's photo of these bytes. A digest `held` by a photo that is deleted or
    expired is taken over; a sha1 of another photo, of other bytes, stays with that.
    """
    for digest in (photo.sha256, photo.sha1):
        if digest is None:
            continue
        same = ContentDigest(who=uploader_of(photo), digest=digest, image_id=photo.image_id, owner=photo.owner)
        holder = held.get(key_of(same))
        taken = holder is not None and _is_there(holder, at=at, table=table)
        if holder is not None and not taken:
            yield Put(to_item(same), when=(Equals("imageId", holder.image_id),))
        elif not taken or digest == photo.sha256:
            yield Put(to_item(same), when=(Absent(),))


def held_hashes(photo: Photo, table: Table) -> dict[Key, ContentDigest]:
    """The existing rows for the photo's digests."""
    uploader, digests = uploader_of(photo), (photo.sha256, photo.sha1)
    named = [keys.content_digest(uploader, digest) for digest in digests if digest is not None]
    return {key: from_item(ContentDigest, row) for key, row in table.get_many(named).items()}


def _is_there(holder: ContentDigest, *, at: datetime, table: Table) -> bool:
    photo = read_photo(keys.photo(holder.image_id, holder.owner), table=table)
    return photo is not None and is_kept(photo, at)


def uploader_of(photo: Photo) -> str:
    """The uploader by whom duplicates are found: the owner, or the guest."""
    return photo.owner if photo.guest_id is None else who_is_guest(photo.guest_id)


def find_existing_photo(
    uploader: str, sha256: str, *, at: datetime, until: datetime | None = None, table: Table
) -> ExistingPhoto | None:
    """The uploader's photo of these bytes, if its own are durable. One in the trash is restored, except for a guest,
    who must not undo what the host did. One that expires before `until` gets that expiry, or none where that is None.
    """
    row = table.get(keys.content_digest(uploader, sha256))
    held = None if row is None else from_item(ContentDigest, row)
    photo = None if held is None else read_photo(keys.photo(held.image_id, held.owner), table=table)
    if photo is None or has_passed(photo.expires_at, at=at):
        return None
    try:
        if photo.state is PhotoState.TRASHED and photo.guest_id is not None:
            return ExistingPhoto(photo)
        if photo.state is PhotoState.TRASHED:
            return _kept(_taken_out(photo, at=at, table=table), until, table)
        return None if photo.state in HIDDEN else _kept(ExistingPhoto(photo), until, table)
    except NotFound:
        return None


def _taken_out(photo: Photo, *, at: datetime, table: Table) -> ExistingPhoto:
    restored = restore_photo(photo, at=at, table=table)
    event = Uploaded if restored.state is PhotoState.PENDING else PhotoChanged
    return ExistingPhoto(restored, event(restored.image_id, restored.owner))


def _kept(existing: ExistingPhoto, until: datetime | None, table: Table) -> ExistingPhoto:
    """A photo without an expiry has months and tags, which one with an expiry has not."""
    if outlives(existing.photo, until):
        return existing
    photo = extend_expiry(existing.photo, until, table=table)
    return ExistingPhoto(photo, existing.follows or PhotoChanged(photo.image_id, photo.owner))
