"""Root folder of the store, recognized by a marker file."""

import errno
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from sparks.blobs.filesystem.blob_metadata import MetadataStore, SidecarMetadata, XattrMetadata, supports_attributes
from sparks.blobs.filesystem.dir_fd import FOLDER, FOLDER_MODE, names_in, read_small, remove, write_small
from sparks.blobs.filesystem.error_mapping import translated
from sparks.blobs.filesystem.temp_files import TempFile
from sparks.blobs.filesystem.tree import LOST_AND_FOUND
from sparks.model.errors import BadSetting, Unavailable

MARKER: Final = ".sparks-blobs"
FORMAT: Final = b"sparks blobs 1\n"
SCRATCH: Final = ".tmp"
UPLOADS: Final = ".uploads"
FOLDER_OR_LINK: Final = FOLDER & ~os.O_NOFOLLOW  # the store's own path may contain symbolic links
KEEP_SCRATCH_FOR: Final = 24 * 3600
NO_HARD_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class Root:
    """Open descriptors of the store's own folders, from which all files are reached.

    A missing or empty folder becomes a store; with `create` off, it is Unavailable. BadSetting where the folder holds
    anything else.
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
                self.folder = os.open(self.path, FOLDER_OR_LINK)
                self._claim(create=create)
                self.scratch = open_or_make(self.folder, SCRATCH)
                self.uploads = open_or_make(self.folder, UPLOADS)
                self.clear_scratch(older_than=time.time() - KEEP_SCRATCH_FOR)
                self.metadata_store = self._probe(attributes=attributes)
            except BaseException:
                self.close()
                raise

    def _claim(self, *, create: bool) -> None:
        names = set(names_in(self.folder)) - {LOST_AND_FOUND}
        if MARKER in names:
            self._check_format()
        elif names:
            raise BadSetting(f"{self.path} is neither empty nor a blob folder: it has no file {MARKER}")
        elif not create:
            raise Unavailable(f"{self.path} is empty, but should hold blobs: is its disk mounted?")
        else:
            self._mark()

    def _mark(self) -> None:
        with suppress(FileExistsError):  # another process was faster
            write_small(FORMAT, MARKER, parent=self.folder)
        os.fsync(self.folder)

    def _check_format(self) -> None:
        found = read_small(MARKER, parent=self.folder)
        if not FORMAT.startswith(found):  # shorter while another process is writing it
            raise BadSetting(f"{self.path} was written by another version of Sparks: {found[:40]!r}")

    def _probe(self, *, attributes: bool) -> MetadataStore:
        temp_file = TempFile(self.scratch)
        try:
            second = f"{temp_file.name}~"
            os.link(temp_file.name, second, src_dir_fd=self.scratch, dst_dir_fd=self.scratch, follow_symlinks=False)
            os.unlink(second, dir_fd=self.scratch)
            return (
                XattrMetadata() if attributes and supports_attributes(temp_file.file) else SidecarMetadata(self.folder)
            )
        except OSError as error:
            if error.errno in NO_HARD_LINKS:
                raise BadSetting(
                    f"the disk of {self.path} has no hard links, which Sparks needs: use another"
                ) from error
            raise
        finally:
            temp_file.drop()

    def clear_scratch(self, *, older_than: float) -> None:
        """Removes what killed processes left behind."""
        for name in names_in(self.scratch):
            with suppress(FileNotFoundError):  # another process clears it, too
                if os.stat(name, dir_fd=self.scratch, follow_symlinks=False).st_mtime < older_than:
                    remove(name, parent=self.scratch)

    def check(self) -> None:
        """Raises Unavailable where the folder is missing, replaced or read-only."""
        with translated(self.path):
            if not os.path.samestat(self.path.stat(), os.fstat(self.folder)):
                raise Unavailable(f"{self.path} is not the folder that was opened: was a disk unmounted?")
            os.stat(MARKER, dir_fd=self.folder, follow_symlinks=False)
            if not os.access(self.path, os.W_OK):
                raise Unavailable(f"{self.path} cannot be written to")

    def close(self) -> None:
        for folder in (self.uploads, self.scratch, self.folder):
            if folder >= 0:
                os.close(folder)
        self.folder = self.scratch = self.uploads = -1


def make_folder(path: Path) -> None:
    """Creates the folder and its parents, durably."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=FOLDER_MODE, exist_ok=True)
    parent = os.open(path.parent, FOLDER_OR_LINK)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)


def open_or_make(parent: int, name: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
    os.fsync(parent)
    return os.open(name, FOLDER, dir_fd=parent)
