"""Transaction that turns a reservation into a photo.

The same transaction writes the content digests (`HASH` rows, only if absent). So of twenty copies that arrive at once,
one becomes the photo, and the other uploads get that photo as their result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from sparks.blobs.port import Blobs
from sparks.library.albums.album_photos import copy_album_membership
from sparks.library.duplicates import ExistingPhoto, find_existing_photo, hash_rows, held_hashes, uploader_of
from sparks.library.photo_deletion import begin_deletion
from sparks.library.records import to_item
from sparks.library.sharing.guest_uploads import queue_if_moderated
from sparks.library.upload_limits.photo_usage import confirm_photo
from sparks.media.file_types import FileType
from sparks.model.errors import Busy, ConditionFailed, NotFound, NotSignedIn, UploadLimitReached
from sparks.model.events import Event, PhotoChanged, Uploaded
from sparks.model.photo import BACKSTOP, ORIGINAL, Photo, PhotoState, ProcessingStatus
from sparks.model.photo_index import ContentDigest, Expiry
from sparks.table.port import Absent, Change, Key, Put, Table
from sparks.uploads.reservations import cancel_upload

MAX_TRIES: Final = 10


@dataclass(frozen=True, slots=True)
class StoredOriginal:
    """The stored file. Hashes are those that Sparks has computed; where they are None, a job computes them."""

    key: str
    kind: FileType
    size: int
    sha256: str | None = None
    sha1: str | None = None


@dataclass(frozen=True, slots=True)
class FinalizedUpload:
    """The photo with these bytes, new or a `duplicate`. The caller must send the event `follows`, if there is one."""

    photo: Photo
    duplicate: bool
    follows: Event | None


class ExtraChanges(Protocol):
    def __call__(self, photo: Photo, *, duplicate: bool) -> Sequence[Change]:
        """Changes for the same transaction, once it is known which photo the bytes are."""


def no_extra_changes(photo: Photo, *, duplicate: bool) -> Sequence[Change]:  # noqa: ARG001
    return ()


def finalize_upload(
    photo: Photo,
    original: StoredOriginal,
    *,
    at: datetime,
    table: Table,
    blobs: Blobs,
    also: ExtraChanges = no_extra_changes,
) -> FinalizedUpload:
    """Turns a RESERVED photo, whose original is stored, into a PENDING one. A repeat with the same bytes is harmless.

    If the uploader has these bytes already, the reservation is cancelled, its blob is deleted, and the result is the
    existing photo. A guest's upload waits for approval if their link is moderated by now. NotFound where the
    reservation was cancelled or has expired, NotSignedIn where the guest's link was revoked, UploadLimitReached where
    the file is too large for the limit: the blob is deleted then too. ConditionFailed where one of `also` fails.
    """
    try:
        return _finalize(photo, original, at=at, table=table, blobs=blobs, also=also)
    except (NotFound, NotSignedIn, UploadLimitReached):
        cancel_upload(photo, original.key, table=table, blobs=blobs)
        raise


def _finalize(
    photo: Photo, original: StoredOriginal, *, at: datetime, table: Table, blobs: Blobs, also: ExtraChanges
) -> FinalizedUpload:
    held: Mapping[Key, ContentDigest] = {}
    for _ in range(MAX_TRIES):
        photo, link_checks = queue_if_moderated(photo, table=table)
        after = _pending(photo, original, at)
        hashes = hash_rows(after, held, at=at, table=table)
        others = also(after, duplicate=False)
        try:
            confirm_photo(photo, after, *others, *link_checks, *hashes, *_expiry_rows(after), at=at, table=table)
        except ConditionFailed as failed:
            if failed.position < len(others):
                raise
            existing = _existing(after, at=at, table=table)
            if existing is not None and existing.photo.image_id != photo.image_id:
                return _use_existing(photo, existing, original, table=table, blobs=blobs, also=also)
            held = held_hashes(after, table)
        else:
            return FinalizedUpload(after, duplicate=False, follows=Uploaded(after.image_id, after.owner))
    raise Busy("other requests upload and delete the same bytes at the same time: try again later")


def _existing(photo: Photo, *, at: datetime, table: Table) -> ExistingPhoto | None:
    if photo.sha256 is None:
        return None
    return find_existing_photo(uploader_of(photo), photo.sha256, at=at, until=photo.expires_at, table=table)


def _use_existing(
    photo: Photo, existing: ExistingPhoto, original: StoredOriginal, *, table: Table, blobs: Blobs, also: ExtraChanges
) -> FinalizedUpload:
    """Puts the existing photo into the albums of the reservation, and cancels the reservation.

    The blob is deleted only once the reservation cannot be completed any more: another request may be completing it
    while the existing photo is being deleted.
    """
    moved = copy_album_membership(photo, existing.photo, table=table)
    begin_deletion(photo, also=also(existing.photo, duplicate=True), table=table)
    cancel_upload(photo, original.key, table=table, blobs=blobs)
    changed = PhotoChanged(existing.photo.image_id, existing.photo.owner) if moved else None
    return FinalizedUpload(existing.photo, duplicate=True, follows=existing.follows or changed)


def _pending(photo: Photo, original: StoredOriginal, at: datetime) -> Photo:
    return replace(
        photo,
        state=PhotoState.PENDING,
        processing_status=ProcessingStatus.PENDING,
        original_key=original.key,
        mime_type=original.kind.mime,
        asset_type=original.kind.asset_type,
        file_size=original.size,
        sha256=original.sha256,
        sha1=original.sha1,
        sizes=(ORIGINAL,),
        uploaded_at=at,
        updated_at=at,
        last_modified=at,
        upload_id=None,
        kept_until=None,
        expires_at=photo.kept_until,
        ttl=None if photo.kept_until is None else photo.kept_until + BACKSTOP,
    )


def _expiry_rows(photo: Photo) -> list[Change]:
    if photo.expires_at is None:
        return []
    expiry = Expiry(image_id=photo.image_id, owner=photo.owner, expires_at=photo.expires_at)
    return [Put(to_item(expiry), when=(Absent(),))]
