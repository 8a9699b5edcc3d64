"""`sparks migrate` of a PostgreSQL gallery, each command in its own process. Backfill against a bare loop that reads
the same pages and puts the same items; with objects against a bare loop that hashes and copies; growth to a million
rows; the cost of capture for the legacy writer; verify against backfill; how long a cutover refuses writes. A table of
DynamoDB against a bare scan and put. At the end, a library moves to other engines, against a bare copy.
"""

import hashlib
import json
import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import mean
from typing import Final

import psycopg

from benchmarks.engine_migration import engine_vs_bare
from benchmarks.frame import Figure, ratio, run, seconds
from benchmarks.layout_table import LayoutTable, new_table
from benchmarks.legacy_gallery import Gallery, Run
from sparks.library import keys
from sparks.migrate.records import TABLES
from sparks.model.migration import ALBUMS, PHOTOS, USERS
from sparks.sqlitefile import SqliteFile
from sparks.table.port import MAX_CHANGES, Item, Partition, Put, Table
from sparks.table.sqlite import SqliteTable
from tests.servers.postgresql import PostgresqlServer

PAGE: Final = 500
WRITES_PER_S: Final = 100
OBJECT_BYTES: Final = 4 * 1024 * 1024
START: Final = b"\xff\xd8\xff\xe0"
CHANGES: Final = 4000  # that follow applies
STATEMENTS: Final = 200  # of the legacy writer, in a run
READ: Final = "SELECT to_jsonb(t)::text FROM {} t WHERE id > %s ORDER BY id LIMIT %s"
FIRST_ID: Final = "00000000-0000-0000-0000-000000000000"


def measure(*, rows: int, large: int, objects: int, photos: int) -> list[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as name,
        PostgresqlServer() as server,
    ):
        galleries = new_galleries(server, Path(name))
        return [
            *rows_without_objects(next(galleries), rows),
            *growth(next(galleries), next(galleries), large),
            capture_cost(next(galleries), next(galleries)),
            *objects_against_bare(next(galleries), objects),
            *layouts_against_bare(Path(name), rows),
            *engine_vs_bare(Path(name), photos),
        ]


def new_galleries(server: PostgresqlServer, folder: Path) -> Iterator[Gallery]:
    for number in count():
        objects = folder / f"objects{number}"
        objects.mkdir()
        yield Gallery(server.new_database(), objects, folder / f"data{number}")


# -- Rows


def rows_without_objects(gallery: Gallery, rows: int) -> list[Figure]:
    gallery.fill(rows)
    gallery.capture()
    filled = gallery.run("backfill")
    bare = bare_seconds(gallery)
    verified = gallery.run("verify")
    assert verified.told["checked"] == rows, verified.told
    followed = follow(gallery)
    return [
        Figure(
            "backfill_vs_bare",
            bare / filled.seconds,
            f"{rows:,} rows without objects: rows a second / a bare loop that reads the same pages and puts the same "
            "items, as durable",
            ">= 0.5",
        ),
        Figure(
            "rss_mb",
            max(filled.megabytes, verified.megabytes),
            "most memory of the backfill or the verify, MB",
            "< 150",
        ),
        Figure("verify_vs_backfill", filled.seconds / verified.seconds, "rows a second: verify / backfill", ">= 1"),
        cutover_under_load(gallery),
        Figure("backfill_per_s", rows / filled.seconds, "rows a second, copied"),
        Figure("bare_per_s", rows / bare, "rows a second of the bare loop"),
        Figure("verify_per_s", rows / verified.seconds, "rows a second, compared"),
        Figure("follow_per_s", CHANGES / followed.seconds, f"changes a second, {CHANGES:,} applied and read back"),
    ]


def bare_seconds(gallery: Gallery) -> float:
    """The time to read all pages and to put what the backfill made of them. Finding that out does not count."""
    with (
        psycopg.connect(gallery.database.owner_url, autocommit=True) as source,
        closing(SqliteFile(gallery.data / "sparks.db")) as filled,
        closing(SqliteFile(gallery.data.with_name("bare.db"))) as file,
    ):
        made, bare = SqliteTable(filled), SqliteTable(file)
        spent = 0.0
        for table in TABLES:
            after = FIRST_ID
            while True:
                began = time.perf_counter()
                page = read_page(source, table, after)
                spent += time.perf_counter() - began
                if not page:
                    break
                after = page[-1]["id"]
                items = [item for row in page for item in items_of(table, row["id"], made)]
                spent += seconds(partial(put_all, items, bare))
    return spent


