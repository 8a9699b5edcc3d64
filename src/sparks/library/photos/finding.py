"""Finding photos: one by its id, and lists of them, newest first. What has expired is absent.

Lists come from an index, which may be a moment behind; what decides is asked by id.
"""

from collections.abc import Callable
from datetime import datetime

from sparks.library import entity_types, keys
from sparks.library.pages import filled
from sparks.library.photos.writing import NO_PHOTO
from sparks.library.records import from_item
from sparks.model.errors import BadInput, NotFound
from sparks.model.ids import checked_uuid
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.times import has_passed
from sparks.table.port import Item, Key, Page, Table, Within

Sees = Callable[[Photo], bool]
PhotoPage = tuple[list[Photo], Key | None]


def find_photo(image_id: str, *, table: Table) -> Photo | None:
    """The photo's row, whatever its state; None where there is none, or this is no id."""
    try:
        rows = table.query(keys.photo_rows(checked_uuid(image_id)), keys.PHOTOS, limit=1).items
    except BadInput:
        return None
    return from_item(Photo, rows[0]) if rows else None


def get_photo(image_id: str, *, at: datetime, table: Table) -> Photo:
    """The photo as its owner still has it: NotFound where it is gone, being deleted or expired."""
    photo = find_photo(image_id, table=table)
    if photo is None or not _is_there(photo, at):
        raise NotFound(NO_PHOTO)
    return photo


def feed_page(*, limit: int, after: Key | None, at: datetime, table: Table) -> PhotoPage:
    """What the community sees."""

    def sees(photo: Photo) -> bool:
        return photo.state is PhotoState.READY and photo.visibility is Visibility.COMMUNITY

    return _page(entity_types.FEED, sees, limit=limit, after=after, at=at, table=table)


def uploads_page(email: str, *, sees: Sees, limit: int, after: Key | None, at: datetime, table: Table) -> PhotoPage:
    """The photos of a user, those that wait and those that failed too, as far as the caller `sees` them."""
    return _page(keys.uploads_of(email), sees, limit=limit, after=after, at=at, table=table)


def trash_page(email: str, *, limit: int, after: Key | None, at: datetime, table: Table) -> PhotoPage:
    """What a user has thrown away."""

    def sees(photo: Photo) -> bool:
        return photo.state is PhotoState.TRASHED

    return _page(entity_types.trashed(email), sees, limit=limit, after=after, at=at, table=table)


def favourites_page(who: str, *, sees: Sees, limit: int, after: Key | None, at: datetime, table: Table) -> PhotoPage:
    """What somebody marked, as far as they still see it: by the photos' own rows, which decide."""

    def fetch(most: int, behind: Key | None) -> Page:
        marks = table.query(entity_types.favourite(who), limit=most, after=behind, newest_first=True)
        marked = [keys.photo(mark["PK"], mark["owner"]) for mark in marks.items]
        rows = table.get_many(marked)
        return Page([rows[key] for key in marked if key in rows], marks.after)

    return filled(fetch, _reading(sees, at), limit=limit, after=after)


def _page(within: Within, sees: Sees, *, limit: int, after: Key | None, at: datetime, table: Table) -> PhotoPage:
    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(within, limit=most, after=behind, newest_first=True)

    return filled(fetch, _reading(sees, at), limit=limit, after=after)


def _reading(sees: Sees, at: datetime) -> Callable[[Item], Photo | None]:
    def read(item: Item) -> Photo | None:
        photo = from_item(Photo, item)
        return photo if _is_there(photo, at) and sees(photo) else None

    return read


def _is_there(photo: Photo, at: datetime) -> bool:
    return photo.state is not PhotoState.DELETING and not has_passed(photo.expires_at, at=at)
