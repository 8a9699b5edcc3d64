"""Group commit: writers that come together share a commit, and a failure belongs to its own work."""

import subprocess
import sys
import threading
from pathlib import Path

import apsw

from sparks.model.errors import SparksError, Unavailable
from sparks.sqlitefile import SqliteFile
from tests.servers.process import wait_until
from tests.sqlitefile.number_rows import insert, numbers_in


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
