"""How many photos an album has, and which of them shows it.

Both stand on the album's own row, which is moved with the row that is counted (`settling`). The first photo that comes
is the cover; where that one goes, another one is, whichever an index tells: the row itself says whether it is counted.
"""

from typing import Final

from sparks.library import entity_types, keys
from sparks.model.errors import ConditionFailed
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
)

COUNT: Final = "photoCount"
COVER: Final = ("coverImageId", "coverOwner", "coverChosen")
LOOKED_AT: Final = 50  # photos, newest first


def count_in_album(album: Key, item: Item | None, by: int, *, photo: Key, owner: str) -> Change:
    """The album with so many photos more or less, of which this is one; `item` is what was read of it. Part of a
    transaction that fails where the album has another cover since. Of an album that is gone, nothing is counted.
    """
    if item is None:
        return Check(album, (Absent(),))
    is_cover = item.get(COVER[0]) == photo.pk
    told = {"updatedAt": iso(now())}
    if by < 0 and is_cover:
        as_seen = (Equals(COUNT, item.get(COUNT, 0)), Equals(COVER[0], photo.pk))
        return Set(album, {COUNT: item.get(COUNT, 0) + by, **told}, frozenset(COVER), as_seen)
    if by > 0 and COVER[0] not in item:
        shown = {COVER[0]: photo.pk, COVER[1]: owner}
        return Add(album, {COUNT: by}, {**told, **shown}, (Present(), AttributeAbsent(COVER[0])))
    still: Conditions = (Present(),) if by > 0 else (Present(), NotEquals(COVER[0], photo.pk))
    return Add(album, {COUNT: by}, told, still)


def elect_cover(album_id: str, *, table: Table) -> None:
    """Where nothing shows the album, something does; or nothing can, or somebody else was faster."""
    album = table.get(keys.album(album_id))
    if album is None or COVER[0] in album or not album.get(COUNT):
        return
    listed = table.query(entity_types.album_photo(album_id), limit=LOOKED_AT, newest_first=True, only=frozenset())
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
