"""Authorization of many photos for one caller, as `authorized_reads` does for one."""

from collections.abc import Iterable
from datetime import datetime

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.access import Action, PhotoResource, authorize
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.audience import deciding_albums
from sparks.model.caller import Caller, Member
from sparks.model.errors import NotFound
from sparks.model.photo import Photo
from sparks.table.port import Table


class BulkAccess:
    """Each album role of the caller is read once, however many photos are checked: use it for the moment `at` only."""

    def __init__(self, caller: Caller, action: Action, *, at: datetime, table: Table) -> None:
        self._caller = caller
        self._action = action
        self._at = at
        self._table = table
        self._roles: dict[str, AlbumRole | None] = {}

    def sees(self, photo: Photo) -> bool:
        try:
            authorize(self._caller, self._action, PhotoResource(photo, self._roles_in(photo)), at=self._at)
        except NotFound:
            return False
        return True

    def seen_among(self, photos: Iterable[Photo]) -> set[str]:
        """The ids of the photos that `sees` accepts; the roles in all their albums are read at once."""
        all_photos = list(photos)
        self._read_roles(album_id for photo in all_photos for album_id in deciding_albums(self._caller, photo))
        return {photo.image_id for photo in all_photos if self.sees(photo)}

    def _roles_in(self, photo: Photo) -> frozenset[AlbumRole]:
        albums = deciding_albums(self._caller, photo)
        self._read_roles(albums)
        roles = (self._roles[album_id] for album_id in albums)
        return frozenset(role for role in roles if role is not None)

    def _read_roles(self, albums: Iterable[str]) -> None:
        caller = self._caller
        if not isinstance(caller, Member):
            return
        unknown = {keys.album_member(each, caller.email): each for each in albums if each not in self._roles}
        if unknown:
            found = self._table.get_many(list(unknown))
            self._roles |= dict.fromkeys(unknown.values())
            self._roles |= {unknown[key]: from_item(AlbumMember, item).role for key, item in found.items()}
