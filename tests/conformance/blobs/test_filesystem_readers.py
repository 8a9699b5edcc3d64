"""Concurrent readers of one folder: each sees all of it."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.filesystem.dir_fd import FOLDER, names_in
from tests.conformance.blobs.content import FAR_FUTURE, KEYRING, keys_of
from tests.partial_reads import HalfReadBlobs, half_read

FEW = 10
MANY = 3000  # more than one read of a folder returns
KEYS = ["originals/01980a.jpg", "processed/01980a_thumb.webp", "uploads/01980a"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, FOLDER)
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def blobs(tmp_path: Path) -> Iterator[FilesystemBlobs]:
    with closing(HalfReadBlobs(tmp_path, keyring=KEYRING, base_url="")) as store:
        yield store


@pytest.mark.parametrize("number", [FEW, MANY])
def test_all_names_are_listed_while_another_thread_reads_the_folder(tmp_path: Path, folder: int, number: int) -> None:
    names = [f"{name:04}" for name in range(number)]
    for name in names:
        (tmp_path / name).touch()
    with half_read(folder) as rest:
        assert sorted(names_in(folder)) == names
        assert len(list(rest)) == number - 1


def test_a_folder_that_was_removed_after_opening_has_no_names(tmp_path: Path, folder: int) -> None:
    tmp_path.rmdir()
    assert names_in(folder) == []


def test_a_list_is_complete_while_another_thread_lists(blobs: FilesystemBlobs) -> None:
    for key in KEYS:
        blobs.put(key, [b"bytes"])
    assert keys_of(blobs) == KEYS
    assert keys_of(blobs, "processed/") == ["processed/01980a_thumb.webp"]


def test_all_uploads_are_listed_while_another_thread_lists_them(blobs: FilesystemBlobs) -> None:
    begun = {blobs.create_upload(key) for key in KEYS}
    told = [upload.upload_id for upload in blobs.list_uploads(started_before=FAR_FUTURE)]
    assert sorted(told) == sorted(begun)
