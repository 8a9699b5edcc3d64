"""The store's own folder: told from any other by a marker, so that a disk that is not mounted is no empty store."""

import errno
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from sparks.blobs.filesystem.descriptors import FOLDER, FOLDER_MODE, names_in, read_small, remove, write_small
from sparks.blobs.filesystem.drafts import Draft
from sparks.blobs.filesystem.failures import translated
from sparks.blobs.filesystem.notes import AttributeNotes, NoteKeeper, SidecarNotes, supports_attributes
from sparks.blobs.filesystem.tree import LOST_AND_FOUND
from sparks.model.errors import BadSetting, Unavailable

MARKER: Final = ".sparks-blobs"
FORMAT: Final = b"sparks blobs 1\n"
SCRATCH: Final = ".tmp"
UPLOADS: Final = ".uploads"
THROUGH_LINKS: Final = FOLDER & ~os.O_NOFOLLOW  # the store's own folder may be reached through one
LEFT_BEHIND: Final = 24 * 3600
NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class Root:
    """The open folders that all else is reached from.

    A folder that is missing or empty becomes a store; with `create` off, it is Unavailable. One that holds something
    else is a BadSetting.
    """

    def __init__(self, path: Path, *, create: bool, attributes: bool) -> None:
        self.path = path.absolute()
        self.folder = self.scratch = self.uploads = -1
        with translated(self.path):
            if create:
                make_folder(self.path)
            elif not self.path.exists():
                raise Unavailable(f"{self.path} is missing, but should hold blobs: is its disk mounted?")
            try:
                self.folder = os.open(self.path, THROUGH_LINKS)
                self._claim(create=create)
                self.scratch = open_or_make(self.folder, SCRATCH)
                self.uploads = open_or_make(self.folder, UPLOADS)
                self.clear_scratch(older_than=time.time() - LEFT_BEHIND)
                self.notes = self._probe(attributes=attributes)
            except BaseException:
                self.close()
                raise

    def _claim(self, *, create: bool) -> None:
        names = set(names_in(self.folder)) - {LOST_AND_FOUND}
        if MARKER in names:
            self._check_format()
        elif names:
            raise BadSetting(f"{self.path} is neither empty nor a folder of blobs: there is no file {MARKER} in it")
        elif not create:
            raise Unavailable(f"{self.path} is empty, but should hold blobs: is its disk mounted?")
        else:
            self._mark()

    def _mark(self) -> None:
        with suppress(FileExistsError):  # another process was faster
            write_small(FORMAT, MARKER, above=self.folder)
        os.fsync(self.folder)

    def _check_format(self) -> None:
        found = read_small(MARKER, above=self.folder)
        if not FORMAT.startswith(found):  # it is shorter while another process is writing it
            raise BadSetting(f"{self.path} was written by another version of Sparks: {found[:40]!r}")

    def _probe(self, *, attributes: bool) -> NoteKeeper:
        draft = Draft(self.scratch)
        try:
            second = f"{draft.name}~"
            os.link(draft.name, second, src_dir_fd=self.scratch, dst_dir_fd=self.scratch, follow_symlinks=False)
            os.unlink(second, dir_fd=self.scratch)
            return AttributeNotes() if attributes and supports_attributes(draft.file) else SidecarNotes(self.folder)
        except OSError as error:
            if error.errno in NO_LINKS:
                raise BadSetting(f"the disk of {self.path} has no hard links, which blobs need: use another") from error
            raise
        finally:
            draft.drop()

    def clear_scratch(self, *, older_than: float) -> None:
        """Removes what was left behind by a process that was killed."""
        for name in names_in(self.scratch):
            with suppress(FileNotFoundError):  # another process clears up, too
                if os.stat(name, dir_fd=self.scratch, follow_symlinks=False).st_mtime < older_than:
                    remove(name, above=self.scratch)

    def check(self) -> None:
        """Raises Unavailable unless the folder is there, the same as at the start, and can be written to."""
        with translated(self.path):
            if not os.path.samestat(self.path.stat(), os.fstat(self.folder)):
                raise Unavailable(f"{self.path} is another folder than the one that was opened: was a disk unmounted?")
            os.stat(MARKER, dir_fd=self.folder, follow_symlinks=False)
            if not os.access(self.path, os.W_OK):
                raise Unavailable(f"{self.path} cannot be written to")

    def close(self) -> None:
        for folder in (self.uploads, self.scratch, self.folder):
            if folder >= 0:
                os.close(folder)
        self.folder = self.scratch = self.uploads = -1


def make_folder(path: Path) -> None:
    """With those above it, durably."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=FOLDER_MODE, exist_ok=True)
    above = os.open(path.parent, THROUGH_LINKS)
    try:
        os.fsync(above)
    finally:
        os.close(above)


def open_or_make(above: int, name: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, FOLDER_MODE, dir_fd=above)
    os.fsync(above)
    return os.open(name, FOLDER, dir_fd=above)
