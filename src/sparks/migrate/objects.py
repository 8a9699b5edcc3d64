"""Objects of the source: files in a folder, copied into the blob store and hashed on the way."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from sparks.blobs.port import DEFAULT_TYPE, Blobs
from sparks.library import blob_keys
from sparks.media.digests import Digests, Sha1Chunks, chunks_of, digests_of
from sparks.media.file_types import FileType
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import BadInput, Damaged, Unavailable, UnsupportedType
from sparks.model.photo import AssetType

UNKNOWN_EXTENSION: Final = "bin"
TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A copied object. `kind` is None where the bytes are no photo or video that Sparks can show."""

    key: str
    kind: FileType | None
    digests: Digests

    @property
    def asset_type(self) -> AssetType:
        return AssetType.IMAGE if self.kind is None else self.kind.asset_type


class Objects(Protocol):
    """Objects of the source by their keys."""

    @property
    def address(self) -> str:
        """As it is kept in the state of the migration."""

    def find(self, key: str) -> Any:
        """None where there is no such object."""

    def digests(self, key: str) -> Digests | None: ...

    def copy(self, key: str, image_id: str, *, blobs: Blobs) -> StoredObject | None: ...

    def read(self, key: str, *, most: int) -> bytes | None: ...

    def write(self, key: str, chunks: Iterator[bytes]) -> None: ...


class ObjectFolder:
    """A folder with the objects of a bucket, each under its key. Nothing in it is changed but by `write`."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadInput(f"there is no folder {folder}: name the folder that holds the objects with --objects")
        self.folder = folder.resolve()

    @property
    def address(self) -> str:
        return str(self.folder)

    def find(self, key: str) -> Path | None:
        """The object's file; None where there is none, or the key leads out of the folder."""
        try:
            path = self.folder / key
            if not path.is_file():
                return None
            path = path.resolve()
            return path if path.is_relative_to(self.folder) else None
        except (OSError, ValueError):
            return None

    def digests(self, key: str) -> Digests | None:
        """The hashes of the object; None where there is none. Unavailable where it cannot be read."""
        path = self.find(key)
        if path is None:
            return None
        try:
            with path.open("rb") as file:
                return digests_of(chunks_of(file.fileno()))
        except OSError as error:
            raise _unreadable(path, error) from error

    def copy(self, key: str, image_id: str, *, blobs: Blobs) -> StoredObject | None:
        """Stores the object as the original of a photo; None where there is none. Unavailable where it cannot be read,
        or is changed again and again while it is copied.
        """
        path = self.find(key)
        for _ in range(TRIES):
            try:
                return None if path is None else _copy(path, image_id, blobs)
            except Damaged:
                continue  # it was replaced or grew meanwhile
            except OSError as error:
                raise _unreadable(path or self.folder, error) from error
        raise Unavailable(f"the object {path} is being changed while it is copied: try again later")

    def read(self, key: str, *, most: int) -> bytes | None:
        """A small object; None where there is none, or it is larger."""
        path = self.find(key)
        try:
            return None if path is None or path.stat().st_size > most else path.read_bytes()
        except OSError as error:
            raise _unreadable(path or self.folder, error) from error

    def write(self, key: str, chunks: Iterator[bytes]) -> None:
        """Adds an object, durable when this returns. One that is there already is replaced by the same bytes."""
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.part")
        with beside.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_folder(path.parent)


def _copy(path: Path, image_id: str, blobs: Blobs) -> StoredObject:
    """Damaged where it changes meanwhile."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        kind = kind_of(file.read(HEAD_BYTES), size)
        hashed = Sha1Chunks(chunks_of(file.fileno()))
        key = blob_keys.original(image_id, UNKNOWN_EXTENSION if kind is None else kind.extension)
        put = blobs.put(key, hashed, size=size, content_type=DEFAULT_TYPE if kind is None else kind.mime)
    assert put.sha256 is not None  # noqa: S101  `put` has computed it
    return StoredObject(key, kind, Digests(put.sha256, hashed.sha1, put.size))


def _unreadable(path: Path, error: OSError) -> Unavailable:
    return Unavailable(f"the object {path} cannot be read: {error.strerror}")


def kind_of(head: bytes, size: int) -> FileType | None:
    """None where the bytes are no photo or video that Sparks can show."""
    try:
        return sniff(head, size=size)
    except UnsupportedType:
        return None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
