"""The moment when a reservation becomes a photo: its original is durable, and one transaction says so.

The photo takes its owner's bytes as its own in the same transaction (`HASH` rows, written only if absent). So of twenty
copies that arrive at once one becomes the photo, and all others are answered with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from sparks.blobs.port import Blobs
from sparks.library import keys, limits
from sparks.library.albums import carry_over
from sparks.library.erasure import begin_deletion
from sparks.library.photos import read_photo
from sparks.library.records import from_item, key_of, to_item
from sparks.library.sharing import as_link_says
from sparks.media.kinds import Kind
from sparks.model.errors import Busy, ConditionFailed, NotFound, NotSignedIn, UploadLimitReached
from sparks.model.events import Event, PhotoChanged, Uploaded
from sparks.model.photo import ORIGINAL, Photo, PhotoState, ProcessingStatus
from sparks.model.pointer import Expiry, SameBytes
from sparks.model.share import who_is_guest
from sparks.model.times import has_passed
from sparks.table.port import Absent, Change, Equals, Key, Put, Table
from sparks.upload.tickets import Same, find_same, give_up_upload
from sparks.upload.wish import BACKSTOP

TRIES: Final = 10


@dataclass(frozen=True, slots=True)
class Original:
    """The bytes as they are stored. Hashes are those that Sparks has made itself; where it has not, a job will."""

    key: str
    kind: Kind
    size: int
    sha256: str | None = None
    sha1: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The photo that these bytes are, a new one or a `duplicate`. `follows` is to be sent on, if anything."""

    photo: Photo
    duplicate: bool
    follows: Event | None


class Also(Protocol):
    def __call__(self, photo: Photo, *, duplicate: bool) -> Sequence[Change]:
        """What else is written in the transaction, now that it is known which photo the bytes are."""


def nothing_else(photo: Photo, *, duplicate: bool) -> Sequence[Change]:  # noqa: ARG001
    return ()


def record_upload(
    photo: Photo, original: Original, *, at: datetime, table: Table, blobs: Blobs, also: Also = nothing_else
) -> Recorded:
    """Makes a RESERVED photo a PENDING one, with the original that is stored already.

    Where the owner has these bytes, the reservation is given back, its blob goes, and the answer is the photo that is
    there. What a guest brings waits for the host where their link says so by now. A repeat with the same bytes is
    harmless. NotFound where the reservation was given up or is over, NotSignedIn where the guest's link was closed, and
    UploadLimitReached where it has become too large: the blob goes then too. ConditionFailed where one of `also` fails.
    """
    try:
        return _record(photo, original, at=at, table=table, blobs=blobs, also=also)
    except (NotFound, NotSignedIn, UploadLimitReached):
        give_up_upload(photo, original.key, table=table, blobs=blobs)
        raise


def _record(photo: Photo, original: Original, *, at: datetime, table: Table, blobs: Blobs, also: Also) -> Recorded:
    held: Mapping[Key, SameBytes] = {}
    for _ in range(TRIES):
        photo, still = as_link_says(photo, table=table)
        after = _arrived(photo, original, at)
        hashes = hash_rows(after, held, at=at, table=table)
        others = also(after, duplicate=False)
        try:
            limits.confirm(photo, after, *others, *still, *hashes, *_expiry_rows(after), at=at, table=table)
        except ConditionFailed as failed:
            if failed.position < len(others):
                raise
            same = _same(after, at=at, table=table)
            if same is not None and same.photo.image_id != photo.image_id:
                return _give_way(photo, same, original, table=table, blobs=blobs, also=also)
            held = held_hashes(after, table)
        else:
            return Recorded(after, duplicate=False, follows=Uploaded(after.image_id, after.owner))
    raise Busy("the same bytes are being uploaded and deleted by many at once: try again later")


def _same(photo: Photo, *, at: datetime, table: Table) -> Same | None:
    if photo.sha256 is None:
        return None
    return find_same(who_uploaded(photo), photo.sha256, at=at, until=photo.expires_at, table=table)


def _give_way(photo: Photo, same: Same, original: Original, *, table: Table, blobs: Blobs, also: Also) -> Recorded:
    """[Note: row first] The blob goes only once the reservation cannot be completed any more: somebody else may be
    completing it at this very moment, and the other photo may be deleted in that moment. The other photo is in the
    albums by then that this one was to be put into.
    """
    moved = carry_over(photo, same.photo, table=table)
    begin_deletion(photo, also=also(same.photo, duplicate=True), table=table)
    give_up_upload(photo, original.key, table=table, blobs=blobs)
    changed = PhotoChanged(same.photo.image_id, same.photo.owner) if moved else None
    return Recorded(same.photo, duplicate=True, follows=same.follows or changed)


def _arrived(photo: Photo, original: Original, at: datetime) -> Photo:
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
        uploaded_at=photo.created_at or at,
        last_modified=at,
        upload_id=None,
        kept_until=None,
        expires_at=photo.kept_until,
        ttl=None if photo.kept_until is None else photo.kept_until + BACKSTOP,
    )


def hash_rows(photo: Photo, held: Mapping[Key, SameBytes], *, at: datetime, table: Table) -> Iterator[Change]:
    """The owner's bytes are this photo from now on. What is `held` by one that is gone or expired is taken over; a sha1
    that another photo has, of other bytes, stays with that.
    """
    for digest in (photo.sha256, photo.sha1):
        if digest is None:
            continue
        same = SameBytes(who=who_uploaded(photo), digest=digest, image_id=photo.image_id, owner=photo.owner)
        holder = held.get(key_of(same))
        taken = holder is not None and _is_there(holder, at=at, table=table)
        if holder is not None and not taken:
            yield Put(to_item(same), when=(Equals("imageId", holder.image_id),))
        elif not taken or digest == photo.sha256:
            yield Put(to_item(same), when=(Absent(),))


def held_hashes(photo: Photo, table: Table) -> dict[Key, SameBytes]:
    """The rows that are there already for the photo's bytes."""
    who, digests = who_uploaded(photo), (photo.sha256, photo.sha1)
    asked = [keys.same_bytes(who, digest) for digest in digests if digest is not None]
    return {key: from_item(SameBytes, row) for key, row in table.get_many(asked).items()}


def _is_there(holder: SameBytes, *, at: datetime, table: Table) -> bool:
    photo = read_photo(keys.photo(holder.image_id, holder.owner), table=table)
    return photo is not None and photo.state is not PhotoState.DELETING and not has_passed(photo.expires_at, at=at)


def _expiry_rows(photo: Photo) -> list[Change]:
    if photo.expires_at is None:
        return []
    expiry = Expiry(image_id=photo.image_id, owner=photo.owner, expires_at=photo.expires_at)
    return [Put(to_item(expiry), when=(Absent(),))]


def who_uploaded(photo: Photo) -> str:
    """Whose bytes they are: the owner's, or those of the guest who brought them."""
    return photo.owner if photo.guest_id is None else who_is_guest(photo.guest_id)
