"""Opening a SQLite file: refused files, permissions, and the pragmas in force."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from sparks.model.errors import BadSetting, Damaged, Unavailable
from sparks.sqlitefile import SqliteFile
from sparks.sqlitefile.file import check_version
from tests.sqlitefile.number_rows import insert


def test_a_version_of_sqlite_that_corrupts_files_is_refused() -> None:
    with pytest.raises(BadSetting, match=r"SQLite 3\.40\.1 may corrupt .* 3\.51\.3 or newer"):
        check_version((3, 40, 1))
    check_version((3, 51, 3))


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(BadSetting, match="another program"):
        SqliteFile(path)


def test_a_file_from_a_newer_sparks_is_refused(file: SqliteFile, path: Path) -> None:
    file.write(lambda connection: connection.pragma("user_version", 99))
    file.close()
    with pytest.raises(BadSetting, match="newer Sparks"):
        SqliteFile(path)


def test_a_file_that_is_not_a_database_is_damaged(path: Path) -> None:
    path.write_bytes(b"these are not the bytes of a database" * 100)
    with pytest.raises(Damaged, match="restore it from a backup"):
        SqliteFile(path)


def test_a_folder_that_cannot_be_created_is_unavailable(path: Path) -> None:
    path.write_text("a file where a folder should be")
    with pytest.raises(Unavailable):
        SqliteFile(path / "sparks.db")


def test_only_the_owner_may_read_the_file_and_its_log(file: SqliteFile, path: Path) -> None:
    insert(file, 1)
    assert {part.stat().st_mode & 0o777 for part in path.parent.iterdir()} == {0o600}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user with fewer rights")
@pytest.mark.parametrize("mode", [0o755, 0o777], ids=["its folder too", "the file alone"])
def test_a_read_only_file_is_unavailable(mode: int) -> None:
    code = """
import os, pathlib, sys
from sparks.model.errors import Unavailable
from sparks.sqlitefile import SqliteFile
os.setuid(65534)
try:
    SqliteFile(pathlib.Path(sys.argv[1]))
except Unavailable as error:
    print(error)
"""
    with TemporaryDirectory() as folder:
        path = Path(folder, "sparks.db")
        SqliteFile(path).close()
        path.chmod(0o444)
        path.parent.chmod(mode)
        ended = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
    assert "heck the owner and the mode" in ended.stdout


def test_every_commit_is_synced_and_every_deletion_overwritten(file: SqliteFile) -> None:
    pragmas = file.write(lambda connection: [connection.pragma(name) for name in ("synchronous", "secure_delete")])
    assert pragmas == [2, 1]
    assert file.read("PRAGMA journal_mode") == [("wal",)]
