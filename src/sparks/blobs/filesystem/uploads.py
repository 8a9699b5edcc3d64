"""Multipart uploads: a folder each, with a file for every part and one that tells what it is about.

The folder appears whole, and vanishes in one step, by being moved from and to the scratch folder.
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
from sparks.blobs.filesystem.descriptors import FOLDER, FOLDER_MODE, names_in, opened, read_small, remove, write_small
from sparks.blobs.filesystem.drafts import Draft
from sparks.blobs.filesystem.files import Files
from sparks.blobs.filesystem.notes import Note
from sparks.blobs.port import DEFAULT_TYPE, Part, Upload
from sparks.model.errors import Conflict, NotFound

ABOUT: Final = "upload.json"

_ID: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_PART: Final = re.compile(r"[0-9]{5}", re.ASCII)


class About(msgspec.Struct, frozen=True):
    key: str
    content_type: str
    started: datetime


@dataclass(frozen=True, slots=True)
class OpenUpload:
    folder: int
    about: About
    files: Files

    def place(self, draft: Draft, number: int, sha256: str) -> None:
        self.files.place(draft, Note(DEFAULT_TYPE, sha256), folder=self.folder, name=_name(number))

    def parts(self) -> list[Part]:
        numbers = sorted(int(name) for name in names_in(self.folder) if _PART.fullmatch(name))
        return [self._part(number) for number in numbers]

    def _part(self, number: int) -> Part:
        with self.files.open(folder=self.folder, name=_name(number)) as file:
            return Part(number, file.found.st_size, file.note.etag)

    def join(self, wanted: Sequence[Part], draft: Draft) -> list[Part]:
        """Appends the parts to the draft, if all of them are there and as the caller knows them."""
        there = {part.number: part for part in self.parts()}
        for part in wanted:
            if part.number not in there or there[part.number].etag != plain_etag(part.etag):
                raise Conflict(f"part {part.number} is missing or another one by now")
        parts = [there[part.number] for part in wanted]
        check_sizes(parts)
        for part in parts:
            self._append(part, draft)
        return parts

    def _append(self, part: Part, draft: Draft) -> None:
        with self.files.open(folder=self.folder, name=_name(part.number)) as file:
            if file.note.etag != part.etag:
                raise Conflict(f"part {part.number} was replaced while the parts were joined")
            draft.append_file(file.stream.fileno(), part.size)


@dataclass(frozen=True, slots=True)
class Uploads:
    folder: int
    scratch: int
    files: Files

    def create(self, about: About) -> str:
        upload_id = secrets.token_hex(16)
        os.mkdir(upload_id, FOLDER_MODE, dir_fd=self.scratch)
        try:
            self._write_about(upload_id, about)
            os.rename(upload_id, upload_id, src_dir_fd=self.scratch, dst_dir_fd=self.folder)
        except BaseException:
            self._remove(upload_id)
            raise
        os.fsync(self.folder)
        return upload_id

    def _write_about(self, upload_id: str, about: About) -> None:
        with opened(upload_id, FOLDER, above=self.scratch) as folder:
            write_small(msgspec.json.encode(about), ABOUT, above=folder)
            os.fsync(folder)

    @contextmanager
    def opened(self, key: str, upload_id: str) -> Iterator[OpenUpload]:
        """NotFound for an unknown one, and for that of another key."""
        unknown = NotFound(f"there is no upload {upload_id[:80]!r} of {key}")
        if _ID.fullmatch(upload_id) is None:
            raise unknown
        try:
            with opened(upload_id, FOLDER, above=self.folder) as folder:
                upload = OpenUpload(folder, read_about(folder), self.files)
                if upload.about.key != key:
                    raise unknown
                yield upload
        except FileNotFoundError as error:  # also while it is in use: another caller completes or aborts it
            raise unknown from error

    def drop(self, upload_id: str) -> None:
        """Nothing there: nothing happens."""
        name = secrets.token_hex(16)
        try:
            os.rename(upload_id, name, src_dir_fd=self.folder, dst_dir_fd=self.scratch)
        except FileNotFoundError:
            return
        os.fsync(self.folder)
        self._remove(name)

    def _remove(self, name: str) -> None:
        try:
            remove(name, above=self.scratch)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
                raise
            # A part that came late is in there, or it was moved on already: a later start clears up.

    def all(self) -> Iterator[Upload]:
        for upload_id in filter(_ID.fullmatch, names_in(self.folder)):
            with suppress(FileNotFoundError), opened(upload_id, FOLDER, above=self.folder) as folder:
                about = read_about(folder)
                yield Upload(about.key, upload_id, about.started)


def read_about(folder: int) -> About:
    return msgspec.json.decode(read_small(ABOUT, above=folder), type=About)


def _name(number: int) -> str:
    return f"{number:05}"