def read_page(source: psycopg.Connection, table: str, after: str) -> list[Item]:
    return [json.loads(text) for (text,) in source.execute(READ.format(table), (after, PAGE)).fetchall()]


def items_of(table: str, old_id: str, made: Table) -> list[Item]:
    """The items that a row of the source became."""
    alias = made.get(keys.external_id(table, old_id))
    assert alias is not None, (table, old_id)
    target = alias["imageId"]
    if table == USERS:
        return [alias, *made.get_many([keys.user(target), keys.upload_limit(target)]).values()]
    pk = keys.album(target).pk if table == ALBUMS else target
    return [alias, *made.query(Partition(pk), limit=1000).items]


def put_all(items: Sequence[Item], table: Table) -> None:
    for start in range(0, len(items), MAX_CHANGES):
        table.write(*map(Put, items[start : start + MAX_CHANGES]))


def follow(gallery: Gallery) -> Run:
    with psycopg.connect(gallery.database.application_url, autocommit=True) as connection:
        some = "SELECT id FROM gallery_images LIMIT %s"
        connection.execute(f"UPDATE gallery_images SET title = title || '!' WHERE id IN ({some})", (CHANGES,))
    return gallery.run("follow", "--once")


def growth(small: Gallery, large: Gallery, rows: int) -> list[Figure]:
    small.fill(rows // 10)
    large.fill(rows)
    for gallery in (small, large):
        gallery.capture()
    first, all_of_it = small.run("backfill"), large.run("backfill")
    return [
        Figure(
            "rate_1m_vs_100k",
            rows / all_of_it.seconds / (rows // 10 / first.seconds),
            f"rows a second: of {rows:,} / of {rows // 10:,}",
            ">= 0.9",
        ),
        Figure("rss_1m_mb", all_of_it.megabytes, f"most memory of the backfill of {rows:,} rows, MB", "< 150"),
    ]


# -- The legacy application


def cutover_under_load(gallery: Gallery) -> Figure:
    """From the first write that the source refuses until the command has ended and Sparks takes writes."""
    following = gallery.start("follow")
    with legacy_writer(gallery) as refused_at:
        time.sleep(5)
        gallery.run("cutover")
        ended = time.perf_counter()
        time.sleep(0.1)
    following.communicate()
    what = f"writes refused during cutover of a source under {WRITES_PER_S} writes a second, s"
    return Figure("cutover_s", ended - refused_at[0], what, "< 10")


@contextmanager
def legacy_writer(gallery: Gallery) -> Iterator[list[float]]:
    """Inserts, updates and deletes at a steady rate; yields the times of the writes that were refused."""
    refused: list[float] = []
    stop = threading.Event()

    def write_all() -> None:
        with psycopg.connect(gallery.database.application_url, autocommit=True) as connection:
            statements = legacy_statements(connection)
            due = time.perf_counter()
            while not stop.wait(max(0.0, due - time.perf_counter())):
                due += 1 / WRITES_PER_S
                try:
                    next(statements)()
                except psycopg.errors.ReadOnlySqlTransaction:
                    refused.append(time.perf_counter())

    thread = threading.Thread(target=write_all)
    thread.start()
    try:
        yield refused
    finally:
        stop.set()
        thread.join()


def legacy_statements(connection: psycopg.Connection) -> Iterator[Callable[[], object]]:
    """An insert, updates and a delete, each a transaction of its own, in turn."""
    ids = [row[0] for row in connection.execute("SELECT id FROM gallery_images ORDER BY id LIMIT 2000")]
    insert = """
    INSERT INTO gallery_images (id, user_id, original_filename, mime_type, file_size, s3_key, title, tags)
    SELECT gen_random_uuid(), user_id, original_filename, mime_type, file_size, 'new', title, tags
    FROM gallery_images WHERE id = %s
    """
    update = "UPDATE gallery_images SET title = %s, updated_at = now() WHERE id = %s"
    choice = random.Random(1)
    for number in count():
        one = choice.choice(ids)
        yield partial(connection.execute, insert, (one,))
        yield partial(connection.execute, update, (f"title {number}", one))
        yield partial(connection.execute, update, (f"other {number}", choice.choice(ids)))
        yield partial(connection.execute, "DELETE FROM gallery_images WHERE id = %s", (choice.choice(ids),))


def capture_cost(captured: Gallery, plain: Gallery) -> Figure:
    for gallery in (captured, plain):
        gallery.fill(10_000)
    captured.capture()
    with (
        psycopg.connect(captured.database.application_url, autocommit=True) as ours,
        psycopg.connect(plain.database.application_url, autocommit=True) as peer,
    ):
        cost = ratio(
            partial(run_some, legacy_statements(ours)),
            partial(run_some, legacy_statements(peer)),
            rounds=15,
            clock=seconds,
        )
    return Figure("capture_cost", cost, "a statement of the legacy writer, fsync on: captured / not", "<= 1.3")


def run_some(statements: Iterator[Callable[[], object]]) -> None:
    for _ in range(STATEMENTS):
        next(statements)()


# -- Tables of DynamoDB


def layouts_against_bare(folder: Path, rows: int) -> list[Figure]:
    """Capture reads the table, and backfill puts the rows: both count."""
    with new_table(folder) as table:
        table.fill(rows)
        captured = table.capture()
        filled = table.run("backfill")
        bare = bare_layout_seconds(table)
        verified = table.run("verify")
    assert verified.told["checked"] == rows, verified.told
    spent = captured.seconds + filled.seconds
    what = f"{rows:,} rows of layout 000 without objects: rows a second, read, mapped and put / a bare scan and put"
    return [
        Figure("layouts_vs_bare", bare / spent, f"{what} of the same items, as durable", ">= 0.5"),
        Figure("layouts_per_s", rows / spent, "such rows a second"),
        Figure("layouts_rss_mb", max(captured.megabytes, filled.megabytes), "most memory of these commands, MB"),
    ]


def bare_layout_seconds(table: LayoutTable) -> float:
    """The time to scan the table and to put what became of its items. Finding that out does not count."""
    with (
        closing(SqliteFile(table.data / "sparks.db")) as filled,
        closing(SqliteFile(table.data.with_name("bare-layout.db"))) as file,
    ):
        made, bare = SqliteTable(filled), SqliteTable(file)
        spent, pages = 0.0, table.pages()
        while True:
            began = time.perf_counter()
            page = next(pages, None)
            spent += time.perf_counter() - began
            if page is None:
                return spent
            found = [item for row in page for item in items_of(*_row_of(row), made)]
            spent += seconds(partial(put_all, found, bare))


def _row_of(item: Item) -> tuple[str, str]:
    return USERS if item["entityType"]["S"] == "USER" else PHOTOS, item["PK"]["S"]


# -- Objects


def objects_against_bare(gallery: Gallery, objects: int) -> list[Figure]:
    """The bare loop runs before and after the backfill."""
    gallery.fill(objects)
    gallery.capture()
    paths = make_objects(gallery.objects, objects)
    before = seconds(partial(copy_all, paths, gallery.data.with_name("before")))
    filled = gallery.run("backfill")
    assert filled.told["issues"]["total"] == 0, filled.told
    bare = mean((before, seconds(partial(copy_all, paths, gallery.data.with_name("after")))))
    what = "objects of 4 MB: copied a second / by a bare loop that hashes and copies, with fsync"
    return [
        Figure("objects_vs_bare", bare / filled.seconds, what, ">= 0.8"),
        Figure("objects_per_s", len(paths) / filled.seconds, "such objects a second"),
        Figure("objects_rss_mb", filled.megabytes, "most memory of that backfill, MB", "< 150"),
    ]


def make_objects(folder: Path, most: int) -> list[Path]:
    """One for each image."""
    content = os.urandom(OBJECT_BYTES - 20)
    (folder / "images").mkdir()
    paths = [folder / "images" / f"{number}.jpg" for number in range(1, most + 1)]
    for number, path in enumerate(paths):
        path.write_bytes(START + number.to_bytes(16) + content)
    subprocess.run(["sync"], check=True)
    return paths


def copy_all(paths: Sequence[Path], folder: Path) -> None:
    folder.mkdir()
    for path in paths:
        copy_bare(path, folder)


def copy_bare(path: Path, folder: Path) -> None:
    digest = hashlib.sha256()
    draft = folder / f"{path.name}.tmp"
    with path.open("rb", buffering=0) as source, draft.open("wb", buffering=0) as file:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
            file.write(chunk)
        os.fsync(file.fileno())
    draft.rename(folder / path.name)
    opened = os.open(folder, os.O_RDONLY)
    os.fsync(opened)
    os.close(opened)


if __name__ == "__main__":
    run("migrate", measure, numbers={"rows": 200_000, "large": 1_000_000, "objects": 600, "photos": 20_000})
