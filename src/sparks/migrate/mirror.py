"""Mirror: writes to the source what people do in Sparks after the cutover, so that a rollback loses nothing of it.

Each entry of the outbox only names a photo, an album or a user. It is read as it is now, compared with its row in the
source, and the columns that differ are written. What the source cannot hold, such as a second album or a comment, is
counted.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

from sparks.library import keys
from sparks.library.accounts.users import find_user, update_user
from sparks.library.albums.album_lookup import find_album
from sparks.library.photos.album_membership import albums_holding
from sparks.library.photos.photo_rows import read_photo, update_photo
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.migrate.context import Migration
from sparks.migrate.gallery import SOURCE_COLUMNS, album_of, photo_of, user_of
from sparks.migrate.new_ids import new_id_of
from sparks.migrate.postgresql.mirror import CannotHold, MirrorWriter, Removal, Upsert
from sparks.migrate.postgresql.source import Source
from sparks.migrate.records import Row, SourcePhoto
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.errors import Conflict, NotFound
from sparks.model.ids import time_of
from sparks.model.migration import (
    ALBUMS,
    OUTBOX_SHARDS,
    PHOTOS,
    USERS,
    MirroredKind,
    MirrorOutboxEntry,
)
from sparks.model.photo import Photo, PhotoState
from sparks.model.photo_index import ExternalId
from sparks.model.stored import Stored
from sparks.model.times import iso, now
from sparks.table.port import Absent, Add, Change, Delete, Put, Table, every

BATCH: Final = 200
MAX_SIZE: Final = 2**31 - 1  # of `file_size`, an INTEGER
NOTHING_BACK: Final = "this source is DynamoDB, to which nothing is written back: go on with `sparks migrate finish`"
COUNTED: Final = "onlyInTarget"  # on the row of an old id: what the source cannot hold of a photo

T = TypeVar("T", bound=Stored)
log = logging.getLogger(__name__)


class Mirror:
    """Writes changes back. `applied` counts the entries that were written and deleted."""

    def __init__(self, migration: Migration) -> None:
        """Conflict for a source to which nothing can be written back."""
        if not isinstance(migration.source, Source):
            raise Conflict(NOTHING_BACK)
        self._migration = migration
        self._table = migration.table
        self._source = migration.source
        self._writer = MirrorWriter(migration.source, epoch=migration.epoch)
        self.applied = 0

    def step(self) -> int:
        """Writes one batch of entries; the number that was written, 0 where the outbox is empty."""
        entries = list(self._read())
        if not entries:
            return 0
        latest = {(entry.kind, entry.id): entry for entry in entries}
        for kind in MirroredKind.USER, MirroredKind.ALBUM, MirroredKind.PHOTO:
            for entry in [each for each in latest.values() if each.kind is kind]:
                self._mirror(entry)
        for kind in MirroredKind.PHOTO, MirroredKind.ALBUM, MirroredKind.USER:
            for entry in [each for each in latest.values() if each.kind is kind]:
                self._remove_if_gone(entry)
        for entry in entries:
            self._table.write(Delete(key_of(entry)))
        self.applied += len(entries)
        return len(entries)

    def drain(self) -> None:
        """Writes until the outbox is empty; for a target that takes no changes."""
        while self.step():
            self._migration.check()

    def catch_up(self) -> None:
        """Writes as many entries as are waiting now. People add others meanwhile."""
        waiting, _ = mirror_lag(self._table)
        done = self.applied + waiting
        while self.applied < done and self.step():
            self._migration.check()

    def report(self) -> int:
        """Writes down the lag; the number of entries that wait."""
        waiting, seconds = mirror_lag(self._table)
        self._migration.note(lag_changes=waiting, lag_seconds=round(seconds, 3), reported_at=now())
        return waiting

    def _read(self) -> Iterator[MirrorOutboxEntry]:
        for shard in range(OUTBOX_SHARDS):
            for item in self._table.query(keys.mirror_outbox(shard), limit=BATCH).items:
                yield from_item(MirrorOutboxEntry, item)

    def _mirror(self, entry: MirrorOutboxEntry) -> None:
        match entry.kind:
            case MirroredKind.USER:
                self._user_id(entry.id)
            case MirroredKind.ALBUM:
                self._album_id(entry.id)
            case MirroredKind.PHOTO:
                self._photo(entry)

    def _remove_if_gone(self, entry: MirrorOutboxEntry) -> None:
        table = {MirroredKind.USER: USERS, MirroredKind.ALBUM: ALBUMS, MirroredKind.PHOTO: PHOTOS}[entry.kind]
        old_id = entry.source_id or (None if entry.kind is MirroredKind.USER else entry.id)
        if old_id is None or self._is_there(entry):
            return
        self._writer.apply([Removal(table, old_id)])
        known = self._migration.target.known(table, [old_id]).get(old_id)
        if known is not None:
            self._table.write(Delete(key_of(known)), *_count(known, {}))

    def _is_there(self, entry: MirrorOutboxEntry) -> bool:
        match entry.kind:
            case MirroredKind.USER:
                return find_user(entry.id, table=self._table) is not None
            case MirroredKind.ALBUM:
                album = find_album(entry.id, table=self._table)
                return album is not None and album.deleting_at is None
        return self._kept_photo(entry) is not None

    # -- Users

    def _user_id(self, email: str) -> str | None:
        """The id of the user in the source, after their row there agrees with the account. None where the account is
        gone.
        """
        user = find_user(email, table=self._table)
        if user is None:
            return None
        old_id = user.source_id or new_id_of(email, user.created_at)
        row = self._row(USERS, old_id)
        columns: dict[str, Any] = {}
        if row is None or user_of(row).username != user.username:
            columns = {"username": user.username}
        if row is None:
            columns |= {"email": email, "created_at": _time(user.created_at)}
        self._write(Upsert(USERS, old_id, columns), self._note_user(user, old_id))
        return old_id

    def _note_user(self, user: User, old_id: str) -> Callable[[], None]:
        def note() -> None:
            if user.source_id is None:
                row = _new_known(USERS, old_id, user.email, None)
                update_user(user.email, lambda one: (replace(one, source_id=old_id), [row]), table=self._table)

        return note

    # -- Albums

    def _album_id(self, album_id: str) -> str | None:
        """The id of the album in the source, after its row there agrees. None where the album is gone."""
        album = find_album(album_id, table=self._table)
        user_id = None if album is None or album.deleting_at is not None else self._user_id(album.owner)
        if album is None or user_id is None:
            return None
        old_id = album.source_id or album_id
        row = self._row(ALBUMS, old_id)
        self._write(Upsert(ALBUMS, old_id, _album_columns(album, user_id, row)), self._note_album(album, old_id))
        return old_id

    def _note_album(self, album: Album, old_id: str) -> Callable[[], None]:
        def note() -> None:
            if album.source_id is None:
                row = _new_known(ALBUMS, old_id, album.album_id, album.owner)
                self._table.write(changes(album, replace(album, source_id=old_id)), row)

        return note

    # -- Photos

    def _kept_photo(self, entry: MirrorOutboxEntry) -> Photo | None:
        photo = None if entry.owner is None else read_photo(keys.photo(entry.id, entry.owner), table=self._table)
        hidden = (PhotoState.DELETING, PhotoState.RESERVED)
        return None if photo is None or photo.state in hidden else photo

    def _photo(self, entry: MirrorOutboxEntry) -> None:
        photo = self._kept_photo(entry)
        user_id = None if photo is None else self._user_id(photo.owner)
        if photo is None or user_id is None:
            return
        old_id = photo.source_id or photo.image_id
        row = self._row(PHOTOS, old_id)
        albums = self._albums_of(photo, row)
        columns = self._new_columns(photo, user_id) if row is None else _changed_columns(photo, photo_of(row))
        columns |= self._album_column(row, albums)
        self._write(Upsert(PHOTOS, old_id, columns), lambda: self._note_photo(photo, old_id, columns, albums))

    def _albums_of(self, photo: Photo, row: Row | None) -> list[str]:
        """The ids, in the source, of the albums that hold the photo: the one that the source has first, if it still
        does, then in the order in which it was added.
        """
        rows = [each for each in albums_holding(photo.image_id, table=self._table) if each.album_id in photo.albums]
        ids = [self._album_id(each.album_id) for each in sorted(rows, key=lambda each: each.added_at)]
        held = [album_id for album_id in ids if album_id is not None]
        return sorted(held, key=lambda album_id: album_id != (row or {}).get("album_id"))

    def _album_column(self, row: Row | None, albums: Sequence[str]) -> dict[str, Any]:
        """An album that was not taken, or does not exist, stays named where the photo is in no other one."""
        named = None if row is None else row.get("album_id")
        if albums:
            return {} if named == albums[0] else {"album_id": albums[0]}
        return {"album_id": None} if named is not None and self._migration.target.target_ids(ALBUMS, [named]) else {}

    def _new_columns(self, photo: Photo, user_id: str) -> dict[str, Any]:
        """All columns of a photo that was uploaded to Sparks. Its object is written first."""
        extension = PurePosixPath(photo.original_key or "").suffix
        key = f"images/{user_id}/{photo.image_id}{extension}"
        if photo.original_key is not None:
            self._migration.target.objects.write(key, self._migration.target.blobs.open(photo.original_key))
        return {
            "user_id": user_id,
            "original_filename": photo.original_filename or f"{photo.image_id}{extension}",
            "mime_type": photo.mime_type or "application/octet-stream",
            "file_size": min(photo.file_size or 0, MAX_SIZE),
            "width": photo.width,
            "height": photo.height,
            "s3_key": key,
            "title": photo.title,
            "description": photo.description,
            "alt_text": photo.alt_text,
            "tags": list(photo.tags),
            "created_at": _time(photo.uploaded_at),
            "updated_at": _time(photo.updated_at or photo.uploaded_at),
        }

    def _note_photo(self, photo: Photo, old_id: str, columns: Mapping[str, Any], albums: Sequence[str]) -> None:
        """Writes down in the target what the source has now, and what it cannot hold."""
        known = self._migration.target.known(PHOTOS, [old_id]).get(old_id)
        comments = sum(1 for _ in every(self._table, keys.photo_rows(photo.image_id), keys.COMMENTS, only=frozenset()))
        only_here = {"albums": max(0, len(albums) - 1), "comments": comments}
        if known is None:
            row = ExternalId(system=PHOTOS, old_id=old_id, target_id=photo.image_id, owner=photo.owner)
            self._table.write(Put(to_item(row), when=(Absent(),)))
            known = row
        counted = _count(known, only_here)
        if counted:
            noted = replace(known, extra={**known.extra, COUNTED: only_here})
            self._table.write(changes(known, noted), *counted)
        self._note_columns(photo, old_id, columns, albums)

    def _note_columns(self, photo: Photo, old_id: str, columns: Mapping[str, Any], albums: Sequence[str]) -> None:
        described = {name: columns[name] for name in ("s3_key", "mime_type", "file_size") if name in columns}

        def plan(current: Photo) -> Photo:
            held = {**current.extra.get(SOURCE_COLUMNS, {}), **described}
            held = {name: value for name, value in held.items() if name != "album_id"}
            held |= {"album_id": albums[0]} if albums else {}
            noted = replace(current, source_id=old_id, extra={**current.extra, SOURCE_COLUMNS: held})
            return _with_defaults(noted, columns)

        try:
            update_photo(photo, plan, table=self._table)
        except NotFound:
            return  # deleted meanwhile: an entry says so

    # -- Writing

    def _row(self, table: str, old_id: str) -> Row | None:
        return self._migration.source.rows(table, [old_id]).get(old_id)

    def _write(self, change: Upsert, note: Callable[[], None]) -> None:
        """Writes to the source, without the values that it cannot hold, and then to the target."""
        while change.columns:
            try:
                self._writer.apply([change])
                break
            except CannotHold as refused:
                if refused.column not in change.columns:
                    raise Conflict(str(refused)) from refused
                log.warning("the source cannot hold a value", extra={"table": change.table, "id": change.id})
                columns = {name: value for name, value in change.columns.items() if name != refused.column}
                change = replace(change, columns=columns)
        note()


def changed_ids(table: Table) -> set[str]:
    """The ids of photos and albums, and the addresses of users, that wait to be mirrored."""
    shards = (every(table, keys.mirror_outbox(shard)) for shard in range(OUTBOX_SHARDS))
    return {item["id"] for items in shards for item in items}


def mirror_lag(table: Table) -> tuple[int, float]:
    """The number of entries that wait to be mirrored, and the age of the oldest one in seconds."""
    ids = [
        item["SK"]
        for shard in range(OUTBOX_SHARDS)
        for item in every(table, keys.mirror_outbox(shard), only=frozenset())
    ]
    return len(ids), max(0.0, (now() - time_of(min(ids))).total_seconds()) if ids else 0.0


def _new_known(table: str, old_id: str, target_id: str, owner: str | None) -> Put:
    return Put(to_item(ExternalId(system=table, old_id=old_id, target_id=target_id, owner=owner)))


def _with_defaults(photo: Photo, columns: Mapping[str, Any]) -> Photo:
    """The photo with the name and the time of change that the source needs of a new row, where it has none itself."""
    if "s3_key" not in columns:
        return photo
    return replace(
        photo,
        original_filename=photo.original_filename or columns["original_filename"],
        updated_at=photo.updated_at or photo.uploaded_at,
    )


def _changed_columns(photo: Photo, record: SourcePhoto) -> dict[str, Any]:
    """The columns of a row that people have changed in Sparks."""
    values: dict[str, tuple[Any, Any]] = {
        "original_filename": (record.original_filename, photo.original_filename),
        "title": (record.title, photo.title),
        "description": (record.description, photo.description),
        "alt_text": (record.alt_text, photo.alt_text),
        "tags": (record.tags, photo.tags),
    }
    changed = {name: here for name, (there, here) in values.items() if there != here}
    if "tags" in changed:
        changed["tags"] = list(photo.tags)
    if photo.updated_at is not None and photo.updated_at != record.updated_at:
        changed["updated_at"] = _time(photo.updated_at)
    return changed


def _album_columns(album: Album, user_id: str, row: Row | None) -> dict[str, Any]:
    texts = {"title": album.title, "description": album.description}
    if row is None:
        created = _time(album.created_at)
        return {"user_id": user_id, **texts, "created_at": created, "updated_at": _time(album.updated_at) or created}
    record = album_of(row)
    changed = {name: value for name, value in texts.items() if getattr(record, name) != value}
    return changed | ({"updated_at": _time(album.updated_at)} if changed else {})


def _count(known: ExternalId, only_here: Mapping[str, int]) -> list[Change]:
    """The change of the totals where the source can hold more or less of a photo than before."""
    before: Mapping[str, int] = known.extra.get(COUNTED, {})
    moved = {name: only_here.get(name, 0) - before.get(name, 0) for name in {*before, *only_here}}
    amounts = {name: by for name, by in moved.items() if by}
    return [Add(keys.ONLY_IN_TARGET, amounts)] if amounts else []


def _time(time: datetime | None) -> str | None:
    return None if time is None else iso(time)
