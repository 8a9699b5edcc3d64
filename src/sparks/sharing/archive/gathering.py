"""The photos of an album, of a person, of a list or of a selection, one after another.

All that is asked of the photos is told by `sees`: what the caller may not take home is passed over.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Final, Protocol

from sparks.library import entity_types, keys
from sparks.library.people import SeenPerson, list_photos_of
from sparks.library.photos import ItemPage, find_photo
from sparks.library.records import from_item
from sparks.model.photo import Photo
from sparks.table.port import Key, Table, every

Sees = Callable[[Photo], bool]


class Pages(Protocol):
    """Reads the rows of the next photos, and tells where to go on; None is the end."""

    def __call__(self, *, limit: int, after: Key | None) -> ItemPage: ...


READ_AT_ONCE: Final = 500

_OWNER: Final = frozenset({"owner"})


def photos_in_album(album_id: str, *, sees: Sees, table: Table) -> Iterator[Photo]:
    """The list tells which photos may be in it; their own rows, whether they are."""
    rows = every(table, entity_types.album_photo(album_id), page=READ_AT_ONCE, only=_OWNER)
    while some := [keys.photo(row["PK"], row["owner"]) for row in islice(rows, READ_AT_ONCE)]:
        found = table.get_many(some)
        photos = (from_item(Photo, found[key]) for key in some if key in found)
        yield from (photo for photo in photos if album_id in photo.albums and sees(photo))


def photos_of_person(person: SeenPerson, *, sees: Sees, table: Table) -> Iterator[Photo]:
    """Newest first, as such a list is read."""
    return photos_in_pages(partial(list_photos_of, person, sees=sees, table=table), sees=sees)


def photos_in_pages(read: Pages, *, sees: Sees) -> Iterator[Photo]:
    """All of a list, in its own order."""
    after: Key | None = None
    while True:
        items, after = read(limit=READ_AT_ONCE, after=after)
        yield from filter(sees, (from_item(Photo, item) for item in items))
        if after is None:
            return


def photos_with_ids(ids: Iterable[str], *, sees: Sees, table: Table) -> Iterator[Photo]:
    """In their order, each once."""
    for image_id in dict.fromkeys(ids):
        photo = find_photo(image_id, table=table)
        if photo is not None and sees(photo):
            yield photo
