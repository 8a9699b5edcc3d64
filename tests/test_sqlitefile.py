"""SQLite file: acknowledged writes stay, deleted data leaves the disk, and processes share it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from sparks.model.errors import BadSetting, Busy, Damaged, SparksError, StorageFull, Unavailable
from sparks.sqlitefile import SqliteFile
from sparks.sqlitefile.file import check_version
from sparks.table.port import Add, Delete, Key, Present, Put, Set
from sparks.table.sqlite import SqliteTable
from tests.servers.process import wait_until

SECRET = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sparks.db"


@pytest.fixture
def file(path: Path) -> Iterator[SqliteFile]:
    file = SqliteFile(path)
    file.ensure("CREATE TABLE IF NOT EXISTS numbers (number INTEGER PRIMARY KEY)")
    yield file
    file.close()


def insert(file: SqliteFile, *numbers: int) -> None:
    file.write(lambda connection: connection.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in numbers]))


def numbers_in(file: SqliteFile) -> list[int]:
    return [row[0] for row in file.read("SELECT number FROM numbers ORDER BY number")]


def bytes_on_disk(path: Path) -> bytes:
    return b"".join(part.read_bytes() for part in path.parent.iterdir() if part.is_file())


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


def test_concurrent_writers_share_commits(file: SqliteFile) -> None:
    before = file._commits.count
    entered, go = threading.Event(), threading.Event()

    def hold(_connection: apsw.Connection) -> None:
        entered.set()
        assert go.wait(30)

    leader = threading.Thread(target=file.write, args=(hold,))
    leader.start()
    assert entered.wait(30)
    followers = [threading.Thread(target=insert, args=(file, number)) for number in range(20)]
    for follower in followers:
        follower.start()
    wait_until(lambda: len(file._commits._waiting) == 20, what="all followers to wait")
    go.set()
    for thread in (leader, *followers):
        thread.join()
    assert numbers_in(file) == list(range(20))
    assert file._commits.count - before == 2


def test_failed_work_is_rolled_back_without_the_other_work_of_its_commit(file: SqliteFile) -> None:
    insert(file, 7)
    errors: list[Exception] = []

    def write(start: int) -> None:
        try:
            insert(file, start, start + 1, start + 2)
        except Unavailable as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 5, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 1
    assert numbers_in(file) == [0, 1, 2, 7, 10, 11, 12]


def test_a_failed_commit_fails_for_all_its_writers(file: SqliteFile) -> None:
    """Each may depend on another one that was rolled back, so none of their own outcomes is returned."""
    file.ensure("CREATE TABLE IF NOT EXISTS owed (number INTEGER REFERENCES numbers DEFERRABLE INITIALLY DEFERRED)")
    entered, go = threading.Event(), threading.Event()
    errors: dict[str, SparksError] = {}

    def hold(_connection: apsw.Connection) -> None:
        entered.set()
        assert go.wait(30)

    def write(name: str, sql: str) -> None:
        try:
            file.write(lambda connection: connection.execute(sql).fetchall())
        except SparksError as error:
            errors[name] = error

    file._commits._writer.pragma("foreign_keys", 1)
    writes = {"fine": "INSERT INTO numbers VALUES (1)", "owed": "INSERT INTO owed VALUES (404)", "bad": "SELECT"}
    threads = [threading.Thread(target=file.write, args=(hold,))]
    threads[0].start()
    assert entered.wait(30)
    threads += [threading.Thread(target=write, args=pair) for pair in writes.items()]
    for thread in threads[1:]:
        thread.start()
    wait_until(lambda: len(file._commits._waiting) == 3, what="the three to wait")
    go.set()
    for thread in threads:
        thread.join()
    assert {name: str(error) for name, error in errors.items()} == dict.fromkeys(writes, str(errors["owed"]))
    assert numbers_in(file) == []
    insert(file, 2)
    assert numbers_in(file) == [2]


def test_an_interrupted_writer_still_leads_the_waiting_ones(path: Path) -> None:
    code = f"""
import os, pathlib, signal, threading
from sparks.sqlitefile import SqliteFile
file = SqliteFile(pathlib.Path({str(path)!r}))
entered = threading.Event()

def hold(connection):
    entered.set()
    while not file._commits._waiting:
        pass
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=file.write, args=(hold,)).start()
entered.wait()
try:
    file.write(lambda connection: None)
except KeyboardInterrupt:
    print("interrupted")
file.write(lambda connection: None)
file.close()
print("closed")
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert ended.stdout.split() == ["interrupted", "closed"], ended.stderr


def test_several_processes_may_create_the_file_at_once(path: Path) -> None:
    code = f"""
import pathlib
from sparks.sqlitefile import SqliteFile
for number in range(20):
    file = SqliteFile(pathlib.Path({str(path)!r} + str(number)))
    file.ensure("CREATE TABLE IF NOT EXISTS numbers (number INTEGER PRIMARY KEY)")
    file.close()
"""
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4


def test_truncation_gives_way_to_a_slow_reader_and_is_done_after_it(file: SqliteFile, path: Path) -> None:
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM numbers").fetchall()
    insert(file, 1)
    assert not file._truncate_log()
    reader.close()
    assert file._truncate_log()


def test_an_open_reader_does_not_block_writers(file: SqliteFile, path: Path) -> None:
    insert(file, 1)
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM numbers").get == 1
    insert(file, 2)
    assert reader.execute("SELECT count(*) FROM numbers").get == 1
    assert numbers_in(file) == [1, 2]
    reader.close()


def test_a_lock_that_another_process_keeps_is_busy(path: Path) -> None:
    file = SqliteFile(path, busy_timeout=0.05)
    file.ensure("CREATE TABLE IF NOT EXISTS numbers (number INTEGER PRIMARY KEY)")
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy, match="try again"):
        insert(file, 1)
    other.execute("ROLLBACK")
    insert(file, 1)
    assert numbers_in(file) == [1]
    other.close()
    file.close()


