"""Steps that delete the rows of deleted albums and withdraw the photos of former members."""

from datetime import timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import entity_types
from sparks.library.albums.album_deletion import delete_album_rows, remove_member_content
from sparks.library.records import from_item
from sparks.model.album import Album
from sparks.model.events import AlbumDeletionBegun, MemberLeft, UpkeepDue
from sparks.model.keyring import Keyring
from sparks.model.times import now
from sparks.table.port import Table, every

RESUME_AFTER: Final = timedelta(hours=1)


def clear_deleted_album(event: AlbumDeletionBegun, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Deletes all rows of an album that is being deleted; its photos stay."""
    delete_album_rows(event.album_id, at=now(), table=table, blobs=blobs, keyring=keyring)


def withdraw_former_member(event: MemberLeft, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Removes the former member's photos and comments from the album, unless they are a member again."""
    remove_member_content(event.album_id, event.email, table=table, blobs=blobs, keyring=keyring)


def resume_album_deletions(event: UpkeepDue, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Continues deletions that began a while ago: the process that should send their event may have been killed."""
    for item in every(table, entity_types.ALBUMS_DELETING):
        album = from_item(Album, item)
        if album.deleting_at is not None and album.deleting_at + RESUME_AFTER <= event.at:
            delete_album_rows(album.album_id, at=event.at, table=table, blobs=blobs, keyring=keyring)
