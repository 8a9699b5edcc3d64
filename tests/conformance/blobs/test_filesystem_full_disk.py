"""A disk full of photos: blobs can still be read and deleted."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.model.errors import StorageFull
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Delete, Key, Put
from sparks.table.sqlite import SqliteTable
from tests.journey.sample_steps import KEYRING

MEGABYTE = bytes(1024 * 1024)
MOST = 40


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk for one test."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MOST}m", "tmpfs", str(tmp_path)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only the superuser can mount a disk")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


def fill(blobs: FilesystemBlobs) -> list[str]:
    """Stores blobs until the disk is full; returns their keys."""
    for number in range(MOST + 1):
        try:
            blobs.put(f"originals/{number}", [MEGABYTE])
        except StorageFull:
            return [f"originals/{stored}" for stored in range(number)]
    pytest.fail("more went onto the disk than it can hold")


def test_on_a_disk_that_is_full_of_blobs_the_database_has_room_to_delete_them(disk: Path) -> None:
    blobs = FilesystemBlobs(disk / "blobs", keyring=KEYRING, base_url="")
    with closing(blobs), closing(SqliteFile(disk / "sparks.db")) as file:
        table = SqliteTable(file)
        table.write(Put({"PK": "a", "SK": "a"}))
        stored = fill(blobs)
        assert len(stored) > MOST / 2
        assert b"".join(blobs.open(stored[0])) == MEGABYTE
        for number in range(50):
            table.write(Put({"PK": "b", "SK": str(number), "words": "x" * 1000}))
        table.write(Delete(Key("a", "a")))
        blobs.delete(stored[0])
        blobs.delete(stored[1])
        blobs.put("originals/again", [MEGABYTE])


def test_parts_of_an_upload_leave_room_for_the_database_too(disk: Path) -> None:
    blobs = FilesystemBlobs(disk / "blobs", keyring=KEYRING, base_url="")
    with closing(blobs):
        stored = fill(blobs)
        upload = blobs.create_upload("uploads/a")
        with pytest.raises(StorageFull):
            blobs.put_part("uploads/a", upload, 1, [MEGABYTE], size=len(MEGABYTE))
        blobs.delete(stored[0])
        blobs.put_part("uploads/a", upload, 1, [MEGABYTE], size=len(MEGABYTE))
