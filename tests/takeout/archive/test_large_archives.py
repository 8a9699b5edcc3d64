"""Large archives: many entries and long ones, in little memory."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

MOST_MB = 100
GIB = 1024**3


def made(folder: Path, *, entries: int, size: int) -> Path:
    """The archive, once it is sure that making it took little memory."""
    command = [sys.executable, "-m", "tests.takeout.archive.large_archive", str(entries), str(size), str(folder)]
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    told = json.loads(subprocess.run(command, capture_output=True, check=True, env={**os.environ, **paths}).stdout)
    assert told["rss_mb"] < MOST_MB
    archive = folder / "archive.zip"
    assert archive.stat().st_size == told["bytes"]
    return archive


def assert_sound(archive: Path) -> None:
    found = subprocess.run(["unzip", "-tq", archive], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, ""), found.stdout


def test_seventy_thousand_entries_are_sent_in_little_memory(tmp_path: Path) -> None:
    archive = made(tmp_path, entries=70_000, size=10)
    assert_sound(archive)
    with zipfile.ZipFile(archive) as opened:
        assert opened.testzip() is None
        names = opened.namelist()
    assert len(names) == len(set(names)) == 70_000
    assert names[1000] == "IMG_0 (2).jpg"


@pytest.mark.long
@pytest.mark.parametrize(("entries", "size"), [(1, 5 * GIB), (10, GIB // 2), (3, 4 * GIB + 1)])
def test_gigabytes_are_sent_in_little_memory(tmp_path: Path, entries: int, size: int) -> None:
    archive = made(tmp_path, entries=entries, size=size)
    assert_sound(archive)
    with zipfile.ZipFile(archive) as opened:
        assert [entry.file_size for entry in opened.infolist()] == [size] * entries
        assert opened.testzip() is None
    assert archive.stat().st_blocks * 512 < 10**8
