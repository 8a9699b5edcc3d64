"""Photos and members that leave an album, and albums that go: none of it deletes a photo.

An album that is deleted is nobody's at once: its members go first. Its photos leave one by one, so whoever is
interrupted finds the rest in the album's own lists, and its row last. Lists may be a moment behind: they are read until
none of what they tell is there.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import entity_types, keys
from sparks.library.albums.adding import find_place, remove_photo
from sparks.library.albums.members import find_member
from sparks.library.following import follow_photo
from sparks.library.live import announce_albums, membership_changed
from sparks.library.months import drop_scope
from sparks.library.photos import read_photo
from sparks.library.records import changes, from_item, key_of
from sparks.model.album import Album, AlbumMember, AlbumPhoto, Comment, Like
from sparks.model.errors import ConditionFailed, NotFound
from sparks.model.keyring import Keyring
from sparks.model.scope import scope_of_album
from sparks.table.port import Absent, AttributeAbsent, Change, Check, Delete, Key, Partition, Present, Table, every

AT_ONCE: Final = 40  # members in a transaction, each with what they are told


def begin_album_deletion(album: Album, *, also: Sequence[Change] = (), at: datetime, table: Table) -> None:
    """From now on nobody is a member of it, and nobody sees a photo because of it, together with `also`. Its members
    hear so, and the streams of its guests end. What is left of it goes with `clear_album`. Where that is so already, it
    is told once more.
    """
    going = changes(album, replace(album, deleting_at=at), when=(Present(), AttributeAbsent("deletingAt")))
    try:
        table.write(going, *also)
    except ConditionFailed as failed:
        if failed.position > 0:
            raise
    drop_members(album.album_id, at=at, table=table)
    announce_albums([album.album_id], at=at, table=table)


def drop_members(album_id: str, *, at: datetime, table: Table) -> None:
    """Of an album that goes. Each is told so, unless they are being removed themselves."""
    members = every(table, keys.album_rows(album_id), keys.MEMBERS)
    while some := [from_item(AlbumMember, row) for row in islice(members, AT_ONCE)]:
        table.write(*(Delete(key_of(member)) for member in some))
        for member in some:
            tell_member(album_id, member.email, at=at, table=table)


def tell_member(album_id: str, email: str, *, at: datetime, table: Table) -> None:
    """Tells somebody's pages that an album is not theirs to see any more, or is from now on: whichever it is by the
    time they hear it. Who is being removed is told nothing.
    """
    there = Check(keys.user(email), (Present(), AttributeAbsent("removedAt")))
    try:
        table.write(there, membership_changed(album_id, email, at=at))
    except ConditionFailed:
        return


def clear_album(album_id: str, *, at: datetime, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Nothing of an album that is being deleted is left when this returns, but its photos. Any other stays."""
    item = table.get(keys.album(album_id))
    if item is None or from_item(Album, item).deleting_at is None:
        return
    drop_members(album_id, at=at, table=table)
    for row in _placed(album_id, table):
        leave_album(row, table=table, blobs=blobs, keyring=keyring)
    for link in every(table, entity_types.share_link(album_id), only=frozenset()):
        for each in every(table, Partition(link["PK"]), only=frozenset()):
            table.write(Delete(Key(each["PK"], each["SK"])))
    drop_scope(scope_of_album(album_id), blobs=blobs, keyring=keyring)
    table.write(Delete(keys.album(album_id)))


def withdraw_member(album_id: str, email: str, *, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """What is theirs leaves an album that they have left: the photos that they own and put there, and what they said.
    Who has come back keeps what is left.
    """
    gone = Check(keys.album_member(album_id, email), (Absent(),))
    try:
        for row in _placed(album_id, table, by=email):
            leave_album(row, also=(gone,), table=table, blobs=blobs, keyring=keyring)
    except ConditionFailed:
        return
    if find_member(album_id, email, table=table) is None:
        comments = (from_item(Comment, row) for row in every(table, entity_types.comment(album_id)))
        likes = (from_item(Like, row) for row in every(table, entity_types.like(album_id)))
        theirs = [key_of(each) for each in comments if each.who == email]
        theirs += [key_of(each) for each in likes if each.who == email]
        for key in theirs:
            table.write(Delete(key))


def leave_album(row: AlbumPhoto, *, also: Sequence[Change] = (), table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """The photo is in the album, and in its months, no more. ConditionFailed where a change of `also` fails."""
    photo = read_photo(keys.photo(row.image_id, row.owner), table=table)
    if photo is not None:
        with suppress(NotFound):  # it is being deleted, or was taken out: its rows go all the same
            remove_photo(photo, row.album_id, also=also, table=table)
    else:
        table.write(Delete(key_of(row)), *also)
    follow_photo(row.image_id, row.owner, table=table, blobs=blobs, keyring=keyring)


def _placed(album_id: str, table: Table, *, by: str | None = None) -> Iterator[AlbumPhoto]:
    """What is in the album, or waits to be: all of it, or what somebody put there of their own."""
    there = True
    while there:
        there = False
        for within in (entity_types.album_photo(album_id), entity_types.album_queue(album_id)):
            for listed in every(table, within, only=frozenset({"owner", "addedBy"})):
                if by is not None and {listed.get("owner"), listed.get("addedBy")} != {by}:
                    continue
                row = find_place(listed["PK"], album_id, table=table)
                if row is not None:
                    there = True
                    yield row
