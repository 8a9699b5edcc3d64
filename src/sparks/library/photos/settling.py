"""The rows that lead to a photo, made to agree with it.

Each difference between the rows that it should have (`links_of`) and those it has is one small transaction: a Check
that the photo is as it was read, the link row if it is as it was read, and its counter. So it may run late, twice, and
at once with itself and with whatever changes the photo: a counter always is the number of rows that say `counted`, and
whoever settles last leaves what the photo says.

The rows that put it into albums are not made here, but counted as all others are, by the albums' own rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sparks.library import keys
from sparks.library.photos.albums import is_album_key
from sparks.library.photos.counting import counter_of, move_counter
from sparks.library.photos.covers import COVER, count_in_album, elect_cover
from sparks.library.photos.links import SHOWN, Link, links_of
from sparks.library.photos.writing import TRIES, as_read
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.album import Album, AlbumPhoto
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.photo import Photo, PhotoState
from sparks.model.pointer import MonthLink, TagLink
from sparks.table.port import Absent, Change, Check, Delete, Item, Key, Put, Table, every

_KINDS: Final[Mapping[str, type[Link]]] = {"MONTH": MonthLink, "TAG": TagLink, "TAGALL": TagLink}
ALBUM: Final = keys.album("").sk  # of any album's own row
_COUNTED: Final = ("entityType", "counted")


def settle_links(image_id: str, owner: str, *, table: Table) -> None:
    """Nothing happens where all is settled; of a photo that is gone, or on its way out, no row is left. Busy where
    others change it all the time.
    """
    for _ in range(TRIES):
        if _settle(image_id, owner, table):
            return
    raise Busy("this photo is being changed by many at once: try again later")


@dataclass(frozen=True, slots=True)
class Move:
    """The change of one link row, and by how much it moves which counters."""

    change: Change
    counts: Mapping[Key, int]


def _settle(image_id: str, owner: str, table: Table) -> bool:
    """Whether all is settled now; not so where somebody else was faster somewhere."""
    key = keys.photo(image_id, owner)
    rows = {Key(row["PK"], row["SK"]): row for row in every(table, keys.photo_rows(image_id))}
    photo = rows.get(key)
    moves = [
        *_moves(photo, {place: row for place, row in rows.items() if _is_link(place)}),
        *_album_moves(photo, {place: row for place, row in rows.items() if is_album_key(place)}),
    ]
    counters = table.get_many([counter for move in moves for counter in move.counts])
    as_seen = Check(key, (Absent(),) if photo is None else as_read(photo, SHOWN))
    settled = True
    for move in moves:
        counts = [_counter(counter, counters.get(counter), by, key, owner) for counter, by in move.counts.items()]
        try:
            table.write(as_seen, move.change, *counts)
        except ConditionFailed as failed:
            settled = False
            if failed.position == 0:
                break
    _elect_covers(counters.values(), image_id, table)
    return settled


def _counter(counter: Key, item: Item | None, by: int, photo: Key, owner: str) -> Change:
    if counter.sk == ALBUM:
        return count_in_album(counter, item, by, photo=photo, owner=owner)
    return move_counter(counter, item, by)


def _elect_covers(counters: Iterable[Item], image_id: str, table: Table) -> None:
    """Of the albums that this photo stood for."""
    for item in counters:
        if item["SK"] == ALBUM and item.get(COVER[0]) == image_id:
            elect_cover(from_item(Album, item).album_id, table=table)


def _moves(photo: Item | None, rows: Mapping[Key, Item]) -> Iterator[Move]:
    wanted = {} if photo is None else {key_of(link): link for link in links_of(from_item(Photo, photo))}
    for key in sorted(wanted.keys() | rows.keys()):
        after = wanted.get(key)
        if key not in rows:
            yield Move(Put(to_item(wanted[key]), when=(Absent(),)), _counts(None, after))
            continue
        before, as_seen = _link(rows[key]), as_read(rows[key], _COUNTED)
        if after is None:
            yield Move(Delete(key, as_seen), _counts(before, None))
        elif (kept := replace(after, extra=before.extra)) != before:
            yield Move(changes(before, kept, when=as_seen), _counts(before, kept))


def _album_moves(photo: Item | None, rows: Mapping[Key, Item]) -> Iterator[Move]:
    """Each row counted where its photo is to be seen in the album; of a photo that goes, none is left."""
    known = None if photo is None else from_item(Photo, photo)
    for key in sorted(rows):
        before, as_seen = from_item(AlbumPhoto, rows[key]), as_read(rows[key], _COUNTED)
        counts = {keys.album(before.album_id): -1} if before.counted else {}
        if known is None or known.state is PhotoState.DELETING:
            yield Move(Delete(key, as_seen), counts)
        elif (counted := is_shown_in(known, before.album_id)) is not before.counted:
            by = counts or {keys.album(before.album_id): 1}
            yield Move(changes(before, replace(before, counted=counted), when=as_seen), by)


def is_shown_in(photo: Photo, album_id: str) -> bool:
    """Whether the album counts it: as its months do."""
    return photo.state is PhotoState.READY and photo.expires_at is None and album_id in photo.albums


def _counts(before: Link | None, after: Link | None) -> dict[Key, int]:
    """A row that stays in its list moves the counter by nothing, and so to its next version."""
    counts: dict[Key, int] = {}
    if before is not None:
        counts[counter_of(before)] = -1 if before.counted else 0
    if after is not None:
        counts[counter_of(after)] = counts.get(counter_of(after), 0) + 1
    return counts


def _is_link(key: Key) -> bool:
    return key.sk.partition("#")[0] in _KINDS


def _link(row: Item) -> Link:
    return from_item(_KINDS[row["SK"].partition("#")[0]], row)
