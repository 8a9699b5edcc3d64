"""Photos that come into an album, wait in its queue, and leave it.

One transaction a photo: the row that says so, and the photo's own, which says who sees it (`photos.albums`). Months,
persons and counters follow, and may be late (`photos.settling`, `people.settling`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.albums.finding import NO_ALBUM, while_album_is_there, while_member_adds
from sparks.library.albums.positions import last_position
from sparks.library.photos import NO_PHOTO, albums_holding
from sparks.library.photos.albums import VERSION, with_albums
from sparks.library.photos.covers import count_in_album, elect_cover
from sparks.library.photos.writing import TRIES, as_read
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.album import MOST_ALBUMS, AlbumPhoto
from sparks.model.errors import Busy, ConditionFailed, Conflict, NotFound
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import guest_of
from sparks.table.port import Absent, Change, Check, Delete, Equals, Item, Key, NotEquals, Present, Put, Table, every

IN_TRASH: Final = "this photo is in the trash: restore it first"
NOT_PUBLIC: Final = "this photo is private, and not yours: only its owner can add it"
TOO_MANY: Final = f"a photo is in at most {MOST_ALBUMS} albums: take it out of another one first"
NOT_THERE: Final = "this photo is not in the album"
BUSY: Final = "this photo is being changed by many at once: try again later"


class Placed(StrEnum):
    ADDED = "added"
    QUEUED = "queued"  # until somebody approves it
    THERE = "there"  # as it was before


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a photo is to be put, by whom (an e-mail, or `guest:{id}`), and whether all members see it at once.
    `number` is which of those it is that are put there together.
    """

    album_id: str
    by: str
    at: datetime
    approved: bool = True
    number: int = 0

    def allowed(self) -> Sequence[Check]:
        """Part of a transaction that is to fail where the album is gone, or they may not add to it any more."""
        adds = () if guest_of(self.by) is not None else (while_member_adds(self.album_id, self.by),)
        return while_album_is_there(self.album_id), *adds

    def row(self, photo: Photo) -> AlbumPhoto:
        return AlbumPhoto(
            image_id=photo.image_id,
            owner=photo.owner,
            album_id=self.album_id,
            added_by=self.by,
            added_at=self.at,
            position=last_position(self.at, self.number),
            approved=self.approved,
        )


def place_new(photo: Photo, place: Place) -> tuple[Photo, Sequence[Change]]:
    """A photo that is yet to be reserved, as it is in the album from the beginning; and what is written with it. Who
    gives it up takes it out again, whoever deletes the album too.
    """
    row = place.row(photo)
    return with_albums(photo, [row]), (*place.allowed(), Put(to_item(row)))


