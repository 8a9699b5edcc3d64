"""Albums that a photo is in, with their photo counts and covers.

`albums` of the photo is rewritten whole from the album rows, in the transaction that changes one of these or the
photo's visibility. Each such transaction raises `albumsVersion`, and needs the version that was read before the rows:
so the photo always agrees with its rows.

The count and the cover are in the album's own row, which changes with the counted row (`reconcile_links`). The first
photo is the cover; when it leaves, another counted one becomes it.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records import from_item
from sparks.model.album import AlbumPhoto
from sparks.model.errors import ConditionFailed
from sparks.model.photo import Photo
from sparks.model.times import iso, now
from sparks.table.port import (
    Absent,
    Add,
    AttributeAbsent,
    Change,
    Check,
    Conditions,
    Equals,
    Item,
    Key,
    NotEquals,
    Present,
    Set,
    Table,
    every,
)

VERSION: Final = "albumsVersion"
COUNT: Final = "photoCount"
COVER: Final = ("coverImageId", "coverOwner", "coverChosen")
MAX_CANDIDATES: Final = 50  # photos, newest first


def albums_holding(image_id: str, *, table: Table) -> list[AlbumPhoto]:
    """One row for each album, approved or not."""
    rows = every(table, keys.photo_rows(image_id), keys.ALBUMS)
    return [from_item(AlbumPhoto, row) for row in rows if is_membership_row(row)]


def is_membership_row(row: Item) -> bool:
    """Whether it puts a photo into an album; a row of a person in an album does not."""
    return is_membership_key(Key(row["PK"], row["SK"]))


def is_membership_key(key: Key) -> bool:
    return key.sk.startswith(keys.ALBUMS.text) and "#" not in key.sk.removeprefix(keys.ALBUMS.text)


def with_albums(photo: Photo, rows: Iterable[AlbumPhoto]) -> Photo:
    """The photo with the albums of these rows."""
    shown = tuple(sorted(row.album_id for row in rows if row.shows(photo)))
    return replace(photo, albums=shown, albums_version=photo.albums_version + 1)


def count_in_album(album: Key, item: Item | None, by: int, *, photo: Key, owner: str) -> Change:
    """The change that adds `by` photos, of which this is one, to the album; `item` is the album as it was read. It
    fails where the album's cover has changed since. A deleted album is not counted.
    """
    if item is None:
        return Check(album, (Absent(),))
    is_cover = item.get(COVER[0]) == photo.pk
    updated = {"updatedAt": iso(now())}
    if by < 0 and is_cover:
        as_seen = (Equals(COUNT, item.get(COUNT, 0)), Equals(COVER[0], photo.pk))
        return Set(album, {COUNT: item.get(COUNT, 0) + by, **updated}, frozenset(COVER), as_seen)
    if by > 0 and COVER[0] not in item:
        shown = {COVER[0]: photo.pk, COVER[1]: owner}
        return Add(album, {COUNT: by}, {**updated, **shown}, (Present(), AttributeAbsent(COVER[0])))
    still: Conditions = (Present(),) if by > 0 else (Present(), NotEquals(COVER[0], photo.pk))
    return Add(album, {COUNT: by}, updated, still)


def elect_cover(album_id: str, *, table: Table) -> None:
    """Gives the album a cover if it has none. Nothing happens where no photo fits, or another process was faster."""
    album = table.get(keys.album(album_id))
    if album is None or COVER[0] in album or not album.get(COUNT):
        return
    listed = table.query(entity_types.album_photo(album_id), limit=MAX_CANDIDATES, newest_first=True, only=frozenset())
    rows = table.get_many([Key(row["PK"], row["SK"]) for row in listed.items])
    row = next((rows[key] for key in sorted(rows, reverse=True) if rows[key].get("counted")), None)
    if row is None:
        return
    counted = Check(Key(row["PK"], row["SK"]), (Equals("counted", value=True),))
    shown = {COVER[0]: row["PK"], COVER[1]: row["owner"]}
    try:
        table.write(counted, Set(keys.album(album_id), shown, when=(Present(), AttributeAbsent(COVER[0]))))
    except ConditionFailed:
        return
