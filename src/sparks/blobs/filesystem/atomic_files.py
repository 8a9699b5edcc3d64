"""Files that appear whole, with their metadata, in one rename."""

import errno
import io
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from sparks.blobs.filesystem.blob_metadata import BlobMetadata, MetadataStore, guessed_metadata, read_blob_metadata
from sparks.blobs.filesystem.dir_fd import READ, inode_of
from sparks.blobs.filesystem.temp_files import HardLink, TempFile
from sparks.blobs.port import BlobInfo
from sparks.model.errors import Damaged


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file as it was when it was opened, also after its name was removed or reused."""

    stream: io.FileIO
    found: os.stat_result
    metadata: BlobMetadata

    def read(self, start: int, end: int) -> bytes:
        chunk = os.pread(self.stream.fileno(), end - start, start)
        while len(chunk) < end - start:
            more = os.pread(self.stream.fileno(), end - start - len(chunk), start + len(chunk))
            if not more:
                raise Damaged("a file is shorter than when it was opened")
            chunk += more
        return chunk

    def close(self) -> None:
        self.stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class AtomicFiles:
    """`folder` is always an open descriptor, so that no symbolic link on the way to it is followed."""

    scratch: int
    metadata_store: MetadataStore

    def open(self, *, folder: int, name: str) -> OpenFile:
        """FileNotFoundError where there is none."""
        while True:
            stream = io.FileIO(os.open(name, READ, dir_fd=folder), "rb")
            try:
                found = _regular(stream)
                metadata = read_blob_metadata(file=stream.fileno(), folder=folder, name=name)
                if metadata is not None or self._has_no_metadata(stream, folder, name):
                    return OpenFile(stream, found, metadata or guessed_metadata(name, found))
            except BaseException:
                stream.close()
                raise
            stream.close()

    def _has_no_metadata(self, stream: io.FileIO, folder: int, name: str) -> bool:
        """False where the file was replaced meanwhile, which removed its metadata, or where they were just written."""
        with self.metadata_store.locked():
            there = inode_of(name, parent=folder) == os.fstat(stream.fileno()).st_ino
            return there and read_blob_metadata(file=stream.fileno(), folder=folder, name=name) is None

    def place(
        self, temp_file: TempFile, metadata: BlobMetadata, *, folder: int, name: str, if_absent: bool = False
    ) -> None:
        """Moves the temporary file to its name; durable when it returns, except for the folders above.

        FileExistsError where it may not replace a file; FileNotFoundError where the folder was removed meanwhile.
        """
        self.metadata_store.attach(metadata, file=temp_file.file)
        os.fsync(temp_file.file)
        new = os.fstat(temp_file.file).st_ino
        with self.metadata_store.locked():
            old = inode_of(name, parent=folder)
            self.metadata_store.write(metadata, inode=new, folder=folder, name=name)
            try:
                _give_name(temp_file, folder=folder, name=name, if_absent=if_absent)
            except OSError:
                self.metadata_store.remove(inode=new, folder=folder, name=name)
                raise
            os.fsync(folder)
            if old not in (None, new):
                self.metadata_store.remove(inode=old, folder=folder, name=name)

    def link(self, *, folder: int, name: str) -> tuple[TempFile, BlobMetadata]:
        """A hard link to the file as a temporary file, and its metadata. FileNotFoundError where there is none."""
        while True:
            with self.open(folder=folder, name=name) as source:
                temp_file = HardLink(self.scratch, file=source.stream.fileno(), folder=folder, name=name)
                if inode_of(temp_file.name, parent=temp_file.scratch) == source.found.st_ino:
                    return temp_file, source.metadata
                temp_file.drop()  # the name now belongs to another file

    def remove(self, *, folder: int, name: str) -> None:
        """FileNotFoundError where there is none."""
        with self.metadata_store.locked():
            inode = inode_of(name, parent=folder)
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)
            if inode is not None:
                self.metadata_store.remove(inode=inode, folder=folder, name=name)


def info_of(key: str, found: os.stat_result, metadata: BlobMetadata) -> BlobInfo:
    modified = datetime.fromtimestamp(found.st_mtime, UTC)
    return BlobInfo(key, found.st_size, metadata.etag, modified, metadata.content_type, metadata.sha256)


def _give_name(temp_file: TempFile, *, folder: int, name: str, if_absent: bool) -> None:
    if if_absent:
        os.link(temp_file.name, name, src_dir_fd=temp_file.scratch, dst_dir_fd=folder, follow_symlinks=False)
    else:
        os.rename(temp_file.name, name, src_dir_fd=temp_file.scratch, dst_dir_fd=folder)


def _regular(stream: io.FileIO) -> os.stat_result:
    found = os.fstat(stream.fileno())
    if not stat.S_ISREG(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "not a file")
    return found
