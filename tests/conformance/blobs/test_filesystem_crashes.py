"""Killed processes, and disks that are full or fail: the whole new blob, or the whole old one."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.model.errors import StorageFull
from tests.conformance.blobs.content import KEYRING, MIB, content_of, keys_of

KEY = "originals/01980a2b.jpg"
LEAF = "originals/~0198/~0a"
NEEDS_STRACE = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
STEPS = "fsync,renameat,renameat2,linkat,mkdirat"


def opened(folder: Path) -> FilesystemBlobs:
    return FilesystemBlobs(folder, keyring=KEYRING, base_url="")


def put_under_strace(folder: Path, *options: str, word: str = "new", condition: str = "") -> str:
    """The output of the process."""
    putter = [sys.executable, "-m", "tests.conformance.blobs.putter", str(folder), KEY, word, condition]
    process = subprocess.run(["strace", "-f", *options, *putter], check=False, capture_output=True, text=True)
    return process.stdout


def steps_of_a_put(folder: Path, *, condition: str = "") -> list[str]:
    log = folder.parent / "strace.log"
    said = put_under_strace(folder, "-y", "-o", str(log), "-e", f"trace={STEPS},write", condition=condition)
    assert said == "ready\ndone\n"
    lines = log.read_text().partition('"ready')[2].partition('"done')[0].splitlines()[1:-1]
    return [_step(line, folder) for line in lines if "write(" not in line]


def _step(line: str, folder: Path) -> str:
    """`12 fsync(7</x/blobs/originals>) = 0` is `fsync originals`; a temporary file is just `draft`."""
    call = re.match(r"\d+ +(\w+)\((.*)\) += 0", line)
    assert call is not None, line
    names = re.findall(r'<([^>]+)>|"([^"]+)"', call[2])
    paths = [path.removeprefix(str(folder)).lstrip("/") or "." for pair in names for path in pair if path]
    return " ".join([call[1], *paths]).replace(".tmp ", ".tmp/")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "blobs"
    opened(folder).close()
    return folder


def anonymous(steps: list[str]) -> list[str]:
    return [re.sub(r"\.tmp/[0-9a-f]{32}", "draft", step) for step in steps]


@NEEDS_STRACE
def test_the_bytes_are_durable_before_the_name_and_the_name_before_the_answer(folder: Path) -> None:
    assert anonymous(steps_of_a_put(folder)) == [
        "mkdirat . originals",
        "fsync .",
        "mkdirat originals ~0198",
        "fsync originals",
        "mkdirat originals/~0198 ~0a",
        "fsync originals/~0198",
        "fsync draft",
        f"renameat draft {LEAF} 01980a2b.jpg",
        f"fsync {LEAF}",
    ]


@NEEDS_STRACE
def test_if_absent_links_instead_of_renaming(folder: Path) -> None:
    assert anonymous(steps_of_a_put(folder, condition="absent"))[-3:] == [
        "fsync draft",
        f"linkat draft {LEAF} 01980a2b.jpg",
        f"fsync {LEAF}",
    ]


@NEEDS_STRACE
@pytest.mark.parametrize(
    ("call", "turn"),
    [
        ("write", 2),
        pytest.param("write", 3, marks=pytest.mark.long),
        ("fsetxattr", 2),
        ("fsync", 6),
        pytest.param("fsync", 3, marks=pytest.mark.long),
        pytest.param("fsync", 4, marks=pytest.mark.long),
        pytest.param("fsync", 5, marks=pytest.mark.long),
        ("renameat", 1),
        ("fsync", 7),
    ],
)
def test_a_put_that_is_killed_leaves_the_old_blob_or_the_new_one(folder: Path, call: str, turn: int) -> None:
    blobs = opened(folder)
    blobs.put(KEY, [b"old"], content_type="image/jpeg")
    said = put_under_strace(folder, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={turn}")
    assert said == "ready\n"
    found = (content_of(blobs, KEY), blobs.head(KEY).content_type)
    assert found in {(b"old", "image/jpeg"), (b"newnewnew", "image/png")}
    assert keys_of(blobs) == [KEY]
    blobs.close()


@NEEDS_STRACE
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("write:error=ENOSPC:when=2", "StorageFull"),
        ("fsync:error=EDQUOT:when=6", "StorageFull"),
        ("fsync:error=EIO:when=6", "Unavailable"),
        ("renameat:error=EROFS", "Unavailable"),
        ("fsetxattr:error=ENOSPC:when=2", "StorageFull"),
    ],
)
def test_a_failing_disk_raises_an_error_and_leaves_the_old_blob(folder: Path, fault: str, error: str) -> None:
    blobs = opened(folder)
    blobs.put(KEY, [b"old"])
    call = fault.partition(":")[0]
    said = put_under_strace(folder, "-e", f"trace={call}", "-e", f"inject={fault}")
    assert said == f"ready\n{error}\n"
    assert content_of(blobs, KEY) == b"old"
    assert list((folder / ".tmp").iterdir()) == []
    blobs.close()


def test_files_of_a_killed_process_are_removed_a_day_later(folder: Path) -> None:
    left = {"old": time.time() - 25 * 3600, "young": time.time() - 23 * 3600}
    for age, modified in left.items():
        (folder / ".tmp" / f"{age}-file").write_bytes(b"half")
        (folder / ".tmp" / f"{age}-upload").mkdir()
        (folder / ".tmp" / f"{age}-upload" / "00001").write_bytes(b"part")
        for name in (f"{age}-file", f"{age}-upload"):
            os.utime(folder / ".tmp" / name, (modified, modified))
    opened(folder).close()
    assert sorted(path.name for path in (folder / ".tmp").iterdir()) == ["young-file", "young-upload"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "sparks-test", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk_raises_an_error_and_leaves_no_half_file(small_disk: Path) -> None:
    blobs = opened(small_disk / "blobs")
    blobs.put("originals/kept", [b"kept" * 1000])
    for _ in range(3):
        with pytest.raises(StorageFull, match="no room left"):
            blobs.put("originals/large", [bytes(MIB)] * 3)
    assert keys_of(blobs) == ["originals/kept"]
    assert list((small_disk / "blobs/.tmp").iterdir()) == []
    assert content_of(blobs, "originals/kept") == b"kept" * 1000
    blobs.put("originals/fits", [bytes(MIB)])
    blobs.close()


def test_an_upload_on_a_full_disk_can_be_completed_once_there_is_room(small_disk: Path) -> None:
    blobs = opened(small_disk / "blobs")
    blobs.put("other", [bytes(MIB // 2)])
    upload_id = blobs.create_upload(KEY)
    part = blobs.put_part(KEY, upload_id, 1, [b"x" * (MIB * 3 // 4)], size=MIB * 3 // 4)
    with pytest.raises(StorageFull):
        blobs.put_part(KEY, upload_id, 2, [bytes(MIB)], size=MIB)
    blobs.put("another", [bytes(MIB // 4)])
    with pytest.raises(StorageFull):
        blobs.complete_upload(KEY, upload_id, [part])
    assert blobs.list_parts(KEY, upload_id) == [part]
    blobs.delete("other")
    assert blobs.complete_upload(KEY, upload_id, [part]).size == MIB * 3 // 4
    blobs.close()
