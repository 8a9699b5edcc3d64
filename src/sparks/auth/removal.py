"""Removing a user with all that they own. The account is closed before; this goes on until nothing is left of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library import entity_types, keys, objects
from sparks.library.accounts import begin_removal, closed_user, erase_account, while_closed
from sparks.library.albums import begin_album_deletion, clear_album, find_album, withdraw_member
from sparks.library.audit import Deed, audit
from sparks.library.forgetting import forget_photo
from sparks.library.months import drop_scope
from sparks.library.records import from_item, to_item
from sparks.model.account import User
from sparks.model.album import AlbumMember
from sparks.model.errors import ConditionFailed, Conflict, NotFound
from sparks.model.events import RemovalBegun, UpkeepDue
from sparks.model.keyring import Keyring
from sparks.model.ledger import JobState
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_owner
from sparks.model.times import now
from sparks.table.port import Delete, Item, Key, Put, Table, Within, every

NOTED_EVERY: Final = 20
PHOTOS: Final = "photosRemoved"
GIVEN_UP_AFTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Removal:
    started_at: datetime
    photos_removed: int


def close_account(email: str, *, by: str, at: datetime, table: Table) -> RemovalBegun:
    """Nobody can sign in to it any more. What is returned must be sent on its way, again where this is repeated."""
    begin_removal(email, also=(audit(Deed.USER_REMOVED, who=by, target=email, at=at),), at=at, table=table)
    return RemovalBegun(email)


def removal_of(email: str, *, table: Table) -> Removal:
    """How far it is; NotFound where none is going on."""
    user = closed_user(email, table=table)
    if user is None or user.removed_at is None:
        raise NotFound("no removal of this user is going on: they are gone, or nobody has removed them")
    return Removal(user.removed_at, _noted(email, table))


def remove_account(event: RemovalBegun, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    """Erases the photos, then the albums, then what else is the user's, then the account itself.

    Nothing happens where no removal is going on. Several may run at once: whoever is behind when the account is gone
    has nothing left to do.
    """
    user = closed_user(event.email, table=table)
    if user is None:
        return
    try:
        _erase_photos(user, table, blobs, jobs, keyring)
        _leave_albums(user, table, blobs, keyring)
        _erase_rest(user, table, blobs, keyring)
        erase_account(user.email, also=(Delete(keys.job_state(_job(user.email))),), table=table)
    except ConditionFailed:
        now = closed_user(event.email, table=table)
        if now is not None and now.removed_at == user.removed_at:
            raise


def resume_removals(event: UpkeepDue, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    """Goes on with those that began long ago: whoever should have sent them on their way was interrupted, perhaps."""
    for item in every(table, entity_types.USERS):
        user = from_item(User, item)
        if user.removed_at is not None and user.removed_at + GIVEN_UP_AFTER <= event.at:
            remove_account(RemovalBegun(user.email), table=table, blobs=blobs, jobs=jobs, keyring=keyring)


def _erase_photos(user: User, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    removed, going = _noted(user.email, table), while_closed(user)
    for photo in _photos_of(user.email, table):
        try:
            forget_photo(photo, also=(going,), table=table, blobs=blobs, jobs=jobs, keyring=keyring)
        except ConditionFailed:
            raise
        except Conflict:
            continue  # its upload was completed this very moment: it is found once more, as it is now
        removed += 1
        if removed % NOTED_EVERY == 0:
            table.write(Put(to_item(JobState(job_name=_job(user.email), stats={PHOTOS: removed}))), going)


def _photos_of(email: str, table: Table) -> Iterator[Photo]:
    """Those on their way in or out, in the trash and to be seen. A photo may go from one list to another while they are
    read, and a list may be behind: each photo is looked at by its key, and the lists are read until none is there.
    """
    there = True
    while there:
        there = False
        for within in (
            entity_types.RESERVED,
            entity_types.trashed(email),
            keys.uploads_of(email),
            entity_types.DELETING,
        ):
            for item in every(table, within):
                key = keys.photo(item["PK"], email)
                found = table.get(key) if key.sk == item["SK"] else None
                if found is not None:
                    there = True
                    yield from_item(Photo, found)


def _leave_albums(user: User, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Their own albums go, and in those of others nothing is left that they said."""
    going = while_closed(user)
    for row in every(table, entity_types.album_member(user.email)):
        album_id = from_item(AlbumMember, row).album_id
        album = find_album(album_id, table=table)
        if album is not None and album.owner == user.email:
            begin_album_deletion(album, also=(going,), at=now(), table=table)
            clear_album(album_id, at=now(), table=table, blobs=blobs, keyring=keyring)
        else:
            table.write(Delete(keys.album_member(album_id, user.email)), going)
            withdraw_member(album_id, user.email, table=table, blobs=blobs, keyring=keyring)


def _erase_rest(user: User, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    going = while_closed(user)
    for row in _rows_of(user.email, table):
        table.write(Delete(Key(row["PK"], row["SK"])), going)
    if user.profile_picture is not None and user.profile_picture.startswith(objects.PROFILE_PICTURES):
        blobs.delete(user.profile_picture)
    drop_scope(scope_of_owner(user.email), blobs=blobs, keyring=keyring)


def _rows_of(email: str, table: Table) -> Iterator[Item]:
    """What lets them in, what they have promised, marked and joined, what is counted for them, and told to them."""
    mine = scope_of_owner(email)
    lists: tuple[Within, ...] = (
        entity_types.session(email),
        entity_types.api_key(email),
        entity_types.album_member(email),
        entity_types.favourite(email),
        entity_types.person_in_scope(mine),
        entity_types.person_in_scope(mine, listed=False),
        keys.months(mine),
        keys.tags(mine),
        keys.events(mine),
    )
    for within in lists:
        yield from every(table, within)
    for invitation in every(table, entity_types.INVITATIONS):
        if invitation.get("createdBy") == email:
            yield invitation


def _noted(email: str, table: Table) -> int:
    state = table.get(keys.job_state(_job(email)))
    stats = None if state is None else from_item(JobState, state).stats
    return int((stats or {}).get(PHOTOS, 0))


def _job(email: str) -> str:
    return f"remove {email}"
