"""Importer of one file: check, hash, deduplicate and store it.

An import may be interrupted at any moment. Before the upload is finalized, it leaves a reservation and perhaps a blob,
which expire together. After that, it leaves a photo, which the next import finds by its hash.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys, keys
from sparks.library.accounts.users import get_user
from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_lookup import find_album, owned_albums
from sparks.library.albums.album_photos import AddResult, AlbumPlacement, add_photo
from sparks.library.duplicates import find_existing_photo
from sparks.library.photos.photo_rows import update_photo
from sparks.media.digests import Digests, chunks_of, digests_of
from sparks.media.file_types import FileType
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import Conflict, Damaged, NotFound, TooLarge, UnsupportedType
from sparks.model.events import Event, PhotoChanged
from sparks.model.photo import Photo, Visibility
from sparks.model.text_validation import usable_tags
from sparks.model.times import now
from sparks.table.port import Table
from sparks.uploads.finalize import FinalizedUpload, StoredOriginal, finalize_upload
from sparks.uploads.folder_import.candidates import ImportCandidate
from sparks.uploads.folder_import.folder_walk import open_read_only
from sparks.uploads.folder_import.import_result import ImportResult, ImportStatus
from sparks.uploads.folder_import.sidecar_metadata import ImportedMetadata, read_sidecars
from sparks.uploads.reservations import cancel_upload, reserve_upload
from sparks.uploads.upload_request import UploadRequest, check_size

ALBUMS: Final = "albumNames"  # album titles on the row of a photo that was imported before Sparks had albums
CHANGED_WHILE_READ: Final = "it changed while it was read: import it again"
IN_GOOGLE_TRASH: Final = "it was in the trash of Google Photos"


class AlbumsByTitle:
    """The albums of one owner by title, regardless of case; of several with the same title, the oldest.

    An album that is deleted meanwhile is created again. Safe for use by several threads.
    """

    def __init__(self, owner: str, *, table: Table) -> None:
        self._owner = owner
        self._table = table
        self._lock = threading.Lock()
        self._ids: dict[str, str] | None = None

    def put(self, photo: Photo, title: str) -> bool:
        """Returns whether the photo is new in that album.

        BadInput for an invalid title; Conflict where the photo cannot be in an album.
        """
        placement = AlbumPlacement(album_id=self._id_of(title), by=self._owner, at=now())
        return add_photo(photo, placement, table=self._table) is not AddResult.THERE

    def _id_of(self, title: str) -> str:
        name = " ".join(title.split()).casefold()
        with self._lock:
            if self._ids is None:
                albums = reversed(owned_albums(self._owner, table=self._table))
                self._ids = {album.title.casefold(): album.album_id for album in albums}
            if name not in self._ids or find_album(self._ids[name], table=self._table) is None:
                user = get_user(self._owner, table=self._table)
                self._ids[name] = create_album(user, title, at=now(), table=self._table).album_id
            return self._ids[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileImporter:
    """Imports files for one owner, and adds them to the album with the title `album`, if given. `most_bytes` is the
    maximum size of one file.
    """

    owner: str
    visibility: Visibility
    most_bytes: int
    table: Table
    blobs: Blobs
    album: str | None = None
    albums: AlbumsByTitle = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "albums", AlbumsByTitle(self.owner, table=self.table))

    def import_file(self, candidate: ImportCandidate) -> ImportResult:
        """Raises only errors that stop the whole import: a reached limit, a store that is full or unavailable."""
        return self._with(candidate, self._import)

    def preview(self, candidate: ImportCandidate) -> ImportResult:
        """The result that `import_file` would have, regardless of limits; nothing is changed."""
        return self._with(candidate, self._preview)

    def _with(self, candidate: ImportCandidate, act: "Callable[[_File], ImportResult]") -> ImportResult:
        try:
            with open_read_only(candidate.path) as descriptor:
                size = os.fstat(descriptor).st_size
                check_size(size, most=self.most_bytes)
                kind = sniff(os.pread(descriptor, HEAD_BYTES, 0), size=size)
                metadata = read_sidecars(candidate, kind, descriptor)
                if metadata.is_trashed:
                    return ImportResult(candidate.path, ImportStatus.SKIPPED, IN_GOOGLE_TRASH)
                return act(_File(candidate, descriptor, kind, metadata, digests_of(chunks_of(descriptor))))
        except UnsupportedType as error:
            return ImportResult(candidate.path, ImportStatus.SKIPPED, _first_sentence(error))
        except (TooLarge, Damaged, Conflict) as error:
            return ImportResult(candidate.path, ImportStatus.FAILED, str(error))
        except OSError as error:
            return ImportResult(candidate.path, ImportStatus.FAILED, f"it cannot be read ({error.strerror})")

    def _preview(self, file: "_File") -> ImportResult:
        row = self.table.get(keys.content_digest(self.owner, file.digests.sha256))
        return file.result(ImportStatus.IMPORTED if row is None else ImportStatus.THERE)

    def _import(self, file: "_File") -> ImportResult:
        existing = find_existing_photo(self.owner, file.digests.sha256, at=now(), table=self.table)
        if existing is None:
            finalized = self._store(file)
        else:
            finalized = FinalizedUpload(existing.photo, duplicate=True, follows=existing.follows)
        photo, is_added = finalized.photo, self._add_to_albums(finalized.photo, file.candidate.album)
        changed = PhotoChanged(photo.image_id, photo.owner) if is_added else None
        return file.result(
            ImportStatus.THERE if finalized.duplicate else ImportStatus.IMPORTED,
            photo=photo,
            follows=finalized.follows or changed,
        )

    def _store(self, file: "_File") -> FinalizedUpload:
        photo = reserve_upload(self._upload_request(file), at=now(), table=self.table)
        key, digests = blob_keys.original(photo.image_id, file.kind.extension), file.digests
        try:
            self.blobs.put(
                key,
                chunks_of(file.descriptor),
                size=digests.size,
                sha256=digests.sha256,
                content_type=file.kind.mime,
            )
        except BaseException as error:
            cancel_upload(photo, key, table=self.table, blobs=self.blobs)
            if isinstance(error, Damaged):
                raise Damaged(CHANGED_WHILE_READ) from error
            raise
        original = StoredOriginal(key, file.kind, digests.size, digests.sha256, digests.sha1)
        return finalize_upload(photo, original, at=now(), table=self.table, blobs=self.blobs)

    def _upload_request(self, file: "_File") -> UploadRequest:
        metadata = file.metadata
        return UploadRequest(
            filename=metadata.filename,
            size=file.digests.size,
            owner=self.owner,
            sha256=file.digests.sha256,
            title=metadata.title,
            description=metadata.description,
            tags=usable_tags(metadata.keywords),
            visibility=self.visibility,
            taken_at=metadata.taken_at,
            taken_offset=metadata.taken_offset,
            file_time=_modified(file.descriptor),
            location=metadata.location,
        )

    def _add_to_albums(self, photo: Photo, album: str | None) -> bool:
        """Returns whether the photo is new in one of its albums.

        A photo of several albums lies in the folder of each. A photo that was imported before Sparks had albums names
        them on its row.
        """
        titles = [*photo.extra.get(ALBUMS, ()), *(each for each in (album, self.album) if each is not None)]
        try:
            added = [self.albums.put(photo, title) for title in dict.fromkeys(titles)]
            update_photo(photo, _without_album_titles, table=self.table)
        except NotFound:  # the photo was deleted meanwhile
            return False
        return any(added)


@dataclass(frozen=True, slots=True)
class _File:
    """An open candidate, with its type, metadata and hashes."""

    candidate: ImportCandidate
    descriptor: int
    kind: FileType
    metadata: ImportedMetadata
    digests: Digests

    def result(self, status: ImportStatus, *, photo: Photo | None = None, follows: Event | None = None) -> ImportResult:
        size, sha256 = self.digests.size, self.digests.sha256
        return ImportResult(self.candidate.path, status, photo=photo, follows=follows, size=size, sha256=sha256)


def _without_album_titles(photo: Photo) -> Photo:
    return replace(photo, extra={name: value for name, value in photo.extra.items() if name != ALBUMS})


def _modified(file: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(os.fstat(file).st_mtime, UTC)
    except (OverflowError, ValueError):
        return None


def _first_sentence(error: Exception) -> str:
    return str(error).partition(". ")[0].removesuffix(".")
