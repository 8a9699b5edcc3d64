"""A blob as a file of this machine, for programs that want a descriptor: its own where there is one, else a copy."""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import IO

from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.model.errors import StorageFull, Unavailable


@contextmanager
def local_file(key: str, *, blobs: Blobs, served: ServedBlobs | None) -> Iterator[int]:
    """The descriptor of a regular file with the blob's bytes, open for reading only and until the end of the block.

    NotFound where there is no such blob; StorageFull where a copy has no room.
    """
    with ExitStack() as stack:
        own = None if served is None else stack.enter_context(closing(served.open_blob(key))).fileno()
        yield stack.enter_context(file_of(blobs.open(key))) if own is None else own


@contextmanager
def scratch_file() -> Iterator[IO[bytes]]:
    """An empty file without a name, which goes with the block."""
    with room_for_scratch(), tempfile.TemporaryFile() as file:
        yield file


@contextmanager
def file_of(chunks: Iterable[bytes]) -> Iterator[int]:
    """The descriptor of a file with these bytes that has no name, open for reading only; it goes with the block."""
    with scratch_file() as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        copy = os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY)
    try:
        yield copy
    finally:
        os.close(copy)


@contextmanager
def room_for_scratch() -> Iterator[None]:
    """StorageFull where a temporary file has no room; Unavailable where none can be made."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            where = tempfile.gettempdir()
            raise StorageFull(f"there is no room in {where} for a temporary file: make some, or set TMPDIR") from error
        raise Unavailable(f"no temporary file can be used: {error}") from error
