"""Many photos at once, and which of them a caller may do something with: as `access` decides it for one."""

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

    def _roles_in(self, photo: Photo) -> frozenset[AlbumRole]:
        """Whoever owns the photo, or sees it in the community, needs no album for it."""
        who = self._who
        if not isinstance(who, Member) or who.email == photo.owner or photo.visibility is Visibility.COMMUNITY:
            return frozenset()
        unknown = {keys.album_member(each, who.email): each for each in photo.albums if each not in self._roles}
        if unknown:
            found = self._table.get_many(list(unknown))
            self._roles |= dict.fromkeys(unknown.values())
            self._roles |= {unknown[key]: from_item(AlbumMember, item).role for key, item in found.items()}
        roles = (self._roles[album_id] for album_id in photo.albums)
        return frozenset(role for role in roles if role is not None)