def test_a_full_disk_raises_an_error_and_reads_go_on(file: SqliteFile) -> None:
    table = SqliteTable(file)
    table.write(Put({"PK": "here", "SK": "first"}))
    pages = file.read("PRAGMA page_count")[0][0]
    file.write(lambda connection: connection.pragma("max_page_count", pages))
    with pytest.raises(StorageFull, match="free some"):
        table.write(Put({"PK": "there", "SK": "large", "body": b"x" * 300_000}))
    assert table.get(Key("there", "large")) is None
    assert table.get(Key("here", "first")) is not None
    file.write(lambda connection: connection.pragma("max_page_count", pages + 1000))
    table.write(Put({"PK": "there", "SK": "large", "body": b"x" * 300_000}))


def test_a_closed_file_refuses_writes_and_may_be_closed_twice(file: SqliteFile) -> None:
    file.close()
    file.close()
    with pytest.raises(Unavailable, match="closed"):
        insert(file, 1)


def test_close_waits_for_running_writes(file: SqliteFile, path: Path) -> None:
    entered, go = threading.Event(), threading.Event()

    def hold(connection: apsw.Connection) -> None:
        entered.set()
        assert go.wait(30)
        connection.execute("INSERT INTO numbers VALUES (1)")

    writer = threading.Thread(target=file.write, args=(hold,))
    writer.start()
    assert entered.wait(30)
    closer = threading.Thread(target=file.close)
    closer.start()
    go.set()
    writer.join()
    closer.join()
    again = SqliteFile(path)
    assert numbers_in(again) == [1]
    again.close()


@pytest.mark.parametrize(
    "removal", [Delete(Key(SECRET, "SK")), Set(Key(SECRET, "SK"), remove=frozenset({"of"}), when=(Present(),))]
)
def test_deleted_data_soon_leaves_the_disk(path: Path, removal: Delete | Set) -> None:
    file = SqliteFile(path, erase_after=0.05)
    table = SqliteTable(file)
    for number in range(200):
        table.write(Put({"PK": f"other{number}", "SK": "SK", "entityType": "IMAGE"}))
    table.write(Put({"PK": SECRET, "SK": "SK", "entityType": "IMAGE", "uploadedBy": "who", "of": f"{SECRET} a secret"}))
    wait_until(lambda: b"a secret" in bytes_on_disk(path), what="the text to be on the disk")
    table.write(removal)
    gone = SECRET.encode() if isinstance(removal, Delete) else b"a secret"
    wait_until(lambda: gone not in bytes_on_disk(path), what="the deleted text to leave the disk")
    assert table.get(Key("other7", "SK")) is not None
    file.close()


def test_the_next_process_truncates_the_log_of_a_killed_one(path: Path) -> None:
    code = f"""
import os, signal, pathlib
from sparks.sqlitefile import SqliteFile
from sparks.table.port import *
from sparks.table.sqlite import SqliteTable
table = SqliteTable(SqliteFile(pathlib.Path({str(path)!r})))
table.write(Put({{"PK": {SECRET!r}, "SK": "SK"}}))
table.write(Delete(Key({SECRET!r}, "SK")))
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    assert SECRET.encode() in bytes_on_disk(path)
    file = SqliteFile(path, erase_after=0.05)
    wait_until(lambda: SECRET.encode() not in bytes_on_disk(path), what="the deleted text to leave the disk")
    file.close()


def test_two_processes_increment_a_counter_without_losing_a_write(path: Path) -> None:
    code = f"""
import pathlib
from sparks.sqlitefile import SqliteFile
from sparks.table.port import *
from sparks.table.sqlite import SqliteTable
file = SqliteFile(pathlib.Path({str(path)!r}))
table = SqliteTable(file)
for _ in range(300):
    table.write(Add(Key("counter", "counter"), {{"limit": 1}}))
file.close()
"""
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    file = SqliteFile(path)
    table = SqliteTable(file)
    for _ in range(300):
        table.write(Add(Key("counter", "counter"), {"limit": 1}))
    assert [process.wait(60) for process in processes] == [0, 0]
    assert table.get(Key("counter", "counter")) == {"PK": "counter", "SK": "counter", "limit": 900}
    assert file.verify() == []
    file.close()


def test_acknowledged_writes_of_a_killed_process_are_there(path: Path) -> None:
    code = f"""
import pathlib
from sparks.sqlitefile import SqliteFile
from sparks.table.port import *
from sparks.table.sqlite import SqliteTable
table = SqliteTable(SqliteFile(pathlib.Path({str(path)!r})))
number = 0
while True:
    table.write(Put({{"PK": str(number), "SK": "SK"}}))
    print(number, flush=True)
    number += 1
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = [next(process.stdout) for _ in range(200)]
        os.kill(process.pid, signal.SIGKILL)
        acknowledged += [line for line in process.stdout if line.endswith("\n")]
    file = SqliteFile(path)
    table = SqliteTable(file)
    assert [line for line in acknowledged if table.get(Key(line.strip(), "SK")) is None] == []
    assert file.verify() == []
    file.close()


def test_the_integrity_check_finds_a_damaged_page(path: Path) -> None:
    file = SqliteFile(path)
    table = SqliteTable(file)
    for start in range(0, 2000, 100):
        table.write(
            *(
                Put({"PK": f"{n:06}", "SK": "SK", "entityType": "IMAGE", "x": "y" * 200})
                for n in range(start, start + 100)
            )
        )
    assert file.verify() == []
    file.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 2000] = bytes(2000)
    path.write_bytes(content)
    file = SqliteFile(path)
    assert file.verify() != []
    file.close()
