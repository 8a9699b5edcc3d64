"""Multipart uploads on disk: one folder each, one file per part.

The folder of an upload is prepared in the scratch folder and moved in one step; to remove it, it is first moved back.
"""

import errno
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from sparks.blobs.checks import check_sizes, plain_etag
from sparks.blobs.filesystem.atomic_files import AtomicFiles
from sparks.blobs.filesystem.blob_metadata import BlobMetadata
from sparks.blobs.filesystem.dir_fd import FOLDER, FOLDER_MODE, names_in, opened, read_small, remove, write_small
from sparks.blobs.filesystem.temp_files import TempFile
from sparks.blobs.port import DEFAULT_TYPE, MultipartUpload, UploadPart
from sparks.model.errors import Conflict, NotFound

MANIFEST: Final = "upload.json"

_ID: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_PART: Final = re.compile(r"[0-9]{5}", re.ASCII)


class UploadManifest(msgspec.Struct, frozen=True):
    key: str
    content_type: str
    started: datetime


@dataclass(frozen=True, slots=True)
class OpenMultipartUpload:
    folder: int
    manifest: UploadManifest
    files: AtomicFiles

    def place(self, temp_file: TempFile, number: int, sha256: str) -> None:
        self.files.place(temp_file, BlobMetadata(DEFAULT_TYPE, sha256), folder=self.folder, name=_name(number))

    def parts(self) -> list[UploadPart]:
        numbers = sorted(int(name) for name in names_in(self.folder) if _PART.fullmatch(name))
        return [self._part(number) for number in numbers]

    def _part(self, number: int) -> UploadPart:
        with self.files.open(folder=self.folder, name=_name(number)) as file:
            return UploadPart(number, file.found.st_size, file.metadata.etag)

    def join(self, wanted: Sequence[UploadPart], temp_file: TempFile) -> list[UploadPart]:
        """Appends the parts to the temporary file. Conflict where one is missing or has another etag."""
        there = {part.number: part for part in self.parts()}
        for part in wanted:
            if part.number not in there or there[part.number].etag != plain_etag(part.etag):
                raise Conflict(f"part {part.number} is missing or was replaced")
        parts = [there[part.number] for part in wanted]
        check_sizes(parts)
        for part in parts:
            self._append(part, temp_file)
        return parts

    def _append(self, part: UploadPart, temp_file: TempFile) -> None:
        with self.files.open(folder=self.folder, name=_name(part.number)) as file:
            if file.metadata.etag != part.etag:
                raise Conflict(f"part {part.number} was replaced while the parts were joined")
            temp_file.append_file(file.stream.fileno(), part.size)


@dataclass(frozen=True, slots=True)
class MultipartUploads:
    folder: int
    scratch: int
    files: AtomicFiles

    def create(self, manifest: UploadManifest) -> str:
        upload_id = secrets.token_hex(16)
        os.mkdir(upload_id, FOLDER_MODE, dir_fd=self.scratch)
        try:
            self._write_manifest(upload_id, manifest)
            os.rename(upload_id, upload_id, src_dir_fd=self.scratch, dst_dir_fd=self.folder)
        except BaseException:
            self._remove(upload_id)
            raise
        os.fsync(self.folder)
        return upload_id

    def _write_manifest(self, upload_id: str, manifest: UploadManifest) -> None:
        with opened(upload_id, FOLDER, parent=self.scratch) as folder:
            write_small(msgspec.json.encode(manifest), MANIFEST, parent=folder)
            os.fsync(folder)

    @contextmanager
    def opened(self, key: str, upload_id: str) -> Iterator[OpenMultipartUpload]:
        """NotFound for an unknown upload, and for the upload of another key."""
        unknown = NotFound(f"there is no upload {upload_id[:80]!r} of {key}")
        if _ID.fullmatch(upload_id) is None:
            raise unknown
        try:
            with opened(upload_id, FOLDER, parent=self.folder) as folder:
                upload = OpenMultipartUpload(folder, read_manifest(folder), self.files)
                if upload.manifest.key != key:
                    raise unknown
                yield upload
        except FileNotFoundError as error:  # also inside the block, where another caller completes or aborts it
            raise unknown from error

    def drop(self, upload_id: str) -> None:
        """An unknown upload is no error."""
        name = secrets.token_hex(16)
        try:
            os.rename(upload_id, name, src_dir_fd=self.folder, dst_dir_fd=self.scratch)
        except FileNotFoundError:
            return
        os.fsync(self.folder)
        self._remove(name)

    def _remove(self, name: str) -> None:
        try:
            remove(name, parent=self.scratch)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
                raise
            # A part arrived late, or another process removes the folder: the next start clears the scratch folder.

    def all(self) -> Iterator[MultipartUpload]:
        for upload_id in filter(_ID.fullmatch, names_in(self.folder)):
            with suppress(FileNotFoundError), opened(upload_id, FOLDER, parent=self.folder) as folder:
                manifest = read_manifest(folder)
                yield MultipartUpload(manifest.key, upload_id, manifest.started)


def read_manifest(folder: int) -> UploadManifest:
    return msgspec.json.decode(read_small(MANIFEST, parent=folder), type=UploadManifest)


def _name(number: int) -> str:
    return f"{number:05}"
