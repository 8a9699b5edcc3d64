"""Files that are there: each appears whole under its name, in one step, and with its note."""

import errno
import io
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from sparks.blobs.filesystem.descriptors import READ, inode_of
from sparks.blobs.filesystem.drafts import Draft, Linked
from sparks.blobs.filesystem.notes import Note, NoteKeeper, guessed_note, read_note
from sparks.blobs.port import BlobInfo
from sparks.model.errors import Damaged


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file as it was when it was opened, whatever happens to its name since."""

    stream: io.FileIO
    found: os.stat_result
    note: Note

    def read(self, start: int, end: int) -> bytes:
        chunk = os.pread(self.stream.fileno(), end - start, start)
        while len(chunk) < end - start:
            more = os.pread(self.stream.fileno(), end - start - len(chunk), start + len(chunk))
            if not more:
                raise Damaged("a file is shorter than it was when it was opened")
            chunk += more
        return chunk

    def close(self) -> None:
        self.stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Files:
    """`folder` is always the descriptor of an open folder, so that no link on the way to it is ever followed."""

    scratch: int
    notes: NoteKeeper

    def open(self, *, folder: int, name: str) -> OpenFile:
        """FileNotFoundError where there is none."""
        while True:
            stream = io.FileIO(os.open(name, READ, dir_fd=folder), "rb")
            try:
                found = _regular(stream)
                note = read_note(file=stream.fileno(), folder=folder, name=name)
                if note is not None or self._is_without_note(stream, folder, name):
                    return OpenFile(stream, found, note or guessed_note(name, found))
            except BaseException:
                stream.close()
                raise
            stream.close()

    def _is_without_note(self, stream: io.FileIO, folder: int, name: str) -> bool:
        """Not so if it was just replaced, and its note is gone with its name, or just put back."""
        with self.notes.alone():
            there = inode_of(name, above=folder) == os.fstat(stream.fileno()).st_ino
            return there and read_note(file=stream.fileno(), folder=folder, name=name) is None

    def place(self, draft: Draft, note: Note, *, folder: int, name: str, if_absent: bool = False) -> None:
        """Gives the draft its name; durable when it returns, but for the way to the folder.

        FileExistsError if it may not replace, FileNotFoundError if the folder was removed meanwhile.
        """
        self.notes.attach(note, file=draft.file)
        os.fsync(draft.file)
        new = os.fstat(draft.file).st_ino
        with self.notes.alone():
            old = inode_of(name, above=folder)
            self.notes.write(note, inode=new, folder=folder, name=name)
            try:
                _give_name(draft, folder=folder, name=name, if_absent=if_absent)
            except OSError:
                self.notes.forget(inode=new, folder=folder, name=name)
                raise
            os.fsync(folder)
            if old not in (None, new):
                self.notes.forget(inode=old, folder=folder, name=name)

    def link(self, *, folder: int, name: str) -> tuple[Draft, Note]:
        """The file once more, as a draft, and its note. FileNotFoundError where there is none."""
        while True:
            with self.open(folder=folder, name=name) as source:
                draft = Linked(self.scratch, file=source.stream.fileno(), folder=folder, name=name)
                if inode_of(draft.name, above=draft.scratch) == source.found.st_ino:
                    return draft, source.note
                draft.drop()  # another one has the name by now

    def remove(self, *, folder: int, name: str) -> None:
        """FileNotFoundError where there is none."""
        with self.notes.alone():
            inode = inode_of(name, above=folder)
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)
            if inode is not None:
                self.notes.forget(inode=inode, folder=folder, name=name)


def info_of(key: str, found: os.stat_result, note: Note) -> BlobInfo:
    modified = datetime.fromtimestamp(found.st_mtime, UTC)
    return BlobInfo(key, found.st_size, note.etag, modified, note.content_type, note.sha256)


def _give_name(draft: Draft, *, folder: int, name: str, if_absent: bool) -> None:
    if if_absent:
        os.link(draft.name, name, src_dir_fd=draft.scratch, dst_dir_fd=folder, follow_symlinks=False)
    else:
        os.rename(draft.name, name, src_dir_fd=draft.scratch, dst_dir_fd=folder)


def _regular(stream: io.FileIO) -> os.stat_result:
    found = os.fstat(stream.fileno())
    if not stat.S_ISREG(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "not a file")
    return found
