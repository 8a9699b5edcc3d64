"""Local file of a blob: its own descriptor where there is one, or a copy."""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import IO

from sparks.blobs.port import Blobs
from sparks.model.errors import StorageFull, Unavailable


@contextmanager
def local_file(key: str, *, blobs: Blobs) -> Iterator[int]:
    """The descriptor of a regular file with the blob's bytes, open for reading only and until the end of the block.

    A blob that is no file here is copied to a temporary one. NotFound where there is no such blob; StorageFull where
    the disk has no room for a copy.
    """
    with ExitStack() as stack:
        own = stack.enter_context(closing(blobs.open_blob(key))).fileno() if blobs.is_local else None
        yield stack.enter_context(file_of(blobs.open(key))) if own is None else own


@contextmanager
def scratch_file() -> Iterator[IO[bytes]]:
    """An empty file without a name, deleted at the end of the block."""
    with room_for_scratch(), tempfile.TemporaryFile() as file:
        yield file


@contextmanager
def file_of(chunks: Iterable[bytes]) -> Iterator[int]:
    """The descriptor of a nameless file with these bytes, open for reading only; deleted at the end of the block."""
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
    """Raises StorageFull where a temporary file has no room, and Unavailable where none can be created."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            where = tempfile.gettempdir()
            raise StorageFull(f"no room for a temporary file in {where}: free some space, or set TMPDIR") from error
        raise Unavailable(f"a temporary file cannot be used: {error}") from error
