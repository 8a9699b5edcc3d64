"""The albums that a photo is in: rows say which, and its own row says so too, where it is decided who sees it.

`albums` of the photo is rewritten whole from the rows, in the very transaction that changes one of them, or who sees
the photo. Each such transaction moves `albumsVersion`, and goes through only if that is as it was before the rows were
read: so the photo always says what the rows do.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.album import AlbumPhoto
from sparks.model.photo import Photo
from sparks.table.port import Item, Key, Table, every

VERSION: Final = "albumsVersion"


def albums_holding(image_id: str, *, table: Table) -> list[AlbumPhoto]:
    """One row for each album, approved or not."""
    rows = every(table, keys.photo_rows(image_id), keys.ALBUMS)
    return [from_item(AlbumPhoto, row) for row in rows if is_album_row(row)]


def is_album_row(row: Item) -> bool:
    """And not that of a person in an album."""
    return is_album_key(Key(row["PK"], row["SK"]))


def is_album_key(key: Key) -> bool:
    return key.sk.startswith(keys.ALBUMS.text) and "#" not in key.sk.removeprefix(keys.ALBUMS.text)


def with_albums(photo: Photo, rows: Iterable[AlbumPhoto]) -> Photo:
    """The photo as these rows put it into albums."""
    shown = tuple(sorted(row.album_id for row in rows if row.shows(photo)))
    return replace(photo, albums=shown, albums_version=photo.albums_version + 1)
