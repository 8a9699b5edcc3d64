"""SQLite file shared by processes: acknowledged writes stay, deleted data leaves the disk, and closing waits."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from sparks.model.errors import Busy, StorageFull, Unavailable
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Add, Delete, Key, Present, Put, Set
from sparks.table.sqlite import SqliteTable
from tests.servers.process import wait_until
from tests.sqlitefile.number_rows import insert, numbers_in

SECRET = "01890a5d-ac96-774b-bcce-b302099a8057"


def bytes_on_disk(path: Path) -> bytes:
    return b"".join(part.read_bytes() for part in path.parent.iterdir() if part.is_file())


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
