"""Deletion of albums and departure of members: photos leave one by one, none is deleted.

The members of a deleted album are removed first, so that it is hidden at once. Its photos leave one by one and its own
row goes last, so that an interrupted run finds the rest in the album's lists. Lists may be a moment behind: they are
read until nothing that they name exists.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import entity_types, keys
from sparks.library.albums.album_photos import find_album_photo, remove_photo
from sparks.library.albums.members import find_member
from sparks.library.live_events import announce_albums, membership_changed
from sparks.library.photo_followups import update_followups
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import changes, from_item, key_of
from sparks.library.timeline_blobs import drop_scope
from sparks.model.album import Album, AlbumMember, AlbumPhoto, Comment, Like
from sparks.model.errors import ConditionFailed, Migrating, NotFound
from sparks.model.keyring import Keyring
from sparks.model.scope import scope_of_album
from sparks.table.port import Absent, AttributeAbsent, Change, Check, Delete, Key, Partition, Present, Table, every

BATCH_SIZE: Final = 40  # members in a transaction, each with a live event


def begin_album_deletion(album: Album, *, also: Sequence[Change] = (), at: datetime, table: Table) -> None:
    """Removes all members together with `also`, so that no photo is seen because of the album any more. The members are
    told, and the event streams of its guests end. `delete_album_rows` deletes the rest. A repeat announces it again.
    """
    going = changes(album, replace(album, deleting_at=at), when=(Present(), AttributeAbsent("deletingAt")))
    try:
        table.write(going, *also)
    except ConditionFailed as failed:
        if failed.position > 0:
            raise
    remove_members(album.album_id, at=at, table=table)
    announce_albums([album.album_id], at=at, table=table)


def remove_members(album_id: str, *, at: datetime, table: Table) -> None:
    """Removes the members of an album that is being deleted. Each is told, unless their account is being removed."""
    members = every(table, keys.album_rows(album_id), keys.MEMBERS)
    while some := [from_item(AlbumMember, row) for row in islice(members, BATCH_SIZE)]:
        table.write(*(Delete(key_of(member)) for member in some))
        for member in some:
            announce_membership(album_id, member.email, at=at, table=table)


def announce_membership(album_id: str, email: str, *, at: datetime, table: Table) -> None:
    """Announces to a user's pages that they joined or left an album; the pages look up which. A user whose account is
    being removed gets no event.
    """
    there = Check(keys.user(email), (Present(), AttributeAbsent("removedAt")))
    try:
        table.write(there, membership_changed(album_id, email, at=at))
    except ConditionFailed:
        return


def delete_album_rows(album_id: str, *, at: datetime, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Deletes everything of an album that is being deleted, except its photos. Any other album stays."""
    item = table.get(keys.album(album_id))
    if item is None or from_item(Album, item).deleting_at is None:
        return
    remove_members(album_id, at=at, table=table)
    for row in _placed(album_id, table):
        remove_from_album(row, table=table, blobs=blobs, keyring=keyring)
    for link in every(table, entity_types.share_link(album_id), only=frozenset()):
        for each in every(table, Partition(link["PK"]), only=frozenset()):
            table.write(Delete(Key(each["PK"], each["SK"])))
    drop_scope(scope_of_album(album_id), blobs=blobs, keyring=keyring)
    table.write(Delete(keys.album(album_id)))


def remove_member_content(album_id: str, email: str, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Removes the content of a former member from the album: the photos that they own and added, and their comments and
    likes. A user who has joined again keeps what is left. A photo that came from the service that Sparks replaces stays
    as long as that service says in which album it is.
    """
    gone = Check(keys.album_member(album_id, email), (Absent(),))
    staying: set[str] = set()
    for row in _placed(album_id, table, by=email, besides=staying):
        try:
            remove_from_album(row, also=(gone,), table=table, blobs=blobs, keyring=keyring)
        except ConditionFailed:
            return
        except Migrating:
            staying.add(row.image_id)
    if find_member(album_id, email, table=table) is None:
        comments = (from_item(Comment, row) for row in every(table, entity_types.comment(album_id)))
        likes = (from_item(Like, row) for row in every(table, entity_types.like(album_id)))
        theirs = [key_of(each) for each in comments if each.who == email]
        theirs += [key_of(each) for each in likes if each.who == email]
        for key in theirs:
            table.write(Delete(key))


def remove_from_album(
    row: AlbumPhoto, *, also: Sequence[Change] = (), table: Table, blobs: Blobs, keyring: Keyring
) -> None:
    """Removes the photo from the album and its months. ConditionFailed where a change of `also` fails."""
    photo = read_photo(keys.photo(row.image_id, row.owner), table=table)
    if photo is not None:
        with suppress(NotFound):  # it is being deleted, or was removed: its rows are deleted all the same
            remove_photo(photo, row.album_id, also=also, table=table)
    else:
        table.write(Delete(key_of(row)), *also)
    update_followups(row.image_id, row.owner, table=table, blobs=blobs, keyring=keyring)


def _placed(
    album_id: str, table: Table, *, by: str | None = None, besides: Collection[str] = ()
) -> Iterator[AlbumPhoto]:
    """The photos in the album or its queue: all of them, or those that a user added and owns; not those of these ids,
    to which more may be added meanwhile.
    """
    there = True
    while there:
        there = False
        for within in (entity_types.album_photo(album_id), entity_types.album_queue(album_id)):
            for listed in every(table, within, only=frozenset({"owner", "addedBy"})):
                if by is not None and {listed.get("owner"), listed.get("addedBy")} != {by}:
                    continue
                if listed["PK"] in besides:
                    continue
                row = find_album_photo(listed["PK"], album_id, table=table)
                if row is not None:
                    there = True
                    yield row
