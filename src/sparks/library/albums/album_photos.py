"""Photos of an album: added, queued, approved, ordered by hand and removed.

Each photo is one transaction: the row that puts it into the album, and the photo's own row, whose `albums` decide who
sees it. Months, persons and counters follow, and may be late (`photos.reconcile_links`, `people.reconcile`).

A manual order reads and sorts all rows of the album, which is why such an album has at most some thousand photos. Rows
come from an index, which may be a moment behind: the photos' own rows decide what is shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.albums.album_lookup import NO_ALBUM, while_album_is_there, while_member_adds
from sparks.library.albums.manual_positions import last_position, moved_positions, position_of
from sparks.library.photos.album_membership import VERSION, albums_holding, count_in_album, elect_cover, with_albums
from sparks.library.photos.photo_rows import NO_PHOTO, TRIES
from sparks.library.records import as_read, changes, from_item, key_of, to_item
from sparks.model.album import MAX_ALBUMS, AlbumOrder, AlbumPhoto
from sparks.model.audience import is_for_community
from sparks.model.errors import BadInput, Busy, ConditionFailed, Conflict, NotFound
from sparks.model.photo import Photo, PhotoState
from sparks.model.share import guest_of
from sparks.table.port import (
    Absent,
    Change,
    Check,
    Delete,
    Equals,
    Item,
    Key,
    NotEquals,
    Present,
    Put,
    Set,
    Table,
    every,
)

IN_TRASH: Final = "this photo is in the trash: restore it first"
NOT_PUBLIC: Final = "this photo is private and belongs to another user: only its owner can add it"
TOO_MANY: Final = f"a photo is in at most {MAX_ALBUMS} albums: take it out of another one first"
NOT_THERE: Final = "this photo is not in the album"
BUSY: Final = "this photo is being changed by other requests: try again later"
Plan = Callable[[Photo, Sequence[AlbumPhoto]], AlbumPhoto | None]
BATCH_SIZE: Final = 50  # rows in a transaction
ROW_ATTRIBUTES: Final = frozenset({"entityType", "owner", "addedBy", "addedAt", "position"})
NO_PLACE: Final = "no photo can be moved before itself: name another one, or none for the end"


class AddResult(StrEnum):
    ADDED = "added"
    QUEUED = "queued"  # until it is approved
    THERE = "there"  # as it was before


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumPlacement:
    """The album for a photo, who adds it (an e-mail, or `guest:{id}`), and whether all members see it at once. `number`
    is its place among those that are added together. A migrated photo may be in an album that its owner is no member
    of (`needs_member`).
    """

    album_id: str
    by: str
    at: datetime
    approved: bool = True
    number: int = 0
    needs_member: bool = True

    def allowed(self) -> Sequence[Check]:
        """Checks that fail where the album is deleted, or the user may not add to it any more."""
        is_free = guest_of(self.by) is not None or not self.needs_member
        adds = () if is_free else (while_member_adds(self.album_id, self.by),)
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


def placement_changes(photo: Photo, place: AlbumPlacement) -> tuple[Photo, Sequence[Change]]:
    """A photo that is about to be reserved, as it is with this album, and the changes to write with it. Canceling the
    upload, or deleting the album, removes it from there.
    """
    row = place.row(photo)
    return with_albums(photo, [row]), (*place.allowed(), Put(to_item(row)))


def add_photo(photo: Photo, place: AlbumPlacement, *, also: Sequence[Change] = (), table: Table) -> AddResult:
    """Puts the photo into the album or its queue, together with `also`. A photo in the album stays; a queued one is
    approved if the placement is; and if its owner adds a photo that another member added, it counts as added by the
    owner.

    NotFound where the photo or the album is deleted; Conflict where the photo is in the trash, private to another user,
    or in too many albums. ConditionFailed where a change of `also` fails, by its position.
    """

    def plan(photo: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        known = next((row for row in rows if row.album_id == place.album_id), None)
        row = place.row(photo)
        if known is not None:
            by = row.added_by if row.is_meant_by_owner(photo) else known.added_by
            row = replace(known, approved=known.approved or place.approved, added_by=by)
        _check_addable(photo, row, rows)
        return row

    before, after = _place(photo, plan, place.album_id, also, place.allowed(), table)
    if after is None or before == after:
        return AddResult.THERE
    return AddResult.ADDED if after.approved else AddResult.QUEUED


def approve_photo(photo: Photo, album_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Whether it was queued until now: all members see it from now on. NotFound where it is neither in the album nor
    queued.
    """

    def plan(_: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        return replace(_row_in(rows, album_id), approved=True)

    before, after = _place(photo, plan, album_id, also, (while_album_is_there(album_id),), table)
    return before != after


def queue_reservation(photo: Photo, album_id: str, *, by: str, table: Table) -> None:
    """Moves a reserved photo, which `by` added, into the queue after all. Nothing happens once its bytes have arrived,
    where it has left the album, or where another user added it. NotFound where the photo is deleted.
    """

    def plan(photo: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        row = next((row for row in rows if row.album_id == album_id), None)
        if row is None or row.added_by != by or photo.state is not PhotoState.RESERVED:
            return row
        return replace(row, approved=False)

    _place(photo, plan, album_id, (), (), table, watching=("entityType",))


def remove_photo(photo: Photo, album_id: str, *, also: Sequence[Change] = (), table: Table) -> AlbumPhoto:
    """The row by which it was in the album or its queue; its comments and likes there are deleted. NotFound where it is
    in neither.
    """

    def plan(_: Photo, rows: Sequence[AlbumPhoto]) -> AlbumPhoto | None:
        _row_in(rows, album_id)
        return None

    before, _ = _place(photo, plan, album_id, also, (), table)
    delete_comments_and_likes(photo.image_id, album_id, table=table)
    if before is None:
        raise NotFound(NOT_THERE)
    return before


def delete_comments_and_likes(image_id: str, album_id: str, *, table: Table) -> None:
    """The likes and comments that a photo has in an album."""
    for span in (keys.likes(album_id), keys.comments(album_id)):
        for row in every(table, keys.photo_rows(image_id), span):
            table.write(Delete(Key(row["PK"], row["SK"])))


def find_album_photo(image_id: str, album_id: str, *, table: Table) -> AlbumPhoto | None:
    """The row that puts the photo into the album, or its queue."""
    item = table.get(keys.album_photo(image_id, album_id))
    return None if item is None else from_item(AlbumPhoto, item)


def copy_album_membership(photo: Photo, same: Photo, *, table: Table) -> bool:
    """Puts `same` into all albums of `photo`, a duplicate that is about to be deleted, as far as possible. Whether any
    album was new.

    A duplicate of a guest is left out: the first upload was in the album, so if it is not there now, or is queued, that
    is the host's decision.
    """
    if photo.guest_id is not None:
        return False
    moved = False
    for row in albums_holding(photo.image_id, table=table):
        place = AlbumPlacement(album_id=row.album_id, by=row.added_by, at=row.added_at, approved=row.approved)
        try:
            moved |= add_photo(same, place, table=table) is not AddResult.THERE
        except (NotFound, Conflict):
            continue
    return moved


@dataclass(frozen=True, slots=True)
class _Seen:
    """A photo and its album rows, among them that of one album, as they were read: the photo first."""

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
    """The photo's row in the album before and after, planned again where another process was faster. Nothing is written
    where the plan changes nothing. `watching` are further attributes of the photo that the plan uses.
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
    """The changes of the photo's own row, of the album's row and, if it was counted, of the album's count."""
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
    if not row.is_meant_by_owner(photo) and not is_for_community(photo):
        raise Conflict(NOT_PUBLIC)
    if len({each.album_id for each in rows} | {row.album_id}) > MAX_ALBUMS:
        raise Conflict(TOO_MANY)


def rows_in_order(album_id: str, order: AlbumOrder, *, table: Table) -> list[AlbumPhoto]:
    """All approved ones: the last added first, or in manual order."""
    listed = every(table, entity_types.album_photo(album_id), only=ROW_ATTRIBUTES)
    rows = {row.image_id: row for row in (from_item(AlbumPhoto, item) for item in listed)}
    if order is AlbumOrder.HAND:
        return sorted(rows.values(), key=lambda row: (position_of(row), row.image_id))
    return sorted(rows.values(), key=lambda row: (row.added_at, position_of(row), row.image_id), reverse=True)


def move_photos(album_id: str, ids: Sequence[str], before: str | None, *, table: Table) -> int:
    """Moves these photos, in this order, before another one of the album, or to its end; returns the number of written
    rows. NotFound where one of them is not in the album.
    """
    if before in ids:
        raise BadInput(NO_PLACE)
    rows = rows_in_order(album_id, AlbumOrder.HAND, table=table)
    if not {*ids, *(() if before is None else (before,))} <= {row.image_id for row in rows}:
        raise NotFound(NOT_THERE)
    known = {row.image_id: row.position for row in rows}
    places = moved_positions(rows, list(dict.fromkeys(ids)), before)
    writes = iter([(image_id, place) for image_id, place in places.items() if known[image_id] != place])
    written = 0
    while some := list(islice(writes, BATCH_SIZE)):
        sets = (Set(keys.album_photo(image_id, album_id), {"position": at}, when=(Present(),)) for image_id, at in some)
        try:
            table.write(*sets)
        except ConditionFailed as failed:
            raise NotFound(NOT_THERE) from failed
        written += len(some)
    return written
