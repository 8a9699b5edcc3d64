"""A legacy application that writes while its changes are captured and its writes are frozen."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from sparks.migrate.postgresql.capture import Capture
from sparks.migrate.postgresql.freeze import Freeze
from sparks.migrate.postgresql.source import TABLES, Row, Source
from tests.servers.postgresql import LegacyDatabase, PostgresqlServer
from tests.servers.process import wait_until

Copy = dict[tuple[str, str], Row]


@contextmanager
def legacy_app(database: LegacyDatabase, folder: Path, *options: str) -> Iterator[Path]:
    """The journal of an application that runs until the end of the block."""
    journal = folder / "journal"
    command = [sys.executable, "-m", "tests.migrate.legacy_app", database.application_url, str(folder / "objects")]
    root = str(Path(__file__).parents[3])
    process = Popen([*command, "--journal", str(journal), *options], cwd=root, env={**os.environ, "PYTHONPATH": root})
    try:
        yield journal
        process.terminate()
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()


def transactions(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []


def wait_for_more(journal: Path, outcome: str, count: int = 100) -> None:
    def number() -> int:
        return sum(line["outcome"] == outcome for line in transactions(journal))

    goal = number() + count
    wait_until(lambda: number() >= goal, what=f"{count} transactions that are {outcome}")


def all_rows(source: Source) -> Copy:
    return {(table, row["id"]): row for table in TABLES for row in source.page(table, None, 100_000)}


def follow(source: Source, copy: Copy) -> int:
    """The number of entries that were applied to the copy."""
    entries = Capture(source).read()
    for table in TABLES:
        keys = {entry.key for entry in entries if entry.table == table}
        found = source.rows(table, [key for key in keys if key])
        for key in [key for key in keys if key]:
            copy.pop((table, key), None)
        copy.update({(table, key): row for key, row in found.items()})
    Capture(source).drop([entry.entry for entry in entries])
    return len(entries)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 12))])
def test_what_follows_the_captured_changes_ends_with_the_rows_of_the_source(
    source: Source, database: LegacyDatabase, tmp_path: Path, seed: int
) -> None:
    capture, freeze = Capture(source), Freeze(source)
    with legacy_app(database, tmp_path, "--seed", str(seed), "--truncate") as journal:
        wait_for_more(journal, "committed")
        capture.install()
        copy = all_rows(source)
        goal = len(transactions(journal)) + 200
        wait_until(lambda: follow(source, copy) < 0 or len(transactions(journal)) >= goal, what="captured changes")
        freeze.begin(60)
        wait_until(lambda: follow(source, copy) == 0, what="the last changes")
        freeze.decide()
        assert copy == all_rows(source)
        wait_for_more(journal, "refused", 20)
        assert copy == all_rows(source)
        freeze.lift()
        wait_for_more(journal, "committed", 20)
    wait_until(lambda: follow(source, copy) == 0, what="the changes after the freeze")
    assert copy == all_rows(source)
    assert {line["outcome"] for line in transactions(journal)} <= {"committed", "rolled back", "refused"}


def test_no_change_is_lost_where_the_server_is_restarted(tmp_path: Path) -> None:
    with PostgresqlServer("fsync=off") as server:
        database = server.new_database()
        source = Source.connect(database.owner_url)
        Capture(source).install()
        copy: Copy = {}
        with legacy_app(database, tmp_path, "--rate", "200") as journal:
            wait_for_more(journal, "committed", 30)
            server.restart()
            follow(source, copy)
            wait_for_more(journal, "committed", 30)
        wait_until(lambda: follow(source, copy) == 0, what="the last changes")
        assert copy == all_rows(source)
        source.close()


def test_every_image_that_was_added_has_an_object_of_its_own(database: LegacyDatabase, tmp_path: Path) -> None:
    with legacy_app(database, tmp_path) as journal:
        wait_for_more(journal, "committed", 30)
    objects = [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]
    assert len({path.read_bytes() for path in objects}) == len(objects) > 0
    keys = {str(path.relative_to(tmp_path / "objects")) for path in objects}
    added = [change for line in transactions(journal) for change in line["operations"]]
    assert {change["columns"]["s3_key"] for change in added if "s3_key" in change.get("columns", {})} == keys
