"""Actions on the photos of an album: add, remove and reorder.

Each photo is one transaction, durable before the request is answered. The album's months and photo count are updated
before the answer too, its persons in a job.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from sparks.actions.outbox import Outbox
from sparks.actions.parallel import results_of
from sparks.blobs.port import Blobs
from sparks.library import keys
from sparks.library.albums.album_details import check_sortable
from sparks.library.albums.album_lookup import AlbumWithRole
from sparks.library.albums.album_photos import (
    AddResult,
    AlbumPlacement,
    add_photo,
    find_album_photo,
    move_photos,
    remove_photo,
)
from sparks.library.authorized_reads import album_for, photo_for
from sparks.library.live_events import announce_albums, announce_while_there
from sparks.library.photos.photo_rows import read_photo
from sparks.library.timeline_blobs import settle_months
from sparks.model.access import Action, may_add_photo, may_remove_photo
from sparks.model.album import AlbumOrder, AlbumPhoto
from sparks.model.caller import Caller, Member, caller_name
from sparks.model.errors import Conflict, NotAllowed, NotFound, SparksError
from sparks.model.events import PhotoChanged
from sparks.model.ids import is_uuid
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_album
from sparks.table.port import Table

OWN_ONLY: Final = "as a contributor of this album you add only your own photos: ask its owner for another role"
NOT_ADDED: Final = "you did not add this photo: ask an editor of the album to remove it"
NOT_THERE: Final = "this photo is not in the album"
NOT_BY_HAND: Final = "this album is not in an order by hand: set its order to hand first"

log = logging.getLogger(__name__)


class AlbumPhotoChanges:
    """Each raises NotFound or NotAllowed about the album; an error about one photo is the result of that photo."""

    def __init__(
        self, *, table: Table, blobs: Blobs, keyring: Keyring, outbox: Outbox, clock: Callable[[], datetime]
    ) -> None:
        self._table = table
        self._blobs = blobs
        self._keyring = keyring
        self._outbox = outbox
        self._now = clock

    def add(self, caller: Caller, album_id: str, image_ids: Sequence[str]) -> list[tuple[str, AddResult | SparksError]]:
        joined = self._album(caller, Action.ADD_TO_ALBUM, album_id)
        numbers = {image_id: number for number, image_id in enumerate(dict.fromkeys(image_ids))}
        return results_of(image_ids, lambda image_id: self._add(caller, joined, image_id, numbers[image_id]))

    def add_allowed(self, photo: Photo, place: AlbumPlacement) -> AddResult:
        """Adds a photo without a check of the caller."""
        result = AddResult.THERE

        def write() -> bool:
            nonlocal result
            result = add_photo(photo, place, table=self._table)
            return result is not AddResult.THERE

        self.write(photo, place.album_id, write)
        return result

    def remove(self, caller: Caller, album_id: str, image_ids: Sequence[str]) -> list[tuple[str, SparksError | None]]:
        joined = self._album(caller, Action.TAKE_FROM_ALBUM, album_id)
        return results_of(image_ids, lambda image_id: self._remove(caller, joined, image_id))

    def move(self, caller: Member, album_id: str, image_ids: Sequence[str], before: str | None) -> None:
        """Puts the photos, in this order, before another photo of the album, or at its end. Conflict unless the album
        is in an order by hand.
        """
        album = self._album(caller, Action.EDIT_ALBUM, album_id).album
        if album.order is not AlbumOrder.HAND:
            raise Conflict(NOT_BY_HAND)
        move_photos(album.album_id, image_ids, before, table=self._table)
        announce_albums([album.album_id], at=self._now(), table=self._table)

    def write(self, photo: Photo, album_id: str, write: Callable[[], bool]) -> None:
        """Writes and, where `write` says that it changed something, updates the album's lists and open pages. Where
        that fails, the job tries again.
        """
        event = PhotoChanged(photo.image_id, photo.owner)
        self._outbox.recheck(event)
        if not write():
            return
        try:
            settle_months(photo.image_id, photo.owner, table=self._table, blobs=self._blobs, keyring=self._keyring)
            scopes = (scope_of_album(album_id),)
            announce_while_there(scopes, photo, at=self._now(), table=self._table, keyring=self._keyring)
        except SparksError as error:
            log.warning("the months of an album are updated later: %s", error)
        self._outbox.send(event)

    def find(self, album_id: str, image_id: str) -> tuple[AlbumPhoto, Photo] | None:
        """The photo with the row that puts it into the album or its queue."""
        row = find_album_photo(image_id, album_id, table=self._table) if is_uuid(image_id) else None
        photo = None if row is None else read_photo(keys.photo(row.image_id, row.owner), table=self._table)
        return None if row is None or photo is None else (row, photo)

    def _add(self, caller: Caller, joined: AlbumWithRole, image_id: str, number: int) -> AddResult:
        """`number`: its place among the photos that are added together."""
        at, album = self._now(), joined.album
        photo = photo_for(caller, Action.ADD_TO_ALBUM, image_id, at=at, table=self._table)
        if not may_add_photo(caller, joined.role, photo):
            raise NotAllowed(OWN_ONLY)
        check_sortable(album, more=1)
        place = AlbumPlacement(album_id=album.album_id, by=caller_name(caller), at=at, number=number)
        return self.add_allowed(photo, place)

    def _remove(self, caller: Caller, joined: AlbumWithRole, image_id: str) -> None:
        album_id = joined.album.album_id
        found = self.find(album_id, image_id)
        allowed = found is not None and may_remove_photo(caller, joined.role, found[0])
        if found is None or not (found[0].approved or allowed):
            raise NotFound(NOT_THERE)
        if not allowed:
            raise NotAllowed(NOT_ADDED)

        def write() -> bool:
            remove_photo(found[1], album_id, table=self._table)
            return True

        self.write(found[1], album_id, write)

    def _album(self, caller: Caller, action: Action, album_id: str) -> AlbumWithRole:
        return album_for(caller, action, album_id, at=self._now(), table=self._table)
