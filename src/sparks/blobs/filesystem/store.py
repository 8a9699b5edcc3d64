"""Blobs as plain files in a folder, each written aside, made durable and renamed into its place."""

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
from sparks.blobs.filesystem.drafts import Draft, ReceivedFile
from sparks.blobs.filesystem.failures import NOT_OURS, translated
from sparks.blobs.filesystem.files import Files, OpenFile, info_of
from sparks.blobs.filesystem.notes import Note
from sparks.blobs.filesystem.root import Root
from sparks.blobs.filesystem.tree import Found, Tree, place_of
from sparks.blobs.filesystem.uploads import About, Uploads
from sparks.blobs.port import DEFAULT_TYPE, LARGEST_CHUNK, BlobInfo, BlobPage, Part, Upload, checked_key
from sparks.blobs.served import joined_etag, take_all
from sparks.blobs.signed import SignedAddresses
from sparks.model.errors import AlreadyThere, Busy, NotFound
from sparks.model.keyring import Keyring

TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class FileBlob:
    info: BlobInfo
    file: OpenFile
    path: Path

    def read(self, start: int, end: int) -> bytes:
        with translated(self.path):
            return self.file.read(start, end)

    def fileno(self) -> int:
        return self.file.stream.fileno()

    def close(self) -> None:
        self.file.close()


class FilesystemBlobs(SignedAddresses):
    """`folder` becomes a store if it is missing or empty; with `create` off, it must be one already.

    With `attributes` off, the type and hash of a blob are kept in a small file beside it, as where the disk has no
    extended attributes: for those whose backups would drop them.
    """

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
        self._tree = Tree(self._root.folder)
        self._files = Files(self._root.scratch, self._root.notes)
        self._uploads = Uploads(self._root.uploads, self._root.scratch, self._files)

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
        return take_all(incoming, no_more_than(size, chunks))

    def receive(
        self, key: str, *, size: int | None, sha256: str | None, content_type: str, if_absent: bool
    ) -> ReceivedFile[BlobInfo]:
        checked_key(key)
        checked_content_type(content_type)
        announced = None if size is None else checked_size(size), checked_sha256(sha256)

        def store(draft: Draft, seen: str) -> BlobInfo:
            return self._place(draft, Note(content_type, seen), key, if_absent=if_absent)

        with translated(self._path):
            draft = Draft(self._root.scratch)
        return ReceivedFile(draft, store, path=self._path, size=announced[0], sha256=announced[1])

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        reading = self._read(key, start, end)
        next(reading)  # opens the blob
        return reading

    def _read(self, key: str, start: int, end: int | None) -> Generator[bytes, None, None]:
        with closing(self.open_blob(key)) as blob:
            start, end = cut_range(start, end, blob.info.size)
            yield b""
            for at in range(start, end, LARGEST_CHUNK):
                yield blob.read(at, min(at + LARGEST_CHUNK, end))

    def open_blob(self, key: str) -> FileBlob:
        folders, name = place_of(checked_key(key))
        with translated(self._path):
            try:
                with self._tree.folder(folders) as folder:
                    file = self._files.open(folder=folder, name=name)
            except FileNotFoundError:
                raise NotFound(f"there is no blob {key}") from None
        return FileBlob(info_of(key, file.found, file.note), file, self._path)

    def head(self, key: str) -> BlobInfo:
        with closing(self.open_blob(key)) as blob:
            return blob.info

    def copy(self, source: str, target: str) -> BlobInfo:
        if checked_key(source) == checked_key(target):
            return self.head(source)
        folders, name = place_of(source)
        with translated(self._path):
            try:
                with self._tree.folder(folders) as folder:
                    draft, note = self._files.link(folder=folder, name=name)
            except FileNotFoundError:
                raise NotFound(f"there is no blob {source}") from None
            with draft:
                return self._place(draft, note, target)

    def delete(self, key: str) -> None:
        folders, name = place_of(checked_key(key))
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

    def _listed(self, found: Found) -> BlobInfo | None:
        """None for a blob that is gone by now, and for what is none."""
        try:
            with self._files.open(folder=found.folder, name=found.name) as file:
                info = info_of(found.key, file.found, file.note)
        except OSError as error:
            if error.errno in NOT_OURS or error.errno == errno.ENOENT:
                return None
            raise
        return replace(info, content_type=DEFAULT_TYPE, sha256=None)

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE) -> str:
        started = datetime.fromtimestamp(self._clock(), UTC)
        about = About(checked_key(key), checked_content_type(content_type), started)
        with translated(self._path):
            return self._uploads.create(about)

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> Part:
        return take_all(self.receive_part(key, upload_id, number, size=size), no_more_than(size, chunks))

    def receive_part(self, key: str, upload_id: str, number: int, *, size: int) -> ReceivedFile[Part]:
        checked_part_number(number)
        checked_size(size)

        def store(draft: Draft, seen: str) -> Part:
            with self._uploads.opened(key, upload_id) as upload:
                upload.place(draft, number, seen)
            return Part(number, size, seen)

        with translated(self._path), self._uploads.opened(checked_key(key), upload_id):
            draft = Draft(self._root.scratch)
        return ReceivedFile(draft, store, path=self._path, size=size)

    def list_parts(self, key: str, upload_id: str) -> Sequence[Part]:
        with translated(self._path), self._uploads.opened(checked_key(key), upload_id) as upload:
            return upload.parts()

    def complete_upload(self, key: str, upload_id: str, parts: Sequence[Part], *, if_absent: bool = False) -> BlobInfo:
        checked_order(parts)
        with translated(self._path), Draft(self._root.scratch) as draft:
            with self._uploads.opened(checked_key(key), upload_id) as upload:
                joined = upload.join(parts, draft)
            note = Note(upload.about.content_type, joined_etag(joined))
            info = self._place(draft, note, key, if_absent=if_absent)
            self._uploads.drop(upload_id)
            return info

    def abort_upload(self, key: str, upload_id: str) -> None:
        with translated(self._path):
            try:
                with self._uploads.opened(checked_key(key), upload_id):
                    self._uploads.drop(upload_id)
            except NotFound:
                return

    def list_uploads(self, *, started_before: datetime) -> Iterator[Upload]:
        with translated(self._path):
            uploads = [upload for upload in self._uploads.all() if upload.started < started_before]
        return iter(uploads)

    def check(self) -> None:
        self._root.check()

    def close(self) -> None:
        self._root.close()
        self._attach()  # to nothing: their numbers may soon be those of other files

    def _place(self, draft: Draft, note: Note, key: str, *, if_absent: bool = False) -> BlobInfo:
        folders, name = place_of(key)
        for _ in range(TRIES):
            try:
                with self._tree.folder(folders, make=True) as folder:
                    self._files.place(draft, note, folder=folder, name=name, if_absent=if_absent)
            except FileNotFoundError:
                continue  # the folder was empty, and removed by whoever deleted the last blob in it
            except FileExistsError:
                raise AlreadyThere(f"there is a blob {key} already") from None
            return info_of(key, os.fstat(draft.file), note)
        raise Busy(f"the folder of {key} is removed again and again; try again later")
