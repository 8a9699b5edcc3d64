"""Many photos at once, and which of them a caller may do something with: as `access` decides it for one."""

from collections.abc import Collection, Iterable
from datetime import datetime

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.access import Action, AskedPhoto, authorize
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.caller import Member, Who
from sparks.model.errors import NotFound
from sparks.model.photo import Photo, Visibility
from sparks.table.port import Table


class Sight:
    """What the caller is in an album is asked once, however many of its photos are looked at: so it is good for the
    moment `at`, and no longer.
    """

    def __init__(self, who: Who, action: Action, *, at: datetime, table: Table) -> None:
        self._who = who
        self._action = action
        self._at = at
        self._table = table
        self._roles: dict[str, AlbumRole | None] = {}

    def sees(self, photo: Photo) -> bool:
        try:
            authorize(self._who, self._action, AskedPhoto(photo, self._roles_in(photo)), at=self._at)
        except NotFound:
            return False
        return True

    def seen_among(self, photos: Iterable[Photo]) -> set[str]:
        """The ids of those that `sees` would tell of: what there is to be known of all their albums is read at once."""
        asked = list(photos)
        self._learn(album_id for photo in asked for album_id in self._albums_for(photo))
        return {photo.image_id for photo in asked if self.sees(photo)}

    def _roles_in(self, photo: Photo) -> frozenset[AlbumRole]:
        albums = self._albums_for(photo)
        self._learn(albums)
        roles = (self._roles[album_id] for album_id in albums)
        return frozenset(role for role in roles if role is not None)

    def _albums_for(self, photo: Photo) -> Collection[str]:
        """By which the caller may see it. Whoever owns the photo, or sees it in the community, needs none."""
        who = self._who
        if not isinstance(who, Member) or who.email == photo.owner or photo.visibility is Visibility.COMMUNITY:
            return ()
        return photo.albums

    def _learn(self, albums: Iterable[str]) -> None:
        who = self._who
        if not isinstance(who, Member):
            return
        unknown = {keys.album_member(each, who.email): each for each in albums if each not in self._roles}
        if unknown:
            found = self._table.get_many(list(unknown))
            self._roles |= dict.fromkeys(unknown.values())
            self._roles |= {unknown[key]: from_item(AlbumMember, item).role for key, item in found.items()}
