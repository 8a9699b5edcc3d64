"""Filesystem adapter of the blobs: written aside, synced, renamed."""

import errno
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from sparks.blobs.checks import (
    checked_content_type,
    checked_limit,
    checked_order,
    checked_part_number,
    checked_sha256,
    checked_size,
    cut_range,
    no_more_than,
)
from sparks.blobs.filesystem.atomic_files import AtomicFiles, OpenFile, info_of
from sparks.blobs.filesystem.blob_metadata import BlobMetadata
from sparks.blobs.filesystem.error_mapping import WRONG_FILE_TYPE, translated
from sparks.blobs.filesystem.multipart import MultipartUploads, UploadManifest
from sparks.blobs.filesystem.root import Root
from sparks.blobs.filesystem.temp_files import IncomingFile, TempFile
from sparks.blobs.filesystem.tree import FolderTree, FoundBlob, path_of
from sparks.blobs.port import (
    DEFAULT_TYPE,
    MAX_CHUNK,
    STREAM_CHUNK,
    BlobInfo,
    BlobPage,
    MultipartUpload,
    UploadPart,
    checked_key,
    joined_etag,
    write_all,
)
from sparks.blobs.signed_urls import SignedUrlMixin
from sparks.model.errors import AlreadyThere, Busy, NotFound
from sparks.model.keyring import Keyring

MAX_ATTEMPTS: Final = 20


@dataclass(frozen=True, slots=True)
class FileBlob:
    info: BlobInfo
    file: OpenFile
    path: Path

    def read(self, start: int, end: int) -> bytes:
        with translated(self.path):
            return self.file.read(start, end)

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        return (self.read(at, min(at + STREAM_CHUNK, end)) for at in range(start, end, STREAM_CHUNK))

    def fileno(self) -> int:
        return self.file.stream.fileno()

    def close(self) -> None:
        self.file.close()


