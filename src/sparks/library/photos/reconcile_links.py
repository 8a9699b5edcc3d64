"""Makes a photo's month, tag and album rows and their counters agree with it.

Each difference between the rows that it should have (`link_rows_of`) and those that it has is one small transaction: a
check that the photo is as it was read, the link row if it is as it was read, and its counter. So it may run late,
twice, and concurrently with itself and with other changes of the photo: a counter is always the number of rows that say
`counted`, and the last run leaves what the photo says.

Album rows are not created here, but counted as the others are, in the albums' own rows.

Content that is built from a month is kept under the counter's `version`, so no version may return with other photos. A
new counter therefore begins with the time in microseconds: higher than any former counter of that name, since none
moves a million times a second.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sparks.library import keys
from sparks.library.photos.album_membership import COVER, count_in_album, elect_cover, is_membership_key
from sparks.library.photos.photo_rows import TRIES
from sparks.library.records import as_read, changes, from_item, key_of, read_item, to_item
from sparks.model.album import Album, AlbumPhoto
from sparks.model.audience import is_listed_in, listing_scopes
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.photo import Photo, PhotoState
from sparks.model.photo_index import MonthLink, TagLink
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.model.text_validation import tag_key
from sparks.table.port import Absent, Add, AtLeast, Change, Check, Delete, Equals, Item, Key, Present, Put, Table, every

Link = MonthLink | TagLink

# Attributes of the photo's row that `link_rows_of` reads.
SHOWN: Final = (
    "entityType",
    "visibility",
    "expiresAt",
    "tags",
    "albums",
    "takenAt",
    "takenOffset",
    "uploaded_datetime",
    "assetType",
    "aspectRatio",
    "thumbhash",
    "duration",
)
_KINDS: Final[Mapping[str, type[Link]]] = {"MONTH": MonthLink, "TAG": TagLink, "TAGALL": TagLink}
ALBUM: Final = keys.album("").sk  # the SK of every album's own row
_COUNTED: Final = ("entityType", "counted")


def link_rows_of(photo: Photo) -> frozenset[Link]:
    """The rows that should lead to the photo: in its owner's lists, in those of its albums and, unless it is private,
    in those of the community. None for a photo that `listing_scopes` leaves out.
    """
    return frozenset((*_months_of(photo), *_tags_of(photo)))


def _months_of(photo: Photo) -> Iterator[MonthLink]:
    """Ordered, as its month is, by the time at which it was taken or, where that is unknown, uploaded."""
    if photo.month is None:
        return
    for scope in listing_scopes(photo):
        yield MonthLink(
            image_id=photo.image_id,
            owner=photo.owner,
            scope=scope,
            month=photo.month,
            asset_type=photo.asset_type,
            aspect_ratio=photo.aspect_ratio,
            thumbhash=photo.thumbhash,
            duration=photo.duration,
            taken_at=photo.time,
            taken_offset=photo.taken_offset,
            counted=True,
        )


def _tags_of(photo: Photo) -> Iterator[TagLink]:
    scopes = listing_scopes(photo) & {scope_of_owner(photo.owner), COMMUNITY}
    for tag in {key for key in map(tag_key, photo.tags) if key is not None}:
        for community in {scope == COMMUNITY for scope in scopes}:
            yield TagLink(image_id=photo.image_id, owner=photo.owner, tag=tag, community=community, counted=True)


def counter_of(link: Link) -> Key:
    match link:
        case MonthLink():
            return keys.month_counter(link.scope, link.month)
        case TagLink():
            return keys.tag_counter(COMMUNITY if link.community else scope_of_owner(link.owner), link.tag)


def move_counter(key: Key, item: Item | None, by: int) -> Change:
    """The change that adds `by` to the counter and raises its version; `item` is the counter as it was read.

    Its transaction fails where the counter was created or deleted since, so that the caller reads and plans again.
    """
    if item is None:
        first = Add(key, {"count": by, "version": _new_version()}, when=(Absent(),))
        return first if by > 0 else Check(key, (Absent(),))
    count = item.get("count", 0)
    if count + by > 0:
        remains = (Present(),) if by >= 0 else (AtLeast("count", 1 - by),)
        return Add(key, {"count": by, "version": 1}, when=remains)
    return Delete(key, when=(Equals("count", count),))


def _new_version() -> int:
    return time.time_ns() // 1000


def reconcile_links(image_id: str, owner: str, *, table: Table) -> None:
    """Nothing happens where all agrees; of a photo that is deleted or being deleted, no row is left. Busy where others
    change it all the time.
    """
    for _ in range(TRIES):
        if _settle(image_id, owner, table):
            return
    raise Busy("this photo is being changed by other requests: try again later")


@dataclass(frozen=True, slots=True)
class LinkRowChange:
    """The change of one link row, and the amount by which each counter moves."""

    change: Change
    counts: Mapping[Key, int]


def _settle(image_id: str, owner: str, table: Table) -> bool:
    """Whether all agrees now; not so where another process was faster somewhere."""
    key = keys.photo(image_id, owner)
    rows = {Key(row["PK"], row["SK"]): row for row in every(table, keys.photo_rows(image_id))}
    photo = rows.get(key)
    moves = [
        *_moves(photo, {place: row for place, row in rows.items() if _is_link(place)}),
        *_album_moves(photo, {place: row for place, row in rows.items() if is_membership_key(place)}),
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
    """For the albums whose cover was this photo."""
    for item in counters:
        if item["SK"] == ALBUM and item.get(COVER[0]) == image_id:
            elect_cover(from_item(Album, item).album_id, table=table)


def _moves(photo: Item | None, rows: Mapping[Key, Item]) -> Iterator[LinkRowChange]:
    known = None if photo is None else read_item(Photo, photo)
    expected = {} if known is None else {key_of(link): link for link in link_rows_of(known)}
    for key in sorted(expected.keys() | rows.keys()):
        after = expected.get(key)
        if key not in rows:
            yield LinkRowChange(Put(to_item(expected[key]), when=(Absent(),)), _counts(None, after))
            continue
        before, as_seen = _link(rows[key]), as_read(rows[key], _COUNTED)
        if after is None:
            yield LinkRowChange(Delete(key, as_seen), _counts(before, None))
        elif (kept := replace(after, extra=before.extra)) != before:
            yield LinkRowChange(changes(before, kept, when=as_seen), _counts(before, kept))


def _album_moves(photo: Item | None, rows: Mapping[Key, Item]) -> Iterator[LinkRowChange]:
    """Each row is counted where the album lists the photo; of a deleted photo, no row is left."""
    known = None if photo is None else read_item(Photo, photo)
    for key in sorted(rows):
        before, as_seen = from_item(AlbumPhoto, rows[key]), as_read(rows[key], _COUNTED)
        counts = {keys.album(before.album_id): -1} if before.counted else {}
        if known is None or known.state is PhotoState.DELETING:
            yield LinkRowChange(Delete(key, as_seen), counts)
        elif (counted := is_listed_in(known, before.album_id)) is not before.counted:
            by = counts or {keys.album(before.album_id): 1}
            yield LinkRowChange(changes(before, replace(before, counted=counted), when=as_seen), by)


def _counts(before: Link | None, after: Link | None) -> dict[Key, int]:
    """A row that stays in its list moves the counter by 0, and so to its next version."""
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
