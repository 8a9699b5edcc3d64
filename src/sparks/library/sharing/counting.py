"""What guests bring, counted: against the caps of the link, in all and for each guest.

[Note: exact] A photo is counted in the transaction that reserves it, and given back in the one that makes it one that
is being deleted, together with the limit of its owner (`limits.photos`): each goes through once. Of what may come
through a link in all, what is left is kept and taken from, since two hundred guests upload at once. Of a guest, of whom
there is one, what is there is compared with what was read.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sparks.library import keys, limits
from sparks.library.limits.account import TRIES
from sparks.library.records import from_item, key_of, to_item
from sparks.model.caller import GuestCaller
from sparks.model.errors import Busy, ConditionFailed, LinkFull, NotSignedIn, UploadLimitReached
from sparks.model.photo import Photo
from sparks.model.share import Caps, Guest, GuestPhoto, ShareLink
from sparks.table.port import Add, AtLeast, AttributeAbsent, Change, Condition, Equals, Present, Put, Table

COUNT: Final = "count"
BYTES: Final = "bytes"
PHOTOS_LEFT: Final = "photosLeft"
BYTES_LEFT: Final = "bytesLeft"

FULL: Final = "no more photos can be uploaded through this link: ask whoever gave it to you"
FULL_OF_BYTES: Final = "not enough room is left behind this link for a file of this size: ask whoever gave it to you"
ENOUGH: Final = "you have uploaded as many photos as this link lets one guest upload: delete some, or ask the host"
ENOUGH_BYTES: Final = "you have uploaded as much as this link lets one guest upload: delete some, or ask the host"
CLOSED: Final = "this link was closed just now: ask whoever gave it to you for another one"

_WHATEVER_IS_THERE: Final = -(10**30)


def left_of(link: ShareLink) -> tuple[int | None, int | None]:
    """How many photos and bytes may still come through it; None where that has no end."""
    caps = link.caps or Caps()
    photos = None if caps.photos is None else caps.photos - link.photo_count
    size = None if caps.bytes is None else caps.bytes - link.byte_count
    return photos, size


def reserve_for_guest(photo: Photo, caller: GuestCaller, *others: Change, table: Table) -> None:
    """Reserves a photo that a guest brings, together with `others`. LinkFull where a cap of the link, or the limit of
    the photo's owner, would be passed; NotSignedIn where the link was closed meanwhile; ConditionFailed where one of
    the others fails, by its position. A repeat is harmless, as with `limits.reserve`.
    """
    for _ in range(TRIES):
        _check_room(photo, caller)
        try:
            limits.reserve(photo, *others, *_taken(photo, caller), table=table)
        except ConditionFailed as failed:
            if failed.position < len(others):
                raise
            caller = _as_found(caller, failed)
        except UploadLimitReached as reached:
            raise LinkFull(FULL) from reached
        else:
            return
    raise Busy("many upload through this link at this moment: try again")


def given_back(photo: Photo, *, table: Table) -> Sequence[Change]:
    """What is written where a guest's photo goes: what it took is there for others again. Nothing where the link or the
    guest is gone; ConditionFailed where that is so just now.
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
    """Its numbers moved by so much, if what has an end has it still, and that is not passed."""
    amounts, conditions = {COUNT: photos, BYTES: size}, list[Condition]([Present()])
    for name, left, taken in ((PHOTOS_LEFT, link.photos_left, photos), (BYTES_LEFT, link.bytes_left, size)):
        if left is None:
            conditions.append(AttributeAbsent(name))
        else:
            amounts[name] = -taken
            conditions.append(AtLeast(name, taken if taken > 0 else _WHATEVER_IS_THERE))
    return Add(key_of(link), amounts, when=tuple(conditions))


def _check_room(photo: Photo, caller: GuestCaller) -> None:
    """LinkFull where the guest, as they were read, has brought enough, or the link lets no more in."""
    caps, guest, link, size = caller.link.caps or Caps(), caller.guest, caller.link, photo.file_size or 0
    if caps.guest_photos is not None and guest.photo_count + 1 > caps.guest_photos:
        raise LinkFull(ENOUGH)
    if caps.guest_bytes is not None and guest.byte_count + size > caps.guest_bytes:
        raise LinkFull(ENOUGH_BYTES)
    if link.photos_left is not None and link.photos_left < 1:
        raise LinkFull(FULL)
    if link.bytes_left is not None and link.bytes_left < size:
        raise LinkFull(FULL_OF_BYTES)


def _as_found(caller: GuestCaller, failed: ConditionFailed) -> GuestCaller:
    """Who asks, with the row that is other than it was read."""
    if failed.found is None:
        raise NotSignedIn(CLOSED) from failed
    found: dict[str, Any] = dict(failed.found)
    if found["SK"] == key_of(caller.link).sk:
        return replace(caller, link=from_item(ShareLink, found))
    return replace(caller, guest=from_item(Guest, found))
