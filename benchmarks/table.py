"""The SQLite table: pages against a hand-written sqlite3 SELECT, growth to a million items, shared commits, memory."""

import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import apsw
import msgspec

from benchmarks.frame import Figure, ratio, run, seconds
from sparks.sqlitefile import SqliteFile
from sparks.table.port import EntityType, Item, Key, Put
from sparks.table.sqlite import PUT, SqliteTable, row_of

SMALL: Final = 10_000
LARGE: Final = 1_000_000
PAGES: Final = 200
WRITERS: Final = 32


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as name:
        folder = Path(name)
        small, large = filled(folder / "small.db", SMALL), filled(folder / "large.db", LARGE)
        return [
            page_against_sqlite3(small, folder / "small.db"),
            growth("page_1m_vs_10k", large, small, newest, "a page of the 100 newest at 1,000,000 items / at 10,000"),
            growth("random_page_1m_vs_10k", large, small, anywhere, "a page of 100 from anywhere, likewise", goal=""),
            *shared_commits(folder),
            Figure("rss_1m_mb", memory(folder / "large.db"), "RSS of a process that reads 1,000,000 items, MB", "< 80"),
        ]


def photo(number: int) -> Item:
    """As large as a photo's row is in practice."""
    image_id = image_id_of(number)
    return {
        "PK": image_id,
        "SK": "UPLOADED_BY#someone@example.org",
        "entityType": "IMAGE",
        "uploadedBy": "someone@example.org",
        "imageId": image_id,
        "owner": "someone@example.org",
        "s3Key": f"originals/{image_id}.jpg",
        "images": {size: f"processed/{image_id}_{size}.webp" for size in ("large", "medium", "thumb")},
        "exif": {"camera": "Canon EOS 5D", "iso": 200, "shutterSpeed": "1/250"},
        "persons": ["person1", "person2"],
        "tags": ["summer", "beach"],
        "uploaded_datetime": "2026-08-01T09:24:22.159Z",
        "takenAt": "2026-08-01T09:24:22.159Z",
        "width": 4000,
        "height": 3000,
        "fileSize": 4_194_304 + number,
        "sha256": f"{number:064x}",
        "thumbhash": b"0123456789012345678901234",
        "version": 1,
    }


def image_id_of(number: int) -> str:
    return f"{number:08x}-0000-7000-8000-000000000000"


def filled(path: Path, count: int) -> SqliteTable:
    file = SqliteFile(path)
    table = SqliteTable(file)
    for start in range(0, count, 10_000):
        file.write(partial(insert, start=start))
    return table


def insert(connection: apsw.Connection, *, start: int) -> None:
    connection.executemany(PUT, map(row_of, map(photo, range(start, start + 10_000))))


def page_against_sqlite3(table: SqliteTable, path: Path) -> Figure:
    connection = sqlite3.connect(path)
    select = "SELECT body FROM items WHERE entity = ? ORDER BY pk DESC LIMIT 100"
    decode = msgspec.msgpack.Decoder(dict).decode

    def by_hand() -> None:
        for _ in range(PAGES):
            page = [decode(body) for (body,) in connection.execute(select, ("IMAGE",))]
            assert len(page) == 100

    value = ratio(lambda: newest(table), by_hand)
    connection.close()
    return Figure(
        "page_cpu_vs_sqlite3", value, "CPU of a page of the 100 newest / hand-written sqlite3 + msgspec", "<= 1.4"
    )


def growth(
    key: str,
    large: SqliteTable,
    small: SqliteTable,
    read: Callable[[SqliteTable], None],
    what: str,
    goal: str = "<= 1.3",
) -> Figure:
    return Figure(key, ratio(lambda: read(large), lambda: read(small)), what, goal)


def newest(table: SqliteTable) -> None:
    for _ in range(PAGES):
        assert len(table.query(EntityType("IMAGE"), limit=100, newest_first=True).items) == 100


def anywhere(table: SqliteTable) -> None:
    last = int(table.query(EntityType("IMAGE"), limit=1, newest_first=True).items[0]["PK"][:8], 16)
    for _ in range(PAGES):
        behind = Key(image_id_of(random.randrange(200, last)), "~")
        assert len(table.query(EntityType("IMAGE"), limit=100, after=behind, newest_first=True).items) == 100


def shared_commits(folder: Path) -> list[Figure]:
    file = SqliteFile(folder / "writes.db")
    table = SqliteTable(file)
    numbers = iter(range(10**9))
    lock = threading.Lock()

    def write(count: int) -> None:
        for _ in range(count):
            with lock:
                number = next(numbers)
            table.write(Put(photo(number)))

    def together() -> None:
        threads = [threading.Thread(target=write, args=(50,)) for _ in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    gain = ratio(lambda: write(50 * WRITERS), together, rounds=5, clock=seconds)
    before = file._commits.count
    together()
    shared = 50 * WRITERS / (file._commits.count - before)
    file.close()
    return [
        Figure(
            "writes_per_commit", shared, f"{WRITERS} concurrent durable writers: writes that share a commit", ">= 10"
        ),
        Figure("group_commit_gain", gain, "their rate / one commit at a time", ">= 2"),
    ]


def memory(path: Path) -> float:
    """Measured in a process of its own, which reads all over the file as a server would."""
    code = f"from benchmarks.table import read_all_over; read_all_over({str(path)!r})"
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(answer.stdout)


def read_all_over(path: str) -> None:
    file = SqliteFile(Path(path))
    table = SqliteTable(file)
    readers = [threading.Thread(target=anywhere, args=(table,)) for _ in range(4)]
    for thread in readers:
        thread.start()
    for thread in readers:
        thread.join()
    table.write(Put(photo(LARGE + 1)))
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    file.close()
    print(pages * 4096 / 1e6)


if __name__ == "__main__":
    run("table", measure)
