"""Pages of photos, newest first: what a member sees of the community, of another and of their own.

[Note: from items] `authorize` decides about a photo. These lists are long and each holds one kind of photos, so what
it would say of them is asked of the row's own attributes; anything unknown there is left out.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.access import may_see
from sparks.library.photos import ItemPage, Sees, list_favourites, list_photos
from sparks.library.records import from_item
from sparks.model.caller import Member
from sparks.model.photo import Photo, Visibility
from sparks.model.times import iso
from sparks.table.port import Item, Key, Table, Within

DECIDING: Final = frozenset({"entityType", "visibility", "expiresAt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Pages of `limit` photos behind `after`, as they are at that time; each row with the attributes `only`."""

    limit: int
    after: Key | None
    only: frozenset[str]
    at: datetime
    table: Table

    def of_community(self) -> ItemPage:
        """What the community sees."""
        return self._list(entity_types.FEED, self._is_shown_to_all())

    def of_user(self, email: str, *, who: Member) -> ItemPage:
        """The photos of a user: one's own with those that wait or failed, another's as the community sees them."""
        sees = self._is_still_there() if who.email == email else self._is_shown_to_all()
        return self._list(keys.uploads_of(email), sees)

    def of_trash(self, who: Member) -> ItemPage:
        """What a member has thrown away."""
        return self._list(entity_types.trashed(who.email), self._is_still_there())

    def of_favourites(self, who: Member) -> ItemPage:
        """What a member marked and still sees, with all attributes; not what is in the trash."""

        def sees(item: Item) -> bool:
            return "uploadedBy" in item and may_see(who, from_item(Photo, item), at=self.at, table=self.table)

        return list_favourites(who.email, sees=sees, limit=self.limit, after=self.after, table=self.table)

    def _list(self, within: Within, sees: Sees) -> ItemPage:
        only = self.only | DECIDING
        return list_photos(within, sees=sees, limit=self.limit, after=self.after, only=only, table=self.table)

    def _is_shown_to_all(self) -> Sees:
        now, shown, feed = iso(self.at), Visibility.COMMUNITY.value, entity_types.FEED.value

        def sees(item: Item) -> bool:
            expires = item.get("expiresAt")
            in_community = item["entityType"] == feed and item.get("visibility", shown) == shown
            return in_community and (expires is None or expires > now)

        return sees

    def _is_still_there(self) -> Sees:
        """For its owner. What is being deleted is in none of their lists."""
        now = iso(self.at)
        return lambda item: item.get("expiresAt") is None or item["expiresAt"] > now
