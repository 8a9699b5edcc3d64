"""Guest uploads: counted against the link's caps, and queued where the link is moderated.

A photo is counted in the transaction that reserves it, and given back in the one that begins its deletion, together
with the owner's limit (`upload_limits.photo_usage`): each happens once. For the whole link the remaining amount is
stored and decreased, since two hundred guests upload at once. For one guest the amount is compared with what was read.

A reservation lasts for a day, and the host may switch moderation on meanwhile. So the link is read again when the
reservation becomes a photo, and that transaction checks that it is unchanged. The photo is hidden until then, so it may
be queued one step earlier.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from sparks.library import keys
from sparks.library.albums.album_photos import queue_reservation
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import as_read, from_item, key_of, to_item
from sparks.library.upload_limits.account_limit import TRIES
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.caller import GuestCaller
from sparks.model.errors import Busy, ConditionFailed, LinkFull, NotFound, NotSignedIn, UploadLimitReached
from sparks.model.photo import Photo
from sparks.model.share import Guest, GuestPhoto, LinkCaps, ShareLink, who_is_guest
from sparks.table.port import Add, AtLeast, AttributeAbsent, Change, Check, Condition, Equals, Present, Put, Table

COUNT: Final = "count"
BYTES: Final = "bytes"
PHOTOS_LEFT: Final = "photosLeft"
BYTES_LEFT: Final = "bytesLeft"

FULL: Final = "no more photos can be uploaded through this link: ask the person who sent it to you"
FULL_OF_BYTES: Final = "this link does not accept a file of this size any more: ask the person who sent it to you"
ENOUGH: Final = "you have uploaded as many photos as this link lets one guest upload: delete some, or ask the host"
ENOUGH_BYTES: Final = "you have uploaded as much as this link lets one guest upload: delete some, or ask the host"
CLOSED: Final = "this link was revoked just now: ask the person who sent it to you for another one"

_WHATEVER_IS_THERE: Final = -(10**30)


def remaining_of(link: ShareLink) -> tuple[int | None, int | None]:
    """The photos and bytes that may still come through it; None where there is no cap."""
    caps = link.caps or LinkCaps()
    photos = None if caps.photos is None else caps.photos - link.photo_count
    size = None if caps.bytes is None else caps.bytes - link.byte_count
    return photos, size


def reserve_for_guest(photo: Photo, caller: GuestCaller, *others: Change, table: Table) -> None:
    """Reserves a photo of a guest, together with `others`. LinkFull where a cap of the link, or the limit of the
    photo's owner, would be exceeded; NotSignedIn where the link was revoked meanwhile; ConditionFailed where one of the
    others fails, by its position. A repeat is harmless, as with `reserve_photo`.
    """
    for _ in range(TRIES):
        _check_caps(photo, caller)
        try:
            reserve_photo(photo, *others, *_taken(photo, caller), table=table)
        except ConditionFailed as failed:
            if failed.position < len(others):
                raise
            caller = _as_found(caller, failed)
        except UploadLimitReached as reached:
            raise LinkFull(FULL) from reached
        else:
            return
    raise Busy("many guests are uploading through this link right now: try again")


def released_changes(photo: Photo, *, table: Table) -> Sequence[Change]:
    """The changes that give a guest's photo back to the caps. None where the link or the guest is deleted;
    ConditionFailed where that happens meanwhile.
    """
    if photo.guest_id is None:
        return ()
    row = table.get(keys.guest_photo(photo.image_id, photo.guest_id))
    if row is None:
        return ()
    brought, size = from_item(GuestPhoto, row), photo.file_size or 0
    at_link, at_guest = keys.share_link(brought.link_id), keys.guest(brought.link_id, brought.guest_id)
    found, moves = table.get_many([at_link, at_guest]), list[Change]()
    if at_link in found:
        moves.append(_moved(from_item(ShareLink, found[at_link]), photos=-1, size=-size))
    if at_guest in found:
        moves.append(Add(at_guest, {COUNT: -1, BYTES: -size}, when=(Present(),)))
    return moves


def _taken(photo: Photo, caller: GuestCaller) -> Sequence[Change]:
    link, guest, size = caller.link, caller.guest, photo.file_size or 0
    brought = GuestPhoto(image_id=photo.image_id, owner=photo.owner, guest_id=guest.guest_id, link_id=link.link_id)
    as_read = (Present(), Equals(COUNT, guest.photo_count), Equals(BYTES, guest.byte_count))
    return (
        Put(to_item(brought)),
        _moved(link, photos=1, size=size),
        Add(key_of(guest), {COUNT: 1, BYTES: size}, when=as_read),
    )


def _moved(link: ShareLink, *, photos: int, size: int) -> Add:
    """The change of its numbers, which fails where a cap was set or removed, or would be exceeded."""
    amounts, conditions = {COUNT: photos, BYTES: size}, list[Condition]([Present()])
    for name, left, taken in ((PHOTOS_LEFT, link.photos_left, photos), (BYTES_LEFT, link.bytes_left, size)):
        if left is None:
            conditions.append(AttributeAbsent(name))
        else:
            amounts[name] = -taken
            conditions.append(AtLeast(name, taken if taken > 0 else _WHATEVER_IS_THERE))
    return Add(key_of(link), amounts, when=tuple(conditions))


def _check_caps(photo: Photo, caller: GuestCaller) -> None:
    """LinkFull where the guest, as they were read, or the link has no capacity left."""
    caps, guest, link, size = caller.link.caps or LinkCaps(), caller.guest, caller.link, photo.file_size or 0
    if caps.guest_photos is not None and guest.photo_count + 1 > caps.guest_photos:
        raise LinkFull(ENOUGH)
    if caps.guest_bytes is not None and guest.byte_count + size > caps.guest_bytes:
        raise LinkFull(ENOUGH_BYTES)
    if link.photos_left is not None and link.photos_left < 1:
        raise LinkFull(FULL)
    if link.bytes_left is not None and link.bytes_left < size:
        raise LinkFull(FULL_OF_BYTES)


def _as_found(caller: GuestCaller, failed: ConditionFailed) -> GuestCaller:
    """The caller, with the changed row."""
    if failed.found is None:
        raise NotSignedIn(CLOSED) from failed
    found: dict[str, Any] = dict(failed.found)
    if found["SK"] == key_of(caller.link).sk:
        return replace(caller, link=from_item(ShareLink, found))
    return replace(caller, guest=from_item(Guest, found))


def queue_if_moderated(photo: Photo, *, table: Table) -> tuple[Photo, Sequence[Check]]:
    """A reserved photo as it is now, queued if it is of a guest of a moderated link; and the conditions for it to
    become a photo. NotSignedIn where the link is revoked.
    """
    row = None if photo.guest_id is None else table.get(keys.guest_photo(photo.image_id, photo.guest_id))
    if row is None:
        return photo, ()
    brought = from_item(GuestPhoto, row)
    item = table.get(keys.share_link(brought.link_id))
    if item is None:
        raise NotSignedIn(CLOSED)
    link = from_item(ShareLink, item)
    if link.moderated:
        photo = _queued(photo, link, by=who_is_guest(brought.guest_id), table=table)
    return photo, (Check(key_of(link), as_read(item, ("moderated",))),)


def _queued(photo: Photo, link: ShareLink, *, by: str, table: Table) -> Photo:
    with suppress(NotFound):  # it was canceled: its confirmation raises the error
        queue_reservation(photo, link.album_id, by=by, table=table)
    now = read_photo(key_of(photo), table=table)
    return photo if now is None else replace(photo, albums=now.albums, albums_version=now.albums_version)
