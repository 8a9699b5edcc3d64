"""Albums that were deleted, and members who left, followed until nothing of them is left there."""

from datetime import timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import entity_types
from sparks.library.albums import clear_album, withdraw_member
from sparks.library.records import from_item
from sparks.model.album import Album
from sparks.model.events import AlbumDeleting, MemberLeft, UpkeepDue
from sparks.model.keyring import Keyring
from sparks.model.times import now
from sparks.table.port import Table, every

GIVEN_UP_AFTER: Final = timedelta(hours=1)


def clear_deleted_album(event: AlbumDeleting, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """All of an album that is being deleted goes, but for its photos."""
    clear_album(event.album_id, at=now(), table=table, blobs=blobs, keyring=keyring)


def withdraw_who_left(event: MemberLeft, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """The photos that they put there, and what they said, leave with them, unless they have come back."""
    withdraw_member(event.album_id, event.email, table=table, blobs=blobs, keyring=keyring)


def resume_album_deletions(event: UpkeepDue, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Goes on with those that began long ago: whoever should have sent them on their way was interrupted, perhaps."""
    for item in every(table, entity_types.ALBUMS_DELETING):
        album = from_item(Album, item)
        if album.deleting_at is not None and album.deleting_at + GIVEN_UP_AFTER <= event.at:
            clear_album(album.album_id, at=event.at, table=table, blobs=blobs, keyring=keyring)