class FilesystemBlobs(SignedUrlMixin):
    """A missing or empty `folder` becomes a store; with `create` off, it must be one already.

    With `attributes` off, type and hash of a blob are kept in a sidecar file, as on a disk without extended attributes:
    for operators whose backups drop such attributes.
    """

    is_local = True

    def __init__(
        self,
        folder: Path,
        *,
        keyring: Keyring,
        base_url: str,
        clock: Callable[[], float] = time.time,
        create: bool = True,
        attributes: bool = True,
    ) -> None:
        super().__init__(keyring=keyring, base_url=base_url, clock=clock)
        self._root = Root(folder, create=create, attributes=attributes)
        self._path = self._root.path
        self._attach()

    def _attach(self) -> None:
        self._tree = FolderTree(self._root.folder)
        self._files = AtomicFiles(self._root.scratch, self._root.metadata_store)
        self._uploads = MultipartUploads(self._root.uploads, self._root.scratch, self._files)

    def put(
        self,
        key: str,
        chunks: Iterable[bytes],
        *,
        size: int | None = None,
        sha256: str | None = None,
        content_type: str = DEFAULT_TYPE,
        if_absent: bool = False,
    ) -> BlobInfo:
        incoming = self.receive(key, size=size, sha256=sha256, content_type=content_type, if_absent=if_absent)
        return write_all(incoming, no_more_than(size, chunks))

    def receive(
        self, key: str, *, size: int | None, sha256: str | None, content_type: str, if_absent: bool
    ) -> IncomingFile[BlobInfo]:
        checked_key(key)
        checked_content_type(content_type)
        announced = None if size is None else checked_size(size), checked_sha256(sha256)

        def store(temp_file: TempFile, seen: str) -> BlobInfo:
            return self._place(temp_file, BlobMetadata(content_type, seen), key, if_absent=if_absent)

        with translated(self._path):
            temp_file = TempFile(self._root.scratch)
        return IncomingFile(temp_file, store, path=self._path, size=announced[0], sha256=announced[1])

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        reading = self._read(key, start, end)
        next(reading)  # opens the blob
        return reading

    def _read(self, key: str, start: int, end: int | None) -> Generator[bytes, None, None]:
        with closing(self.open_blob(key)) as blob:
            start, end = cut_range(start, end, blob.info.size)
            yield b""
            for at in range(start, end, MAX_CHUNK):
                yield blob.read(at, min(at + MAX_CHUNK, end))

    def open_blob(self, key: str) -> FileBlob:
        folders, name = path_of(checked_key(key))
        with translated(self._path):
            try:
                with self._tree.folder(folders) as folder:
                    file = self._files.open(folder=folder, name=name)
            except FileNotFoundError:
                raise NotFound(f"there is no blob {key}") from None
        return FileBlob(info_of(key, file.found, file.metadata), file, self._path)

    def head(self, key: str) -> BlobInfo:
        with closing(self.open_blob(key)) as blob:
            return blob.info

    def copy(self, source: str, target: str) -> BlobInfo:
        if checked_key(source) == checked_key(target):
            return self.head(source)
        folders, name = path_of(source)
        with translated(self._path):
            try:
                with self._tree.folder(folders) as folder:
                    temp_file, metadata = self._files.link(folder=folder, name=name)
            except FileNotFoundError:
                raise NotFound(f"there is no blob {source}") from None
            with temp_file:
                return self._place(temp_file, metadata, target)

    def delete(self, key: str) -> None:
        folders, name = path_of(checked_key(key))
        with translated(self._path):
            try:
                with self._tree.folder(folders) as folder:
                    self._files.remove(folder=folder, name=name)
            except FileNotFoundError:
                return
            self._tree.prune(folders)

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        checked_limit(limit)
        with translated(self._path), closing(self._tree.walk(prefix, after or "")) as found:
            blobs = list(islice(filter(None, map(self._listed, found)), limit + 1))
        return BlobPage(blobs[:limit], blobs[limit - 1].key if len(blobs) > limit else None)

    def _listed(self, found: FoundBlob) -> BlobInfo | None:
        """None where the blob was deleted meanwhile, and where the file is not a blob."""
        try:
            with self._files.open(folder=found.folder, name=found.name) as file:
                info = info_of(found.key, file.found, file.metadata)
        except OSError as error:
            if error.errno in WRONG_FILE_TYPE or error.errno == errno.ENOENT:
                return None
            raise
        return replace(info, content_type=DEFAULT_TYPE, sha256=None)

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE) -> str:
        started = datetime.fromtimestamp(self._clock(), UTC)
        manifest = UploadManifest(checked_key(key), checked_content_type(content_type), started)
        with translated(self._path):
            return self._uploads.create(manifest)

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> UploadPart:
        return write_all(self.receive_part(key, upload_id, number, size=size), no_more_than(size, chunks))

    def receive_part(self, key: str, upload_id: str, number: int, *, size: int) -> IncomingFile[UploadPart]:
        checked_part_number(number)
        checked_size(size)

        def store(temp_file: TempFile, seen: str) -> UploadPart:
            with self._uploads.opened(key, upload_id) as upload:
                upload.place(temp_file, number, seen)
            return UploadPart(number, size, seen)

        with translated(self._path), self._uploads.opened(checked_key(key), upload_id):
            temp_file = TempFile(self._root.scratch)
        return IncomingFile(temp_file, store, path=self._path, size=size)

    def list_parts(self, key: str, upload_id: str) -> Sequence[UploadPart]:
        with translated(self._path), self._uploads.opened(checked_key(key), upload_id) as upload:
            return upload.parts()

    def complete_upload(
        self, key: str, upload_id: str, parts: Sequence[UploadPart], *, if_absent: bool = False
    ) -> BlobInfo:
        checked_order(parts)
        with translated(self._path), TempFile(self._root.scratch) as temp_file:
            with self._uploads.opened(checked_key(key), upload_id) as upload:
                joined = upload.join(parts, temp_file)
            metadata = BlobMetadata(upload.manifest.content_type, joined_etag(joined))
            info = self._place(temp_file, metadata, key, if_absent=if_absent)
            self._uploads.drop(upload_id)
            return info

    def abort_upload(self, key: str, upload_id: str) -> None:
        with translated(self._path):
            try:
                with self._uploads.opened(checked_key(key), upload_id):
                    self._uploads.drop(upload_id)
            except NotFound:
                return

    def list_uploads(self, *, started_before: datetime) -> Iterator[MultipartUpload]:
        with translated(self._path):
            uploads = [upload for upload in self._uploads.all() if upload.started < started_before]
        return iter(uploads)

    def check(self) -> None:
        self._root.check()

    def close(self) -> None:
        self._root.close()
        self._attach()  # detaches: the closed descriptors may soon be those of other files

    def _place(self, temp_file: TempFile, metadata: BlobMetadata, key: str, *, if_absent: bool = False) -> BlobInfo:
        folders, name = path_of(key)
        for _ in range(MAX_ATTEMPTS):
            try:
                with self._tree.folder(folders, make=True) as folder:
                    self._files.place(temp_file, metadata, folder=folder, name=name, if_absent=if_absent)
            except FileNotFoundError:
                continue  # a concurrent delete removed the empty folder
            except FileExistsError:
                raise AlreadyThere(f"the blob {key} exists already") from None
            return info_of(key, os.fstat(temp_file.file), metadata)
        raise Busy(f"concurrent deletions keep removing the folder of {key}; try again later")
