"""Photos and bytes taken from the owner's limit on reservation, and given back on deletion.

The limit moves in the transaction that writes the photo's row, and only if that row is unchanged. So everything may be
repeated: by the adapter, whose client token counts a lost response once; by the loops here, which go on only after a
write without effect; and by a caller days later, who finds the row changed already. The limit is the last change of
each transaction, because the first failing change is reported, and a repeat must fail at its own row rather than at the
limit.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from sparks.library import entity_types, keys
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.library.upload_limits.account_limit import BYTES, NO_LIMIT, PHOTOS, TRIES, amount_text, checked_amount
from sparks.model.account import UploadLimit
from sparks.model.errors import BadInput, Busy, ConditionFailed, Conflict, NotFound, UploadLimitReached
from sparks.model.photo import HIDDEN, Photo, PhotoState
from sparks.model.times import has_passed, iso
from sparks.table.port import (
    Absent,
    Add,
    AtLeast,
    AttributeAbsent,
    Change,
    Check,
    Conditions,
    Equals,
    NotEquals,
    Present,
    Put,
    Table,
)

OVER: Final = "this upload was canceled or took too long: begin a new one"
OTHER: Final = "this upload was begun with other values, such as another size: begin a new one"

_ANY_AMOUNT: Final = -(10**30)
_MILLISECOND: Final = timedelta(milliseconds=1)


def reserve_photo(photo: Photo, *more_changes: Change, table: Table) -> None:
    """Creates the row of a RESERVED photo and takes one photo and its bytes from its owner's limit, together with
    `more_changes`.

    UploadLimitReached where not enough is left; ConditionFailed where one of `more_changes` fails, by its position. A
    repeat is harmless, whatever became of the photo; Conflict if it is being deleted, or was reserved with another size
    or for another user.

    The server makes an image id for one request, so an id of another user's photo, or of a deleted one, can only be a
    mistake. The former is looked up, since no condition can name a row of an unknown owner. The latter is a new
    reservation: it takes from the limit again as it creates a row again, and it expires.
    """
    size = _size_of(photo)
    if photo.state is not PhotoState.RESERVED:
        raise BadInput("a photo begins as a reserved one")
    there = table.query(keys.photo_rows(photo.image_id), keys.PHOTOS, limit=1).items
    if there and there[0]["SK"] != key_of(photo).sk:
        raise Conflict("this id belongs to another user's photo")
    try:
        first = Put(to_item(photo), when=(Absent(),))
        _write(first, *more_changes, email=photo.owner, photos=-1, size=-size, table=table)
    except ConditionFailed as failed:
        if failed.position > 0:
            raise ConditionFailed(failed.position - 1, failed.found) from failed
        _check_reserved(photo, failed.found)


def confirm_photo(before: Photo, after: Photo, *more_changes: Change, at: datetime, table: Table) -> None:
    """Makes a RESERVED photo a PENDING one, together with `more_changes`. If its size differs, so does the limit:
    UploadLimitReached where not enough is left. It expires at its `kept_until`, or never.

    A repeat with the same bytes is harmless. NotFound where the reservation was canceled, or has expired `at` that
    time; ConditionFailed where one of `more_changes` fails, by its position among them.
    """
    growth = _size_of(after) - _size_of(before)
    if before.state is not PhotoState.RESERVED or after.state is not PhotoState.PENDING:
        raise BadInput("a reserved photo becomes a pending one")
    if after.expires_at != before.kept_until or (after.ttl is None) is not (after.expires_at is None):
        raise BadInput("a photo that is confirmed expires when its uploader said so, or never")
    change = changes(before, after, when=(*_as_seen(before), *_not_over(before, at)))
    try:
        if growth:
            _write(change, *more_changes, email=before.owner, photos=0, size=-growth, table=table)
        else:
            table.write(change, *more_changes)
    except ConditionFailed as failed:
        if failed.position > 0:
            raise ConditionFailed(failed.position - 1, failed.found) from failed
        _check_confirmed(after, failed.found, at=at)


def release_photo(photo: Photo, *more_changes: Change, table: Table) -> None:
    """Makes the photo one that is being deleted and gives it back to its owner's limit, together with `more_changes`.

    Nothing happens where it is deleted or being deleted already. Where the limit is deleted, the photo is released all
    the same. Conflict where a photo that was read as reserved or trashed is not any more: a sweep must not delete one
    that was confirmed or restored meanwhile. ConditionFailed where one of `more_changes` fails, by its position.
    """
    seen: Photo | None = photo
    for _ in range(TRIES):
        if seen is None or seen.state is PhotoState.DELETING:
            return
        # Without a ttl, so that the table does not drop the row before the photo's blobs and other rows are deleted.
        deleting = replace(seen, state=PhotoState.DELETING, ttl=None)
        change = changes(seen, deleting, when=_as_seen(seen))
        try:
            _credit(change, *more_changes, photo=seen, table=table)
        except ConditionFailed as failed:
            if 0 < failed.position <= len(more_changes):
                raise ConditionFailed(failed.position - 1, failed.found) from failed
            if failed.position == 0:
                seen = _look_again(seen, failed.found)
        else:
            return
    raise Busy("this photo is being changed by other requests: try again later")


# -- Writing


def _write(*others: Change, email: str, photos: int, size: int, table: Table) -> None:
    """Writes the others, and moves the limit by so many photos and bytes: ConditionFailed where one of the others
    fails, NotFound or UploadLimitReached where the limit does.

    An imported row has no bytes. It is tried without them, and with them again in case they were set meanwhile.
    """
    for with_bytes in (True, False, True):
        try:
            table.write(*others, _move(email, photos, size, with_bytes=with_bytes))
        except ConditionFailed as failed:
            if failed.position < len(others):
                raise
            if failed.found is None:
                raise NotFound(NO_LIMIT) from failed
            if (BYTES.left in failed.found) is with_bytes:
                raise _reached(failed.found, photos, size) from failed
        else:
            return
    raise Busy("this limit is being changed by other requests: try again later")


def _credit(*others: Change, photo: Photo, table: Table) -> None:
    try:
        _write(*others, email=photo.owner, photos=1, size=photo.file_size or 0, table=table)
    except NotFound:
        table.write(*others, Check(keys.upload_limit(photo.owner), (Absent(),)))


def _move(email: str, photos: int, size: int, *, with_bytes: bool) -> Add:
    amounts = {PHOTOS.left: photos} | ({BYTES.left: size} if with_bytes else {})
    enough_left = [AtLeast(name, -amount if amount < 0 else _ANY_AMOUNT) for name, amount in amounts.items()]
    unlimited = () if with_bytes else (AttributeAbsent(BYTES.left),)
    return Add(keys.upload_limit(email), amounts, when=(*enough_left, *unlimited))


def _as_seen(photo: Photo) -> Conditions:
    """The size is the one that is counted; and the photo has not left the trash, or become more than a reservation.
    Without a size, which only rows of other writers lack or hold in a form that is not read, none is counted.
    """
    size = () if photo.file_size is None else (Equals("fileSize", photo.file_size),)
    if photo.state in HIDDEN:
        return Equals("entityType", entity_types.photo(photo.state, photo.visibility, photo.owner).value), *size
    return Present(), NotEquals("entityType", entity_types.DELETING.value), *size


def _not_over(photo: Photo, at: datetime) -> Conditions:
    if photo.expires_at is None:
        return (AttributeAbsent("expiresAt"),)
    return (AtLeast("expiresAt", iso(at + _MILLISECOND)),)


# -- Repeats and mistakes


def _check_reserved(photo: Photo, found: Mapping[str, Any] | None) -> None:
    there = _photo(found)
    if there is None or there.state is PhotoState.DELETING:
        raise Conflict(OVER)
    if there.state is PhotoState.RESERVED and there.file_size != photo.file_size:
        raise Conflict(OTHER)


def _check_confirmed(photo: Photo, found: Mapping[str, Any] | None, *, at: datetime) -> None:
    there = _photo(found)
    if there is None or there.state is PhotoState.DELETING:
        raise NotFound(OVER)
    if there.state is PhotoState.RESERVED:
        raise NotFound(OVER) if has_passed(there.expires_at, at=at) else Conflict(OTHER)
    hashes = {there.sha256, photo.sha256} - {None}  # the bytes may be hashed later
    if there.file_size != photo.file_size or len(hashes) > 1:
        raise Conflict("another file was uploaded under this id: begin a new upload")


def _look_again(seen: Photo, found: Mapping[str, Any] | None) -> Photo | None:
    there = _photo(found)
    if there is None or there.state in {PhotoState.DELETING, seen.state} or seen.state not in HIDDEN:
        return there
    raise Conflict("this photo was completed or restored meanwhile: look at it again before it is deleted")


def _photo(found: Mapping[str, Any] | None) -> Photo | None:
    return None if found is None else from_item(Photo, dict(found))


def _size_of(photo: Photo) -> int:
    if photo.file_size is None:
        raise BadInput("the size in bytes is missing")
    return checked_amount(photo.file_size, BYTES)


def _reached(found: Mapping[str, Any], photos: int, size: int) -> UploadLimitReached:
    limit = from_item(UploadLimit, dict(found))
    needed = f"{amount_text(-photos, PHOTOS)} and {amount_text(-size, BYTES)}" if photos else f"{-size:,} more bytes"
    left = amount_text(limit.photos_left, PHOTOS)
    if limit.bytes_left is not None:
        left += f" and {amount_text(limit.bytes_left, BYTES)}"
    return UploadLimitReached(
        f"this upload needs {needed}, and what is left is {left}: ask an administrator for more",
        photos_left=limit.photos_left,
        bytes_left=limit.bytes_left,
    )
