"""Album as one caller sees it: its photos, cover, comments and months.

A member sees all photos that the album shows, a guest those that the link reaches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sparks.feed.photo_pages import page_of_album
from sparks.feed.timeline import Timeline
from sparks.library import keys
from sparks.library.albums.comments import comments_in
from sparks.library.authorized_reads import may_see
from sparks.library.people.person_photos import list_photos_of
from sparks.library.people.visible_persons import find_visible_person
from sparks.library.photos.photo_lists import ItemPage, ReadPage, list_newest_in, list_queue
from sparks.library.records import from_item, key_of, read_items
from sparks.model.access import Action
from sparks.model.album import Album, Comment
from sparks.model.audience import GuestReach, caller_reach, is_in_album, is_shown_in_album
from sparks.model.caller import Caller, GuestCaller
from sparks.model.errors import NotFound
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import scope_of_album
from sparks.table.port import Item, Key, Table


@dataclass(frozen=True, slots=True)
class AlbumView:
    """The view of a caller who may see the album, at a time."""

    caller: Caller
    album: Album
    at: datetime
    table: Table

    def sees(self, photo: Photo) -> bool:
        """Whether the album shows the photo to the caller."""
        if not is_shown_in_album(photo, self.album.album_id, self.at):
            return False
        return not isinstance(self.caller, GuestCaller) or self._may_see(photo)

    def photos(self, *, timeline: Timeline) -> tuple[str, ReadPage]:
        """A name for the list of the photos, and its reader. A link that shows certain persons is read by the lists of
        these persons, so that the size of the album does not matter.
        """
        guest = self.caller if isinstance(self.caller, GuestCaller) else None
        reach = caller_reach(self.caller, self.at)
        if reach is GuestReach.NOTHING:
            return reach, empty_page
        if guest is not None and reach is GuestReach.PERSONS:
            persons = guest.link.persons or guest.guest.persons
            if guest.link.persons or len(persons) == 1:
                return " ".join(persons), self._photos_of(persons)
        read = partial(page_of_album, self.album, sees=self.sees, timeline=timeline, table=self.table)
        return self.album.order, read

    def newest(self, *, limit: int) -> list[Item]:
        """The items of the newest photos, by upload."""
        if caller_reach(self.caller, self.at) is GuestReach.NOTHING:
            return []

        def sees(item: Item) -> bool:
            photo = from_item(Photo, item)
            return self.album.album_id in photo.albums and self._may_see(photo)

        return list_newest_in(self.album.album_id, sees=sees, limit=limit, after=None, table=self.table)[0]

    def queue(self, *, limit: int, after: Key | None) -> ItemPage:
        """The photos that await the host's approval, newest upload first."""

        def sees(item: Item) -> bool:
            photo = from_item(Photo, item)
            # An API key that may moderate has the scope of MARK_PHOTO, and need not have that of SEE_PHOTO.
            return photo.state is PhotoState.READY and self._may_see(photo, Action.MARK_PHOTO)

        return list_queue(self.album.album_id, sees=sees, limit=limit, after=after, table=self.table)

    def comments(self, *, limit: int, after: Key | None) -> tuple[list[Comment], Key | None]:
        """Comments on photos that the caller sees, newest first."""
        return comments_in(self.album.album_id, sees=self._on_seen_photos, limit=limit, after=after, table=self.table)

    def _photos_of(self, person_ids: Sequence[str]) -> ReadPage:
        """Photos that show all of these persons. The guest need not see the persons whom the host has chosen: `sees`
        decides about each photo.
        """
        here = frozenset({scope_of_album(self.album.album_id)})
        try:
            found = [find_visible_person(self.caller, each, table=self.table) for each in person_ids]
        except NotFound:
            return empty_page
        persons = [replace(each, scopes=here) for each in found]
        return partial(list_photos_of, *persons, sees=self.sees, table=self.table)

    def _on_seen_photos(self, comments: Sequence[Comment]) -> list[Comment]:
        items = self.table.get_many([keys.photo(each.image_id, each.owner) for each in comments])
        photos = read_items(Photo, items.values())
        shown = [photo for photo in photos if is_in_album(photo, self.album.album_id)]
        if isinstance(self.caller, GuestCaller):
            shown = [photo for photo in shown if self._may_see(photo)]
        seen = {photo.image_id for photo in shown}
        return [each for each in comments if each.image_id in seen]

    def _may_see(self, photo: Photo, action: Action = Action.SEE_PHOTO) -> bool:
        return may_see(self.caller, photo, action=action, at=self.at, table=self.table)


def empty_page(*, limit: int, after: Key | None) -> ItemPage:  # noqa: ARG001  a ReadPage
    """The page of an album that is not revealed yet, or of a link that allows only uploads."""
    return [], None


def covers_of(albums: Iterable[Album], *, at: datetime, table: Table) -> dict[str, Photo]:
    """The cover photos by album id, of those albums that have one and still show it."""
    named = {
        album.album_id: keys.photo(album.cover_image_id, album.cover_owner)
        for album in albums
        if album.cover_image_id is not None and album.cover_owner is not None
    }
    items = table.get_many(list(named.values()))
    photos = {key_of(photo): photo for photo in read_items(Photo, items.values())}
    covers = {album_id: photos[key] for album_id, key in named.items() if key in photos}
    return {album_id: photo for album_id, photo in covers.items() if is_shown_in_album(photo, album_id, at)}


def month_span(album_id: str, *, table: Table) -> tuple[str | None, str | None]:
    """The first and the last month of an album's photos."""
    months = keys.months(scope_of_album(album_id))
    first = table.query(months, limit=1, only=frozenset()).items
    last = table.query(months, limit=1, newest_first=True, only=frozenset()).items
    return (first[0]["SK"], last[0]["SK"]) if first and last else (None, None)
