"""What people do with the photos of an album: add them, take them out, put them in order.

Each photo is one transaction, durable before anybody is answered; its months and the album's count follow at once, and
its persons in a job. [Note: the net] of `changes` is spread here too.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Final

from sparks import logs
from sparks.journey import Journey, Stores
from sparks.library import keys
from sparks.library.access import album_for, photo_for
from sparks.library.albums import (
    JoinedAlbum,
    Place,
    Placed,
    add_photo,
    approve_photo,
    check_sortable,
    find_place,
    remove_photo,
)
from sparks.library.live import announce_while_there
from sparks.library.months import settle_months
from sparks.library.photos import read_photo
from sparks.model.access import Action
from sparks.model.album import EDITORS, AlbumPhoto
from sparks.model.caller import Who, name_of
from sparks.model.errors import Conflict, NotAllowed, NotFound, SparksError
from sparks.model.events import PhotoChanged
from sparks.model.ids import is_uuid
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import scope_of_album

NET: Final = 60  # seconds
OWN_ONLY: Final = "you are contributor of this album, and add your own photos: ask its owner for more"
NOT_ADDED: Final = "you did not add this photo: ask an editor of the album to take it out"
NOT_THERE: Final = "this photo is not in the album"
NOT_WAITING: Final = "this photo does not wait to be approved: somebody has decided already, or it is gone"
ON_ITS_WAY: Final = "the bytes of this photo are still on their way: wait for them, or revoke the link"

log = logging.getLogger(__name__)


class AlbumChanges:
    """Each raises NotFound for a photo that is not there or not to be seen, and NotAllowed for what is not theirs."""

    def __init__(self, *, stores: Stores, journey: Journey, clock: Callable[[], datetime]) -> None:
        self._table = stores.table
        self._blobs = stores.blobs
        self._jobs = stores.jobs
        self._keyring = stores.keyring
        self._journey = journey
        self._now = clock

    def add(self, who: Who, joined: JoinedAlbum, image_id: str, number: int = 0) -> Placed:
        """`number`: which of those that are added together. Conflict where it cannot be there, or the album is full."""
        at, album = self._now(), joined.album
        photo = photo_for(who, Action.ADD_TO_ALBUM, image_id, at=at, table=self._table)
        _check_addable(who, joined, photo)
        check_sortable(album, more=1)
        return self.put(photo, Place(album_id=album.album_id, by=name_of(who), at=at, number=number))

    def put(self, photo: Photo, place: Place) -> Placed:
        """The same for whoever may do so."""
        self._send(photo, delay=NET)
        placed = add_photo(photo, place, table=self._table)
        if placed is not Placed.THERE:
            self.follow(photo, place.album_id)
        return placed

    def place_for(self, who: Who, album_id: str | None) -> Place | None:
        """Where an upload of theirs goes, if it is to go into an album: NotFound or NotAllowed unless they may."""
        if album_id is None:
            return None
        joined = album_for(who, Action.UPLOAD_PHOTO, album_id, at=self._now(), table=self._table)
        check_sortable(joined.album, more=1)
        return Place(album_id=joined.album.album_id, by=name_of(who), at=self._now())

    def take_out(self, who: Who, joined: JoinedAlbum, image_id: str) -> None:
        """Whoever added it may, whose it is, and every editor."""
        album_id = joined.album.album_id
        row = find_place(image_id, album_id, table=self._table) if is_uuid(image_id) else None
        photo = None if row is None else read_photo(keys.photo(row.image_id, row.owner), table=self._table)
        if row is None or photo is None or not (row.approved or _may_take_out(who, joined, row)):
            raise NotFound(NOT_THERE)
        if not _may_take_out(who, joined, row):
            raise NotAllowed(NOT_ADDED)
        self._send(photo, delay=NET)
        remove_photo(photo, album_id, table=self._table)
        self.follow(photo, album_id)

    def approve(self, album_id: str, image_id: str) -> None:
        """All members and guests see it from now on; what they see already stays so."""
        photo = self._in_queue_or_album(album_id, image_id)
        self._send(photo, delay=NET)
        if approve_photo(photo, album_id, table=self._table):
            self.follow(photo, album_id)

    def waiting(self, album_id: str, image_id: str) -> Photo:
        """The photo, if it waits to be approved. NotFound where it does not."""
        photo = self._in_queue_or_album(album_id, image_id, waiting=True)
        if photo.state is PhotoState.RESERVED:
            raise Conflict(ON_ITS_WAY)
        return photo

    def refuse(self, photo: Photo, album_id: str) -> None:
        """Out of the queue; nothing happens where it is not there any more."""
        self._send(photo, delay=NET)
        with suppress(NotFound):
            remove_photo(photo, album_id, table=self._table)
        self.follow(photo, album_id)

    def _in_queue_or_album(self, album_id: str, image_id: str, *, waiting: bool = False) -> Photo:
        row = find_place(image_id, album_id, table=self._table) if is_uuid(image_id) else None
        photo = None if row is None else read_photo(keys.photo(row.image_id, row.owner), table=self._table)
        if row is None or photo is None or (waiting and row.approved):
            raise NotFound(NOT_WAITING)
        return photo

    def follow(self, photo: Photo, album_id: str) -> None:
        """The album's months and count, and open pages. Where that fails, the job tries again."""
        try:
            settle_months(photo.image_id, photo.owner, table=self._table, blobs=self._blobs, keyring=self._keyring)
            scopes = (scope_of_album(album_id),)
            announce_while_there(scopes, photo, at=self._now(), table=self._table, keyring=self._keyring)
        except SparksError as error:
            log.warning("the months of an album follow later: %s", error)
        self._send(photo)

    def _send(self, photo: Photo, *, delay: float = 0) -> None:
        event = PhotoChanged(photo.image_id, photo.owner)
        self._journey.send_after(event, jobs=self._jobs, request_id=logs.REQUEST_ID.get(), delay=delay)


def _check_addable(who: Who, joined: JoinedAlbum, photo: Photo) -> None:
    """One's own; an editor may also add what the community sees, since all members do already."""
    if joined.role not in EDITORS and photo.owner != name_of(who):
        raise NotAllowed(OWN_ONLY)


def _may_take_out(who: Who, joined: JoinedAlbum, row: AlbumPhoto) -> bool:
    name = name_of(who)
    return joined.role in EDITORS or name in (row.added_by, row.owner)
