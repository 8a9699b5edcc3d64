"""Steps that remove an account with everything that it owns.

The request closes the account; the steps run until nothing is left of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library import blob_keys, entity_types, keys
from sparks.library.accounts.lifecycle import begin_removal, closed_user, finish_removal, while_account_closing
from sparks.library.albums.album_deletion import begin_album_deletion, delete_album_rows, remove_member_content
from sparks.library.albums.album_lookup import find_album
from sparks.library.audit import AuditAction, audit_row
from sparks.library.photo_deletion import delete_photo
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import from_item, key_of, read_items, to_item
from sparks.library.timeline_blobs import drop_scope
from sparks.model.account import User
from sparks.model.album import AlbumMember
from sparks.model.errors import ConditionFailed, Conflict, Migrating, NotFound
from sparks.model.events import AccountRemovalBegun, UpkeepDue
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_owner
from sparks.model.system_records import JobState
from sparks.model.times import now
from sparks.table.port import Delete, Item, Key, Put, Table, Within, every

PROGRESS_EVERY: Final = 20  # photos
PHOTOS: Final = "photosRemoved"
RESUME_AFTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RemovalProgress:
    started_at: datetime
    photos_removed: int


def close_account(email: str, *, by: str, at: datetime, table: Table) -> AccountRemovalBegun:
    """Closes the account, so that the user cannot sign in any more. The caller must send the returned event; a repeat
    returns it again.
    """
    begin_removal(email, also=(audit_row(AuditAction.USER_REMOVED, who=by, target=email, at=at),), at=at, table=table)
    return AccountRemovalBegun(email)


def removal_progress(email: str, *, table: Table) -> RemovalProgress:
    """NotFound where no removal of this account is running."""
    user = closed_user(email, table=table)
    if user is None or user.removed_at is None:
        raise NotFound("no removal of this account is running: it is finished, or was never started")
    return RemovalProgress(user.removed_at, _photos_removed(email, table))


def remove_account(event: AccountRemovalBegun, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    """Deletes the photos, then the albums, then the other rows of the user, then the account itself.

    Nothing happens where no removal is running. Several may run at once: one that is behind when another has removed
    the account stops.
    """
    user = closed_user(event.email, table=table)
    if user is None:
        return
    try:
        _delete_photos(user, table, blobs, jobs, keyring)
        _delete_and_leave_albums(user, table, blobs, keyring)
        _delete_other_rows(user, table, blobs, keyring)
        finish_removal(user.email, also=(Delete(keys.job_state(_job(user.email))),), table=table)
    except ConditionFailed:
        current = closed_user(event.email, table=table)
        if current is not None and current.removed_at == user.removed_at:
            raise


def resume_removals(event: UpkeepDue, *, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    """Continues removals that began a while ago: the process that should send their event may have been killed."""
    for user in read_items(User, every(table, entity_types.USERS)):
        if user.removed_at is not None and user.removed_at + RESUME_AFTER <= event.at:
            remove_account(AccountRemovalBegun(user.email), table=table, blobs=blobs, jobs=jobs, keyring=keyring)


def _delete_photos(user: User, table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring) -> None:
    removed, closing = _photos_removed(user.email, table), while_account_closing(user)
    for photo in _photos_of(user.email, table):
        try:
            delete_photo(photo, also=(closing,), table=table, blobs=blobs, jobs=jobs, keyring=keyring)
        except (ConditionFailed, Migrating):
            raise
        except Conflict:
            continue  # its upload was completed meanwhile: the next pass finds it as a photo
        removed += 1
        if removed % PROGRESS_EVERY == 0:
            table.write(Put(to_item(JobState(job_name=_job(user.email), stats={PHOTOS: removed}))), closing)


def _photos_of(email: str, table: Table) -> Iterator[Photo]:
    """All photos of the user in any state. A photo may move from one list to another while they are read, and a list
    may lag: so each photo is read by its key, and the lists are read until they lead to none.
    """
    found_any = True
    while found_any:
        found_any = False
        for within in (
            entity_types.RESERVED,
            entity_types.trashed(email),
            keys.uploads_of(email),
            entity_types.DELETING,
        ):
            for listed in read_items(Photo, every(table, within)):
                photo = read_photo(key_of(listed), table=table) if listed.owner == email else None
                if photo is not None:
                    found_any = True
                    yield photo


def _delete_and_leave_albums(user: User, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Deletes the user's own albums, and removes the user and their comments from other albums."""
    closing = while_account_closing(user)
    for row in every(table, entity_types.album_member(user.email)):
        album_id = from_item(AlbumMember, row).album_id
        album = find_album(album_id, table=table)
        if album is not None and album.owner == user.email:
            begin_album_deletion(album, also=(closing,), at=now(), table=table)
            delete_album_rows(album_id, at=now(), table=table, blobs=blobs, keyring=keyring)
        else:
            table.write(Delete(keys.album_member(album_id, user.email)), closing)
            remove_member_content(album_id, user.email, table=table, blobs=blobs, keyring=keyring)


def _delete_other_rows(user: User, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    closing = while_account_closing(user)
    for row in _rows_of(user.email, table):
        table.write(Delete(Key(row["PK"], row["SK"])), closing)
    if user.profile_picture is not None and user.profile_picture.startswith(blob_keys.PROFILE_PICTURES):
        blobs.delete(user.profile_picture)
    drop_scope(scope_of_owner(user.email), blobs=blobs, keyring=keyring)


def _rows_of(email: str, table: Table) -> Iterator[Item]:
    """Credentials, memberships, favorites, counters, live events and invitations of the user."""
    scope = scope_of_owner(email)
    lists: tuple[Within, ...] = (
        entity_types.session(email),
        entity_types.api_key(email),
        entity_types.album_member(email),
        entity_types.favorite(email),
        entity_types.tag_rename(email),
        entity_types.person_in_scope(scope),
        entity_types.person_in_scope(scope, listed=False),
        keys.months(scope),
        keys.tags(scope),
        keys.events(scope),
    )
    for within in lists:
        yield from every(table, within)
    for invitation in every(table, entity_types.INVITATIONS):
        if invitation.get("createdBy") == email:
            yield invitation


def _photos_removed(email: str, table: Table) -> int:
    state = table.get(keys.job_state(_job(email)))
    stats = None if state is None else from_item(JobState, state).stats
    return int((stats or {}).get(PHOTOS, 0))


def _job(email: str) -> str:
    return f"remove {email}"
