"""Reservations: made before a byte arrives, answered with what is there already, and given back."""

from dataclasses import dataclass
from datetime import datetime

from sparks.blobs.port import DEFAULT_TYPE, Blobs
from sparks.library import keys, limits, objects
from sparks.library.albums import NO_ALBUM, Place, place_new
from sparks.library.erasure import begin_deletion, erase_photo
from sparks.library.photos import read_photo, restore_photo
from sparks.library.records import from_item
from sparks.library.sharing import reserve_for_guest
from sparks.model.caller import GuestCaller
from sparks.model.errors import ConditionFailed, NotFound, SparksError
from sparks.model.events import Event, PhotoChanged, Uploaded
from sparks.model.ids import new_image_id
from sparks.model.photo import HIDDEN, Photo, PhotoState
from sparks.model.pointer import SameBytes
from sparks.model.times import has_passed
from sparks.table.port import Table
from sparks.upload.lasting import keep_until, lasts
from sparks.upload.parts import part_size
from sparks.upload.wish import Wish


@dataclass(frozen=True, slots=True)
class Same:
    """A photo of the same bytes. `follows` is to be sent on where it was taken out of the trash, or made to stay for
    longer, just now.
    """

    photo: Photo
    follows: Event | None = None


def reserve_upload(
    wish: Wish,
    *,
    into: Place | None = None,
    guest: GuestCaller | None = None,
    at: datetime,
    table: Table,
    blobs: Blobs | None = None,
    image_id: str | None = None,
) -> Photo:
    """Takes one photo and its bytes from the owner's limit; the reservation ends after a day. UploadLimitReached where
    not enough is left. With an `image_id` that was given out before, it is not taken twice. It is in the album that it
    is to be put `into` from the beginning: NotFound where that is gone, or its uploader may not add to it any more.
    What a `guest` brings counts against the caps of their link, too: LinkFull where these are reached.

    With `blobs`, the bytes come by signed addresses: those of a large file in parts, for which an upload is begun.
    [Note: blobs first] What is begun here and never gets its row is dropped with the abandoned uploads.
    """
    image_id = image_id or new_image_id()
    if blobs is None or part_size(wish.size) is None:
        return _reserve(wish.reservation(image_id, at=at), into, guest, table)
    key = objects.upload(image_id)
    upload_id = blobs.create_upload(key, content_type=wish.mime_type or DEFAULT_TYPE)
    try:
        return _reserve(wish.reservation(image_id, at=at, upload_id=upload_id), into, guest, table)
    except SparksError:
        blobs.abort_upload(key, upload_id)
        raise


def find_same(who: str, sha256: str, *, at: datetime, until: datetime | None = None, table: Table) -> Same | None:
    """The photo that these bytes are already, if its own are durable. One in the trash comes out of it, unless a guest
    brought it, who does not undo what the host has done; and one that would expire sooner than `until` stays as long,
    or for good where that is None.
    """
    row = table.get(keys.same_bytes(who, sha256))
    held = None if row is None else from_item(SameBytes, row)
    photo = None if held is None else read_photo(keys.photo(held.image_id, held.owner), table=table)
    if photo is None or has_passed(photo.expires_at, at=at):
        return None
    try:
        if photo.state is PhotoState.TRASHED and photo.guest_id is not None:
            return Same(photo)
        if photo.state is PhotoState.TRASHED:
            return _kept(_taken_out(photo, at=at, table=table), until, table)
        return None if photo.state in HIDDEN else _kept(Same(photo), until, table)
    except NotFound:
        return None


def give_up_upload(photo: Photo, *keys_of_blobs: str, table: Table, blobs: Blobs) -> None:
    """Gives a reservation back and removes what came of it, these blobs too. Nothing happens where that is done.

    Conflict where it is complete meanwhile: then the blobs stay, being those of the photo.
    """
    begin_deletion(photo, table=table)
    for key in (objects.upload(photo.image_id), *keys_of_blobs):
        blobs.delete(key)
    erase_photo(photo, table=table, blobs=blobs)


def _reserve(photo: Photo, into: Place | None, guest: GuestCaller | None, table: Table) -> Photo:
    placed, others = (photo, ()) if into is None else place_new(photo, into)
    try:
        if guest is None:
            limits.reserve(placed, *others, table=table)
        else:
            reserve_for_guest(placed, guest, *others, table=table)
    except ConditionFailed as failed:
        raise NotFound(NO_ALBUM) from failed
    return placed


def _taken_out(photo: Photo, *, at: datetime, table: Table) -> Same:
    restored = restore_photo(photo, at=at, table=table)
    event = Uploaded if restored.state is PhotoState.PENDING else PhotoChanged
    return Same(restored, event(restored.image_id, restored.owner))


def _kept(same: Same, until: datetime | None, table: Table) -> Same:
    """One that stays for good is in months and tags, where one that expires is not."""
    if lasts(same.photo, until):
        return same
    photo = keep_until(same.photo, until, table=table)
    return Same(photo, same.follows or PhotoChanged(photo.image_id, photo.owner))
