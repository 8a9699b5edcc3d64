"""Sparks as the target: rows put, changed and removed as the records of the source say, one transaction each.

The row of a record's old id (`ExternalId`) leads to what it became, and holds its issues. It is written in the same
transaction, so that a repeat finds what the first run made. All tables that are handed in check the lease.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sparks.accounts.remove_account import remove_account
from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.journey import Journey
from sparks.library import keys
from sparks.library.accounts.lifecycle import begin_removal
from sparks.library.accounts.users import find_user, update_user
from sparks.library.albums.album_deletion import begin_album_deletion, delete_album_rows
from sparks.library.albums.album_lookup import find_album
from sparks.library.albums.album_photos import add_photo, remove_photo
from sparks.library.photo_deletion import content_digest_removals, finish_deletion
from sparks.library.photos.album_membership import albums_holding
from sparks.library.photos.edit_and_trash import restore_photo
from sparks.library.photos.photo_rows import read_photo, update_photo
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.library.upload_limits.account_limit import BYTES, set_left
from sparks.library.upload_limits.account_limit import PHOTOS as PHOTO_COUNT
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.migrate.gallery import SOURCE_COLUMNS, issue_rows
from sparks.migrate.new_ids import new_id_of
from sparks.migrate.new_rows import (
    NOTHING,
    NewRows,
    album_owner,
    described_by,
    old_id_row,
    photo_rows,
    placement,
    user_rows,
    with_object_issue,
)
from sparks.migrate.objects import Objects
from sparks.migrate.records import SourceAlbum, SourcePhoto, SourceRecord, SourceUser, with_issue
from sparks.migrate.source_renditions import take_over_renditions
from sparks.model.account import User
from sparks.model.errors import NotFound
from sparks.model.events import AccountRemovalBegun, PhotoChanged, PhotoDeletionBegun, Uploaded
from sparks.model.keyring import Keyring
from sparks.model.migration import ALBUMS, PHOTOS, USERS
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.photo_index import ContentDigest, ExternalId
from sparks.model.times import now
from sparks.table.port import (
    Absent,
    Add,
    Change,
    Conditions,
    Delete,
    Equals,
    Key,
    NotEquals,
    Present,
    Put,
    Table,
)

ADOPTED: Final = "adopted"  # on the old id of a user whose account was there before
ADDRESS_CHANGED: Final = (
    "the account was made with the address {}, which is its key and cannot change: set the address back, or accept this"
)
ADDRESS_TAKEN: Final = (
    "another user has this address but for the case of its letters: give each of them an address of its own in a CSV "
    "file (user_id,email) to `retry`"
)
NO_USER: Final = "the user of this row was not taken: see the issue of that user"
NO_ALBUM: Final = "there is no such album, or it was not taken: the photo is taken without it"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Accounts:
    """The amounts that a new account may upload, and the visibility of photos."""

    photos: int
    bytes: int
    visibility: Visibility


@dataclass(slots=True)
class Target:
    table: Table
    blobs: Blobs
    jobs: Jobs
    keyring: Keyring
    objects: Objects
    accounts: Accounts
    renderer: SandboxedRenderer | None = None
    journey: Journey = field(default_factory=Journey)

    # -- Old ids

    def known(self, table: str, ids: Iterable[str]) -> dict[str, ExternalId]:
        """The rows of these old ids, by id."""
        found = self.table.get_many([keys.external_id(table, each) for each in ids])
        return {known.old_id: known for known in (from_item(ExternalId, item) for item in found.values())}

    def target_ids(self, table: str, ids: Iterable[str]) -> dict[str, str]:
        """The new ids of these rows; those that were not taken are left out."""
        known = self.known(table, set(ids))
        return {old_id: row.target_id for old_id, row in known.items() if row.target_id is not None}

    # -- New rows

    def new_user(self, user: SourceUser, email: str, known: ExternalId | None = None) -> NewRows:
        return user_rows(user, email, known, photos=self.accounts.photos, bytes=self.accounts.bytes)

    def new_photo(
        self, photo: SourcePhoto, owner: str, album_id: str | None, known: ExternalId | None = None
    ) -> NewRows:
        """Its object is copied first: the blob is stored before the row."""
        return self._photo_rows(photo, new_id_of(photo.id, photo.created_at), owner, album_id, known)

    def _photo_rows(
        self,
        photo: SourcePhoto,
        image_id: str,
        owner: str,
        album_id: str | None,
        known: ExternalId | None = None,
    ) -> NewRows:
        stored = self.objects.copy(photo.object_key, image_id, blobs=self.blobs)
        visibility = self.accounts.visibility
        made: Mapping[str, int] = {}
        if stored is not None and stored.kind is not None and photo.renditions and self.renderer is not None:
            made = take_over_renditions(
                image_id, photo.renditions, objects=self.objects, blobs=self.blobs, renderer=self.renderer
            )
        return photo_rows(photo, image_id, owner, album_id, known, stored=stored, made=made, visibility=visibility)

    # -- Writing new rows

    def put(self, new: Sequence[NewRows]) -> None:
        """Writes all of them in one transaction, and sends what follows. ConditionFailed where one is there already."""
        puts = [put for each in new for put in each.puts]
        self.table.write(*puts, *self._digests(puts), *self._limits(new))
        for each in new:
            if each.follows is not None:
                self.journey.send_after(each.follows, jobs=self.jobs)

    def _digests(self, puts: Iterable[Put]) -> list[Change]:
        """Digests of photos whose bytes no photo of the same owner has yet: equal bytes stay separate photos."""
        rows: dict[Key, ContentDigest] = {}
        for item in (put.item for put in puts if "sha256" in put.item):
            for digest in (item["sha256"], item["sha1"]):
                row = ContentDigest(who=item["owner"], digest=digest, image_id=item["imageId"], owner=item["owner"])
                rows.setdefault(key_of(row), row)
        there = self.table.get_many(list(rows)) if rows else {}
        return [Put(to_item(row), when=(Absent(),)) for key, row in rows.items() if key not in there]

    def _limits(self, new: Iterable[NewRows]) -> list[Change]:
        """What the accounts were given grows by the photos that come with them; what is left stays."""
        given: dict[str, tuple[int, int]] = {}
        for each in new:
            if each.owner is not None:
                photos, size = given.get(each.owner, (0, 0))
                given[each.owner] = photos + 1, size + each.size
        return self._given(given)

    def _given(self, amounts: Mapping[str, tuple[int, int]]) -> list[Change]:
        """Adds photos and bytes to what each of these accounts was given. An account that was there before may not
        count that.
        """
        rows = self.table.get_many(list(map(keys.upload_limit, amounts))) if amounts else {}
        found: list[Change] = []
        for email, (photos, size) in amounts.items():
            key = keys.upload_limit(email)
            added = {PHOTO_COUNT.given: photos, BYTES.given: size}
            held = {name: amount for name, amount in added.items() if amount and name in rows.get(key, NOTHING)}
            found += [Add(key, held, when=(Present(),))] if held else []
        return found

    # -- Changes of rows that are there

    def note_issues(self, known: ExternalId, record: SourceRecord) -> None:
        """Makes the issues on the row of the old id those of the record. It leads nowhere once a record that cannot be
        taken is gone from the target, too, with the account of its owner.
        """
        noted = replace(known, issues=tuple(issue_rows(record)))
        if not record.is_taken and not self._is_there(known):
            noted = replace(noted, target_id=None, owner=None)
        if noted != known:
            self.table.write(changes(known, noted))

    def _is_there(self, known: ExternalId) -> bool:
        if known.system == PHOTOS:
            return self.photo_of(known) is not None
        return known.target_id is not None and self.table.get(self._key(known)) is not None

    def _key(self, known: ExternalId) -> Key:
        target_id = known.target_id or ""
        return keys.album(target_id) if known.system == ALBUMS else keys.user(target_id)

    def change_user(self, known: ExternalId, user: SourceUser) -> None:
        """A changed address is not taken: an account keeps its address."""
        email = known.target_id or ""

        def plan(account: User) -> tuple[User, Sequence[Change]] | None:
            changed = replace(account, username=user.username, created_at=user.created_at, source_id=user.id)
            changed = replace(changed, extra=user.extra_over(account.extra))
            return None if changed == account else (changed, ())

        update_user(email, plan, table=self.table)
        if user.photos_left is not None:
            set_left(email, photos=user.photos_left, table=self.table)
        self.note_issues(known, with_address_issue(user, email))

    def adopt_user(self, user: SourceUser, email: str, known: ExternalId | None = None) -> None:
        """Links the user to the account that their address has already."""
        row = old_id_row(USERS, user, email, known=known, extra={ADOPTED: True})

        def plan(account: User) -> tuple[User, Sequence[Change]]:
            linked = replace(account, username=user.username, created_at=user.created_at, source_id=user.id)
            return replace(linked, extra=user.extra_over(account.extra)), ()

        update_user(email, plan, also=(row,), table=self.table)

    def change_album(self, known: ExternalId, album: SourceAlbum, owner: str) -> None:
        there = find_album(known.target_id or "", table=self.table)
        if there is None:
            raise NotFound(NO_ALBUM)
        changed = replace(
            there,
            owner=owner,
            title=album.title,
            description=album.description,
            created_at=album.created_at,
            updated_at=album.updated_at,
            extra=album.extra_over(there.extra),
        )
        others: list[Change] = []
        if there.owner != owner:
            others = [
                Delete(keys.album_member(there.album_id, there.owner)),
                Put(to_item(album_owner(changed, owner))),
            ]
        row = replace(known, owner=owner, issues=tuple(issue_rows(album)))
        if changed != there or row != known:
            self.table.write(changes(there, changed), changes(known, row), *others)

    def change_photo(self, known: ExternalId, photo: SourcePhoto, owner: str, album_id: str | None) -> None:
        """A photo of another owner or object is made anew, under the same id. One in the trash of Sparks comes out of
        it: it is in use in the source.
        """
        there = self.photo_of(known)
        if there is None or there.state is PhotoState.DELETING or self._is_other(there, photo, owner):
            self.remove_photo(known)
            self.put([self._photo_rows(photo, known.target_id or "", owner, album_id)])
            return
        there = self._move(self._restored(there), photo, album_id)
        changed = update_photo(there, lambda now: described_by(now, photo), watching=_DESCRIBED, table=self.table)
        self.note_issues(known, _kept_object_issue(photo, known))
        if changed.state is PhotoState.READY:
            self.journey.send_after(PhotoChanged(changed.image_id, changed.owner), jobs=self.jobs)

    def _restored(self, photo: Photo) -> Photo:
        if photo.state is not PhotoState.TRASHED:
            return photo
        restored = restore_photo(photo, at=now(), table=self.table)
        if restored.state is PhotoState.PENDING:
            self.journey.send_after(Uploaded(restored.image_id, restored.owner), jobs=self.jobs)
        return restored

    def photo_of(self, known: ExternalId) -> Photo | None:
        """The photo's row in any state; None where there is none."""
        if known.target_id is None or known.owner is None:
            return None
        return read_photo(keys.photo(known.target_id, known.owner), table=self.table)

    def _is_other(self, there: Photo, photo: SourcePhoto, owner: str) -> bool:
        is_missing = there.original_key is None and self.objects.find(photo.object_key) is not None
        return there.owner != owner or object_key_of(there) != photo.object_key or is_missing

    def _move(self, there: Photo, photo: SourcePhoto, album_id: str | None) -> Photo:
        """Moves the photo to the album that its row names now. Other albums, which the source does not know, stay."""
        columns = there.extra.get(SOURCE_COLUMNS, {})
        before = self.target_ids(ALBUMS, [columns["album_id"]]) if "album_id" in columns else {}
        held = {row.album_id for row in albums_holding(there.image_id, table=self.table)}
        for left in {*before.values()} & held - {album_id}:
            remove_photo(there, left, table=self.table)
        if album_id is not None and album_id not in held:
            add_photo(there, placement(photo, album_id, there.owner), table=self.table)
        return read_photo(key_of(there), table=self.table) or there

    # -- Removals

    def remove(self, table: str, known: ExternalId) -> None:
        """Removes what the row became, and the row of its old id last."""
        removals: dict[str, Callable[[ExternalId], None]] = {
            USERS: self._remove_user,
            ALBUMS: self._remove_album,
            PHOTOS: self.remove_photo,
        }
        removals[table](known)

    def _remove_user(self, known: ExternalId) -> None:
        email = known.target_id
        if email is not None and ADOPTED in known.extra:
            self._release_adopted(email)
        elif email is not None:
            try:
                begin_removal(email, table=self.table)
            except NotFound:
                log.info("an account that the source has removed is gone already")
            event = AccountRemovalBegun(email)
            remove_account(event, table=self.table, blobs=self.blobs, jobs=self.jobs, keyring=self.keyring)
        self.table.write(Delete(key_of(known)))

    def _release_adopted(self, email: str) -> None:
        """An account that was there before the migration stays."""
        if find_user(email, table=self.table) is not None:
            update_user(email, lambda account: (replace(account, source_id=None), ()), table=self.table)

    def _remove_album(self, known: ExternalId) -> None:
        album_id = known.target_id
        album = None if album_id is None else find_album(album_id, table=self.table)
        if album is not None:
            begin_album_deletion(album, at=now(), table=self.table)
        if album_id is not None:
            delete_album_rows(album_id, at=now(), table=self.table, blobs=self.blobs, keyring=self.keyring)
        self.table.write(Delete(key_of(known)))

    def remove_photo(self, known: ExternalId) -> None:
        """Leaves nothing of the photo. What its owner was given shrinks with it; what is left to upload stays."""
        photo = self.photo_of(known)
        if photo is not None:
            self._begin_removal(photo)
            event = PhotoDeletionBegun(photo.image_id, photo.owner)
            finish_deletion(event, table=self.table, blobs=self.blobs, jobs=self.jobs, keyring=self.keyring)
        self.table.write(Delete(key_of(known)))

    def _begin_removal(self, photo: Photo) -> None:
        if photo.state is PhotoState.DELETING:
            return
        gone = replace(photo, state=PhotoState.DELETING, ttl=None)
        as_seen = (Present(), NotEquals("entityType", PhotoState.DELETING.value), *_same_size(photo))
        self.table.write(
            changes(photo, gone, when=as_seen),
            *content_digest_removals(photo, self.table),
            *self._given({photo.owner: (-1, -(photo.file_size or 0))}),
        )


_DESCRIBED: Final = ("title", "description", "altText", "tags", "originalFilename", "updatedAt", SOURCE_COLUMNS)


def object_key_of(photo: Photo) -> str | None:
    """The key of the object that the photo was copied from."""
    columns: Mapping[str, Any] = photo.extra.get(SOURCE_COLUMNS, {})
    return columns.get("s3_key")


def with_address_issue(user: SourceUser, email: str) -> SourceUser:
    """The user, with an issue where their address is not that of the account any more."""
    if user.email == email:
        return user
    others = replace(user, issues=tuple(each for each in user.issues if each.field != "email"))
    return with_issue(others, USERS, "email", user.email, ADDRESS_CHANGED.format(email), taken=False)


def _kept_object_issue(photo: SourcePhoto, known: ExternalId) -> SourcePhoto:
    """The photo with the issue of its object, which did not change."""
    held = next((each for each in known.issues if each["field"] == "s3_key"), None)
    if held is None:
        return photo
    return with_object_issue(photo, held["reason"])


def _same_size(photo: Photo) -> Conditions:
    return () if photo.file_size is None else (Equals("fileSize", photo.file_size),)
