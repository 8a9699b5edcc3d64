"""Local files of blobs, on every adapter."""

import fcntl
import os
import stat

import pytest

from sparks.blobs.local_file import local_file, scratch_file
from sparks.blobs.port import Blobs
from sparks.model.errors import NotFound

KEY = "originals/a.jpg"
CONTENT = bytes(range(256)) * 5000


def test_a_blob_is_a_regular_file_that_can_only_be_read(blobs: Blobs) -> None:
    blobs.put(KEY, [CONTENT])
    with local_file(KEY, blobs=blobs) as file:
        assert os.pread(file, len(CONTENT) + 1, 0) == CONTENT
        assert stat.S_ISREG(os.fstat(file).st_mode)
        assert fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)


def test_a_blob_that_is_deleted_meanwhile_is_read_to_its_end(blobs: Blobs) -> None:
    blobs.put(KEY, [CONTENT])
    with local_file(KEY, blobs=blobs) as file:
        blobs.delete(KEY)
        assert os.pread(file, len(CONTENT), 0) == CONTENT


def test_a_missing_blob_has_no_local_file(blobs: Blobs) -> None:
    with pytest.raises(NotFound), local_file(KEY, blobs=blobs):
        pass


def test_two_readers_of_a_blob_have_separate_positions(blobs: Blobs) -> None:
    blobs.put(KEY, [b"abc"])
    with (
        local_file(KEY, blobs=blobs) as one,
        local_file(KEY, blobs=blobs) as other,
    ):
        assert os.read(one, 2) == b"ab"
        assert os.read(other, 2) == b"ab"


def test_a_scratch_file_has_no_name() -> None:
    with scratch_file() as file:
        assert os.fstat(file.fileno()).st_nlink == 0
