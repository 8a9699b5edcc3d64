"""Creates an album, and edits its title, description, order, cover and face setting."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.accounts.lifecycle import while_account_open
from sparks.library.albums.album_lookup import NO_ALBUM, find_album
from sparks.library.photos.photo_edit import UNCHANGED, Unchanged
from sparks.library.records import changes, to_item
from sparks.model.account import User
from sparks.model.album import MAX_SORTED, Album, AlbumMember, AlbumOrder, AlbumRole
from sparks.model.errors import BadInput, ConditionFailed, Conflict, NotFound
from sparks.model.ids import new_album_id
from sparks.model.photo import Photo
from sparks.model.text_validation import checked_description, checked_title
from sparks.table.port import Absent, AttributeAbsent, Change, Check, Equals, Present, Put, Table

NO_TITLE: Final = "an album needs a title: enter one"
NOT_IN_IT: Final = "this photo is not in the album: add it first, and choose it then"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumEdit:
    """Fields that are not given stay as they are; an empty description clears it. BadInput for too long texts."""

    title: str | Unchanged = UNCHANGED
    description: str | Unchanged | None = UNCHANGED
    order: AlbumOrder | Unchanged = UNCHANGED

    def __post_init__(self) -> None:
        if self.title is not UNCHANGED:
            object.__setattr__(self, "title", checked_album_title(self.title))
        if self.description is not UNCHANGED:
            object.__setattr__(self, "description", checked_description(self.description))

    def applied_to(self, album: Album) -> Album:
        return replace(
            album,
            title=album.title if self.title is UNCHANGED else self.title,
            description=album.description if self.description is UNCHANGED else self.description,
            order=album.order if self.order is UNCHANGED else self.order,
        )


def checked_album_title(text: str) -> str:
    title = checked_title(text)
    if title is None:
        raise BadInput(NO_TITLE)
    return title


def create_album(
    owner: User,
    title: str,
    *,
    description: str | None = None,
    order: AlbumOrder = AlbumOrder.TAKEN,
    finds_faces: bool = True,
    also: Sequence[Change] = (),
    album_id: str | None = None,
    at: datetime,
    table: Table,
) -> Album:
    """A new album with its owner as the only member, together with `also`. NotFound where the account is closed."""
    album = Album(
        album_id=album_id or new_album_id(),
        owner=owner.email,
        title=checked_album_title(title),
        description=checked_description(description),
        order=order,
        finds_faces=finds_faces,
        created_at=at,
        updated_at=at,
    )
    member = AlbumMember(album_id=album.album_id, email=owner.email, role=AlbumRole.OWNER, added_at=at)
    try:
        table.write(
            while_account_open(owner),
            Put(to_item(album), when=(Absent(),)),
            Put(to_item(member), when=(Absent(),)),
            *also,
        )
    except ConditionFailed as failed:
        raise NotFound("this account is being closed: nothing can be made for it any more") from failed
    return album


def edit_album(album: Album, edit: AlbumEdit, *, also: Sequence[Change] = (), at: datetime, table: Table) -> Album:
    """The album as it is now, together with `also`. Of concurrent edits of one field the last one counts. NotFound
    where it is deleted; Conflict where it has too many photos for that order.
    """
    edited = edit.applied_to(album)
    if edited.order is not album.order:
        check_sortable(edited)
    return _changed(album, replace(edited, updated_at=at), also, table)


def switch_faces_in(album: Album, allowed: bool, *, also: Sequence[Change] = (), at: datetime, table: Table) -> Album:
    """Switches face detection for photos of the album on or off. `also` logs who did so."""
    return _changed(album, replace(album, finds_faces=allowed, updated_at=at), also, table)


def choose_cover(album: Album, photo: Photo, *, at: datetime, table: Table) -> Album:
    """The album with this photo as its cover. Conflict where the photo is not in the album, or not visible."""
    counted = Check(keys.album_photo(photo.image_id, album.album_id), (Equals("counted", value=True),))
    chosen = replace(album, cover_image_id=photo.image_id, cover_owner=photo.owner, cover_chosen=True, updated_at=at)
    try:
        return _changed(album, chosen, (counted,), table)
    except ConditionFailed as failed:
        raise Conflict(NOT_IN_IT) from failed


def check_sortable(album: Album, *, more: int = 0) -> None:
    """Conflict where the album has, or would have, more photos than can be put in that order."""
    if album.order is not AlbumOrder.TAKEN and album.photo_count + more > MAX_SORTED:
        raise Conflict(f"an album with more than {MAX_SORTED:,} photos can only have the order taken: choose that")


def _changed(album: Album, after: Album, also: Sequence[Change], table: Table) -> Album:
    """ConditionFailed where a change of `also` fails, by its position."""
    there = (Present(), AttributeAbsent("deletingAt"))
    try:
        table.write(changes(album, after, when=there), *also)
    except ConditionFailed as failed:
        if failed.position == 0:
            raise NotFound(NO_ALBUM) from failed
        raise ConditionFailed(failed.position - 1, failed.found) from failed
    return find_album(album.album_id, table=table) or after
