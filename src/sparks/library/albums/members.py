"""Members of an album and their roles: listed, set and removed."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.accounts.lifecycle import while_account_open
from sparks.library.albums.album_lookup import NO_ALBUM, while_album_is_there
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.account import User
from sparks.model.album import MAX_MEMBERS, Album, AlbumMember, AlbumRole
from sparks.model.errors import Busy, ConditionFailed, Conflict, NotFound
from sparks.table.port import Absent, Delete, NotEquals, Present, Put, Table, every

ONE_OWNER: Final = "an album has one owner, who made it: make others its editors"
NO_MEMBER: Final = "this user is not a member of this album"
OWNER_STAYS: Final = "the owner of an album cannot leave it: delete the album instead"
FULL: Final = f"an album has at most {MAX_MEMBERS} members: remove one first, or share a link"


def members_of(album_id: str, *, table: Table) -> list[AlbumMember]:
    return [from_item(AlbumMember, row) for row in every(table, keys.album_rows(album_id), keys.MEMBERS)]


def find_member(album_id: str, email: str, *, table: Table) -> AlbumMember | None:
    item = table.get(keys.album_member(album_id, email))
    return None if item is None else from_item(AlbumMember, item)


def set_member(album: Album, user: User, role: AlbumRole, *, at: datetime, table: Table) -> AlbumMember:
    """Makes the user a member with this role, whatever it was. NotFound where the album or the account is deleted;
    Conflict where the album is full, for the role of the owner, and for the owner.
    """
    if role is AlbumRole.OWNER or user.email == album.owner:
        raise Conflict(ONE_OWNER)
    before = find_member(album.album_id, user.email, table=table)
    if before is None and len(members_of(album.album_id, table=table)) >= MAX_MEMBERS:
        raise Conflict(FULL)
    member = before or AlbumMember(album_id=album.album_id, email=user.email, role=role, added_at=at)
    after = replace(member, role=role)
    put = Put(to_item(after), (Absent(),)) if before is None else changes(before, after, when=(Present(),))
    try:
        table.write(while_album_is_there(album.album_id), while_account_open(user), put)
    except ConditionFailed as failed:
        if failed.position == 0:
            raise NotFound(NO_ALBUM) from failed
        if failed.position == 1:
            raise NotFound("this account is being closed") from failed
        raise Busy("another request changes this member right now: try again") from failed
    return after


def remove_member(album: Album, email: str, *, table: Table) -> AlbumMember:
    """The former member: from now on they see nothing of the album. Their content is removed later
    (`remove_member_content`). NotFound where they are no member, Conflict for the owner.
    """
    if email == album.owner:
        raise Conflict(OWNER_STAYS)
    member = find_member(album.album_id, email, table=table)
    if member is None:
        raise NotFound(NO_MEMBER)
    try:
        table.write(Delete(key_of(member), (Present(), NotEquals("role", AlbumRole.OWNER.value))))
    except ConditionFailed as failed:
        raise NotFound(NO_MEMBER) from failed
    return member
