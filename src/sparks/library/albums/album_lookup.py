"""Albums found by id, by member or by owner, and conditions that they still exist.

Lists only say where to look; the rows that are read by key decide.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pagination import filled_page
from sparks.library.records import from_item
from sparks.model.access import NOT_THERE
from sparks.model.album import Album, AlbumMember, AlbumRole
from sparks.model.errors import BadInput
from sparks.table.port import AttributeAbsent, Check, Item, Key, NotEquals, Page, Present, Table, every

NO_ALBUM: Final = NOT_THERE.format("album")


@dataclass(frozen=True, slots=True)
class AlbumWithRole:
    """An album and a user's role in it: None where they are no member."""

    album: Album
    role: AlbumRole | None


def find_album(album_id: str, *, table: Table) -> Album | None:
    """None where there is none, it is being deleted, or this is no id."""
    try:
        return present_album(table.get(keys.album(keys.key_piece(album_id))))
    except BadInput:
        return None


def find_album_with_role(album_id: str, email: str, *, table: Table) -> AlbumWithRole | None:
    """The album and the user's role in it, in one call; None as for `find_album`."""
    try:
        at_album, at_member = keys.album(keys.key_piece(album_id)), keys.album_member(album_id, email)
    except BadInput:
        return None
    found = table.get_many([at_album, at_member])
    album, member = present_album(found.get(at_album)), found.get(at_member)
    return (
        None if album is None else AlbumWithRole(album, None if member is None else from_item(AlbumMember, member).role)
    )


def find_albums(album_ids: Iterable[str], *, table: Table) -> dict[str, Album]:
    """Those that exist."""
    rows = table.get_many([keys.album(album_id) for album_id in dict.fromkeys(album_ids)])
    albums = (present_album(row) for row in rows.values())
    return {album.album_id: album for album in albums if album is not None}


def list_albums_of_member(
    email: str, *, limit: int, after: Key | None, table: Table
) -> tuple[list[AlbumWithRole], Key | None]:
    """The next albums of which the user is a member, the newest first, and where to continue; None at the end."""

    def fetch(most: int, behind: Key | None) -> Page:
        page = table.query(
            entity_types.album_member(email), limit=most, after=behind, newest_first=True, only=frozenset()
        )
        return Page(_joined_rows(page.items, table), page.after)

    return filled_page(fetch, _joined, limit=limit, after=after)


def albums_of(email: str, *, table: Table) -> frozenset[str]:
    """The ids of the albums of which the user is a member, as the index lists them."""
    members = (from_item(AlbumMember, row) for row in every(table, entity_types.album_member(email)))
    return frozenset(member.album_id for member in members)


def owned_albums(email: str, *, table: Table) -> list[Album]:
    """All albums that the user owns, the oldest first."""
    listed = list(every(table, entity_types.album_member(email), only=frozenset()))
    found = [_joined(row) for row in _joined_rows(listed, table)]
    return [each.album for each in found if each is not None and each.role is AlbumRole.OWNER]


def while_album_is_there(album_id: str) -> Check:
    """A check that fails once the album is deleted or being deleted."""
    return Check(keys.album(album_id), (Present(), AttributeAbsent("deletingAt")))


def while_member_adds(album_id: str, email: str) -> Check:
    """A check that fails once the user may not add to the album any more."""
    return Check(keys.album_member(album_id, email), (Present(), NotEquals("role", AlbumRole.VIEWER.value)))


def present_album(item: Item | None) -> Album | None:
    album = None if item is None else from_item(Album, item)
    return None if album is None or album.deleting_at is not None else album


def _joined_rows(listed: Iterable[Item], table: Table) -> list[Item]:
    """The albums' own rows, each with that of the member, as they are now."""
    members = [Key(row["PK"], row["SK"]) for row in listed]
    found = table.get_many([*members, *(Key(key.pk, keys.album("").sk) for key in members)])
    pairs = ((found.get(Key(key.pk, keys.album("").sk)), found.get(key)) for key in members)
    return [{"album": album, "member": member} for album, member in pairs if album is not None and member is not None]


def _joined(pair: Item) -> AlbumWithRole | None:
    album = present_album(pair["album"])
    return None if album is None else AlbumWithRole(album, from_item(AlbumMember, pair["member"]).role)