def add_photo(photo: Photo, place: Place, *, also: Sequence[Change] = (), table: Table) -> Placed:
    """Puts it into the album, or its queue, together with `also`. What is there already stays so, but what waits there
    is approved, and what somebody else put there is its owner's doing from now on, if they add it.

    NotFound where the photo or the album is gone; Conflict where it is in the trash, is somebody's private one, or in
    too many albums. ConditionFailed where a change of `also` fails, by its position.
    """

    def plan(photo: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        known = next((row for row in rows if row.album_id == place.album_id), None)
        wanted = place.row(photo)
        if known is not None:
            by = wanted.added_by if wanted.is_meant_by_owner(photo) else known.added_by
            wanted = replace(known, approved=known.approved or place.approved, added_by=by)
        _check_addable(photo, wanted, rows)
        return wanted

    before, after = _place(photo, plan, place.album_id, also, place.allowed(), table)
    if after is None or before == after:
        return Placed.THERE
    return Placed.ADDED if after.approved else Placed.QUEUED


def approve_photo(photo: Photo, album_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Whether it waited until now: all members see it from now on. NotFound where it is in neither of the two."""

    def plan(_: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        return replace(_row_in(rows, album_id), approved=True)

    before, after = _place(photo, plan, album_id, also, (while_album_is_there(album_id),), table)
    return before != after


def queue_reserved(photo: Photo, album_id: str, *, by: str, table: Table) -> None:
    """Whoever brings it there waits for an approval after all. Nothing happens once its bytes have come: what somebody
    has approved by then stays so. Nor where it is not there any more, or its owner means it to be. NotFound where the
    photo is gone.
    """

    def plan(photo: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        row = next((row for row in rows if row.album_id == album_id), None)
        if row is None or row.added_by != by or photo.state is not PhotoState.RESERVED:
            return row
        return replace(row, approved=False)

    _place(photo, plan, album_id, (), (), table, watching=("entityType",))


def remove_photo(photo: Photo, album_id: str, *, also: Sequence[Change] = (), table: Table) -> AlbumPhoto:
    """The row by which it was in the album, or its queue, until now; what was said about it there goes, too. NotFound
    where it is not.
    """

    def plan(_: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        _row_in(rows, album_id)
        return None

    before, _ = _place(photo, plan, album_id, also, (), table)
    drop_talk(photo.image_id, album_id, table=table)
    if before is None:
        raise NotFound(NOT_THERE)
    return before


def drop_talk(image_id: str, album_id: str, *, table: Table) -> None:
    """The likes and comments that a photo has in an album."""
    for span in (keys.likes(album_id), keys.comments(album_id)):
        for row in every(table, keys.photo_rows(image_id), span):
            table.write(Delete(Key(row["PK"], row["SK"])))


def find_place(image_id: str, album_id: str, *, table: Table) -> AlbumPhoto | None:
    """The row that puts the photo into the album, or its queue."""
    item = table.get(keys.album_photo(image_id, album_id))
    return None if item is None else from_item(AlbumPhoto, item)


def carry_over(photo: Photo, same: Photo, *, table: Table) -> bool:
    """Puts `same` into all albums that `photo` is in, which goes, being of the same bytes: as far as it can be there.
    Whether it was not so before.

    [Note: the host's order] What a guest brings once more stays where it is: it was in the album when it came, so if it
    is not there now, or waits, that is what somebody wanted.
    """
    if photo.guest_id is not None:
        return False
    moved = False
    for row in albums_holding(photo.image_id, table=table):
        place = Place(album_id=row.album_id, by=row.added_by, at=row.added_at, approved=row.approved)
        try:
            moved |= add_photo(same, place, table=table) is not Placed.THERE
        except (NotFound, Conflict):
            continue
    return moved


Plan = Callable[[Photo, Sequence[AlbumPhoto]], AlbumPhoto | None]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A photo and the rows of its albums, that one among them, as they were read: the photo first."""

    item: Item
    photo: Photo
    rows: Sequence[AlbumPhoto]
    row: AlbumPhoto | None


def _place(
    photo: Photo,
    plan: Plan,
    album_id: str,
    also: Sequence[Change],
    allowed: Sequence[Check],
    table: Table,
    *,
    watching: Sequence[str] = (),
) -> tuple[AlbumPhoto | None, AlbumPhoto | None]:
    """The photo's row in the album as it was, and as it is now, planned anew where somebody else was faster. Where the
    plan changes nothing, nothing is written. `watching` are further attributes of the photo that it is made from.
    """
    for _ in range(TRIES):
        seen = _read(photo, album_id, table)
        after = plan(seen.photo, seen.rows)
        if after == seen.row:
            return seen.row, after
        try:
            table.write(*also, *allowed, *_changes(seen, after, watching, table))
        except ConditionFailed as failed:
            if failed.position < len(also):
                raise
            if failed.position < len(also) + len(allowed):
                raise NotFound(NO_ALBUM) from failed
        else:
            if after is None:
                elect_cover(album_id, table=table)
            return seen.row, after
    raise Busy(BUSY)


def _read(photo: Photo, album_id: str, table: Table) -> _Seen:
    item = table.get(key_of(photo))
    now = None if item is None else from_item(Photo, item)
    if item is None or now is None or now.state is PhotoState.DELETING:
        raise NotFound(NO_PHOTO)
    rows = albums_holding(photo.image_id, table=table)
    return _Seen(item, now, rows, next((row for row in rows if row.album_id == album_id), None))


def _changes(seen: _Seen, after: AlbumPhoto | None, watching: Sequence[str], table: Table) -> Sequence[Change]:
    """The photo's own row, that of the album and, where one goes that was counted, the album's count."""
    as_seen = as_read(seen.item, ("visibility", VERSION, *watching))
    there = (*as_seen, NotEquals("entityType", entity_types.DELETING.value))
    others = [row for row in seen.rows if row is not seen.row]
    own = changes(seen.photo, with_albums(seen.photo, others if after is None else [*others, after]), when=there)
    if after is None:
        return own, *(() if seen.row is None else _removal(seen.row, table))
    if seen.row is None:
        return own, Put(to_item(after), (Absent(),))
    return own, changes(seen.row, after)


def _removal(row: AlbumPhoto, table: Table) -> Sequence[Change]:
    as_seen = Delete(key_of(row), (Present(), Equals("counted", row.counted)))
    if not row.counted:
        return (as_seen,)
    album = keys.album(row.album_id)
    return as_seen, count_in_album(album, table.get(album), -1, photo=key_of(row), owner=row.owner)


def _row_in(rows: Sequence[AlbumPhoto], album_id: str) -> AlbumPhoto:
    row = next((row for row in rows if row.album_id == album_id), None)
    if row is None:
        raise NotFound(NOT_THERE)
    return row


def _check_addable(photo: Photo, row: AlbumPhoto, rows: Sequence[AlbumPhoto]) -> None:
    if photo.state is PhotoState.TRASHED:
        raise Conflict(IN_TRASH)
    if not row.is_meant_by_owner(photo) and photo.visibility is not Visibility.COMMUNITY:
        raise Conflict(NOT_PUBLIC)
    if len({each.album_id for each in rows} | {row.album_id}) > MOST_ALBUMS:
        raise Conflict(TOO_MANY)
