"""Pages of photos: community, user, trash, favorites, and albums in their order.

`authorize` decides about a single photo. These lists are long and each holds one kind of photos, so they apply the same
rules to attributes of the row; a photo with an unknown value is left out.

The order of an album's photos comes from the months of its timeline, or from all of its sorted rows. Both may lag
behind, so the row of each photo decides whether it is shown.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from sparks.feed.timeline import Timeline
from sparks.library import entity_types, keys
from sparks.library.albums.album_photos import rows_in_order
from sparks.library.albums.manual_positions import position_of
from sparks.library.authorized_reads import may_see
from sparks.library.pagination import first_page, growing_batches
from sparks.library.photos.photo_lists import (
    SHOWN_BY,
    ItemPage,
    Sees,
    is_shown_to_community,
    list_favorites,
    list_guest_uploads,
    list_photos,
)
from sparks.library.records import from_item, read_item, read_row
from sparks.library.timeline_blobs import ScopeMonth
from sparks.model.album import Album, AlbumOrder, AlbumPhoto
from sparks.model.audience import is_in_album
from sparks.model.caller import GuestCaller, Member, caller_name
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_album
from sparks.model.times import iso
from sparks.table.port import Item, Key, Table, Within

SeesPhoto = Callable[[Photo], bool]
_ZERO: Final = 1 << 80  # added to positions, so that negative ones too sort as text
_DIGITS: Final = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoPages:
    """Reader of pages of `limit` photos after `after`, at a time; each row has the attributes `only`."""

    limit: int
    after: Key | None
    only: frozenset[str]
    at: datetime
    table: Table

    def of_community(self) -> ItemPage:
        """The photos that the community sees."""
        return self._list(entity_types.FEED, is_shown_to_community(self.at))

    def of_user(self, email: str, *, caller: Member) -> ItemPage:
        """The photos of a user. The caller's own include pending and failed ones; others are those that the community
        sees.
        """
        sees = self._is_still_there() if caller.email == email else is_shown_to_community(self.at)
        return self._list(keys.uploads_of(email), sees)

    def of_trash(self, caller: Member) -> ItemPage:
        """The photos in the trash of a member."""
        return self._list(entity_types.trashed(caller.email), self._is_still_there())

    def of_favorites(self, caller: Member) -> ItemPage:
        """The favorites that a member still sees, with all attributes, without those in the trash."""

        def sees(item: Item) -> bool:
            return "uploadedBy" in item and may_see(caller, from_item(Photo, item), at=self.at, table=self.table)

        return list_favorites(caller.email, sees=sees, limit=self.limit, after=self.after, table=self.table)

    def of_guest_uploads(self, caller: GuestCaller) -> ItemPage:
        """A guest's own uploads, in every state in which the guest still sees them."""
        sees, guest_id = self._is_seen_by(caller), caller.guest.guest_id
        return list_guest_uploads(guest_id, sees=sees, limit=self.limit, after=self.after, table=self.table)

    def of_guest_favorites(self, caller: GuestCaller) -> ItemPage:
        """The favorites that a guest still sees."""
        sees = self._is_seen_by(caller)
        return list_favorites(caller_name(caller), sees=sees, limit=self.limit, after=self.after, table=self.table)

    def _is_seen_by(self, caller: GuestCaller) -> Sees:
        return lambda item: may_see(caller, from_item(Photo, item), at=self.at, table=self.table)

    def _list(self, within: Within, sees: Sees) -> ItemPage:
        only = self.only | SHOWN_BY
        return list_photos(within, sees=sees, limit=self.limit, after=self.after, only=only, table=self.table)

    def _is_still_there(self) -> Sees:
        """Whether the owner still sees the photo. A photo that is being deleted is in no list anyway."""
        now = iso(self.at)
        return lambda item: item.get("expiresAt") is None or item["expiresAt"] > now


class MonthTimes(msgspec.Struct):
    """The columns that are decoded from an encoded month."""

    ids: list[str]
    times: list[str]


class SortedPhoto(NamedTuple):
    """A photo, and its place in the order as a sortable text."""

    place: str
    image_id: str


def page_of_album(
    album: Album, *, sees: SeesPhoto, limit: int, after: Key | None, timeline: Timeline, table: Table
) -> ItemPage:
    """The rows of the next photos of the album that the caller `sees`, and the position after them; None is the end."""
    by_time = album.order is AlbumOrder.TAKEN
    placed = _by_time(album, after, timeline) if by_time else _by_rows(album, after, table)
    shown = ((each, item) for each, item in _photos(album, placed, limit, table) if sees(from_item(Photo, item)))
    page, position = first_page(shown, lambda pair: Key(pair[0].image_id, pair[0].place), limit=limit)
    return [item for _, item in page], position


def _by_time(album: Album, after: Key | None, timeline: Timeline) -> Iterator[SortedPhoto]:
    """Newest first, month by month."""
    scope = scope_of_album(album.album_id)
    last = None if after is None else SortedPhoto(after.sk, after.pk)
    for month in timeline.months(scope).counts:
        if last is None or month <= last.place[: len(month)]:
            built = msgspec.json.decode(timeline.month(ScopeMonth(scope, month)).encoded, type=MonthTimes)
            pairs = zip(built.times, built.ids, strict=True)
            placed = (SortedPhoto(f"{month} {time}", image_id) for time, image_id in pairs)
            yield from (each for each in placed if last is None or each < last)


def _by_rows(album: Album, after: Key | None, table: Table) -> Iterator[SortedPhoto]:
    rows = rows_in_order(album.album_id, album.order, table=table)
    placed = (SortedPhoto(_place(row, album.order), row.image_id) for row in rows)
    if after is None:
        return placed
    last, by_hand = SortedPhoto(after.sk, after.pk), album.order is AlbumOrder.HAND
    return (each for each in placed if (each > last if by_hand else each < last))


def _place(row: AlbumPhoto, order: AlbumOrder) -> str:
    position = f"{position_of(row) + _ZERO:0{_DIGITS}d}"
    return position if order is AlbumOrder.HAND else f"{iso(row.added_at)} {position}"


def _photos(
    album: Album, placed: Iterable[SortedPhoto], limit: int, table: Table
) -> Iterator[tuple[SortedPhoto, Item]]:
    """The photos that are in the album now and ready, each with its row."""
    for some in growing_batches(placed, limit + 1):
        rows = table.get_many([keys.album_photo(each.image_id, album.album_id) for each in some])
        owners = {key.pk: row["owner"] for key, row in rows.items()}
        photos = table.get_many([keys.photo(image_id, owner) for image_id, owner in owners.items()])
        found = {key.pk: item for key, item in photos.items()}
        for each in some:
            item = found.get(each.image_id)
            photo = None if item is None else read_item(Photo, item)
            if item is not None and photo is not None and is_in_album(photo, album.album_id):
                yield each, read_row(Photo, item) or item
