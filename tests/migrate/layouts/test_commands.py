"""`sparks migrate` of DynamoDB's tables: the same commands, exit codes and JSON as for PostgreSQL."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.migrate.layouts import items
from tests.migrate.layouts.conftest import LiveTables
from tests.migrate.processes import Migration
from tests.servers import commands

KEYS = {"AWS_ACCESS_KEY_ID": commands.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": commands.SECRET_KEY}


@dataclass
class LayoutMigration(Migration):
    """A migration whose source is an address of tables."""

    source: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        return "--from", self.source, "--objects", str(self.objects)


def a_migration(folder: Path, layout: str, source: str) -> LayoutMigration:
    items.put_objects(folder / "objects", layout)
    return LayoutMigration(folder, database=None, engines=KEYS, source=source)  # type: ignore[arg-type]


def test_a_live_table_is_migrated_with_the_usual_commands(live: LiveTables, tmp_path: Path) -> None:
    table = live.create(("PK", "SK"), items.LAYOUT_000)
    migration = a_migration(tmp_path, "000", live.address(table))
    counts = {"users": 2, "albums": 0, "photos": 2, "persons": 2}
    plan = migration.quick("plan", *migration.options)
    assert plan == {"counts": counts, "issues": {"total": 2, "byField": {"photos": 2}}}
    assert not (migration.data / "migration").exists()
    assert migration.quick("capture", *migration.options) == {"phase": "captured"}
    assert migration.quick("capture", *migration.options) == {"phase": "captured"}
    copied = migration.quick("backfill")
    assert (copied["counts"], copied["issues"]["notTaken"]) == (counts, 0)
    live.put(table, {**items.LAYOUT_000[2], "tags": ["changed"]})
    assert migration.quick("follow", "--once") == {"applied": 1, "lag": 0}
    equal = {"checked": 6, "missing": 0, "extra": 0, "different": 0, "differences": []}
    assert migration.quick("verify") == equal
    assert {"phase": "backfilled", "writes": "source"}.items() <= migration.quick("status").items()
    ended = migration.call("cutover", "--json")
    assert ended.code == 0, ended
    assert ended.json().keys() == {"done", "seconds", "applied"}
    assert "every writer of the old service must be stopped" in ended.err
    for refused in ("mirror", "rollback"):
        ended = migration.call(refused, *(("--once",) if refused == "mirror" else ()))
        assert (ended.code, ended.out) == (1, ""), ended
        assert "nothing is written back" in ended.err
    assert {"phase": "cutover", "writes": "target"}.items() <= migration.quick("status").items()
    assert migration.quick("verify") == equal
    assert migration.quick("finish", "--yes") == {"done": True}
    assert not (migration.data / "migration" / "staging.db").exists()


def test_users_without_an_address_are_issues_until_a_file_gives_one(tmp_path: Path) -> None:
    export = items.write_export(tmp_path / "export", items.LAYOUT_004)
    migration = a_migration(tmp_path, "004", f"dynamodb://{export}")
    migration.quick("capture", *migration.options)
    assert migration.quick("backfill")["issues"]["notTaken"] == 3
    assert migration.call("cutover").code == 1
    accounts = tmp_path / "accounts.csv"
    accounts.write_text(f"user_id,email\n{items.USER_004},lego@example.org\n")
    ended = migration.call("retry", str(accounts))
    assert (ended.code, ended.out) == (0, ""), ended
    assert migration.quick("verify")["checked"] == 3


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--from", "dynamodb:", "--objects", "."), "neither a table nor a path"),
        (("--from", "dynamodb://Sparks?color=red", "--objects", "."), "color"),
        (("--from", "dynamodb:///none/there", "--objects", "."), "there is no file or folder"),
        (("--from", "dynamodb:///none/there", "--objects", ".", "--layout", "005"), "005"),
        (("--from", "postgresql://db/gallery", "--objects", ".", "--layout", "000"), "--layout"),
        (("--from", "dynamodb://Sparks?region=x", "--objects", ".", "--owner", "nobody"), "e-mail"),
    ],
)
def test_a_wrong_option_is_told_with_exit_code_2(tmp_path: Path, options: tuple[str, ...], problem: str) -> None:
    migration = a_migration(tmp_path, "000", "")
    for command in ("plan", "capture"):
        ended = migration.call(command, *options)
        assert (ended.code, ended.out) == (2, ""), ended
        assert problem in ended.err
    assert not (migration.data / "migration").exists()


def test_a_lost_staging_file_is_read_again_by_capture(tmp_path: Path) -> None:
    scan = items.write_scan(tmp_path / "scan.json", items.LAYOUT_000)
    migration = a_migration(tmp_path, "000", f"dynamodb://{scan}")
    migration.copy()
    staging = migration.data / "migration" / "staging.db"
    with sqlite3.connect(staging) as file:
        file.execute("PRAGMA journal_mode = DELETE")
    staging.unlink()
    ended = migration.call("verify")
    assert ended.code == 1
    assert "sparks migrate capture" in ended.err
    assert migration.quick("capture", *migration.options) == {"phase": "backfilled"}
    assert migration.quick("verify")["differences"] == []
