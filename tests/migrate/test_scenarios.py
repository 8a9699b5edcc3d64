"""A whole migration, there and back and there again, under a legacy application that never stops writing."""

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.deployments import engines
from tests.migrate.checker import journal_problems
from tests.migrate.processes import Migration
from tests.migrate.work_in_sparks import work_in_process, work_over_http
from tests.servers.postgresql import LegacyDatabase
from tests.servers.process import wait_until

SEEDS_IN_CI: Final = (1, 2, 3)
SEEDS: Final = [pytest.param(seed, marks=() if seed in SEEDS_IN_CI else pytest.mark.long) for seed in range(1, 31)]
RATE: Final = "15"  # transactions a second


@pytest.fixture
def migration(tmp_path: Path, database: LegacyDatabase) -> Migration:
    return Migration(tmp_path, database)


@pytest.fixture
def migration_on_servers(tmp_path: Path, database: LegacyDatabase) -> Migration:
    """The target is DynamoDB Local, SeaweedFS and MiniStack."""
    made = Migration(tmp_path, database, engines())
    subprocess.run([sys.executable, "-m", "sparks", "create"], env=made.environment(), check=True, capture_output=True)
    return made


def check(migration: Migration, *, changed_in_target: bool = False) -> None:
    """Both sides are equal while neither changes."""
    found = migration.differences(changed_in_target=changed_in_target)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_migration_there_and_back_loses_nothing_while_the_application_writes(migration: Migration, seed: int) -> None:
    run_whole_migration(migration, seed, work=lambda: work_in_process(migration, random.Random(seed)))


@pytest.mark.long
def test_a_migration_to_dynamodb_and_s3_loses_nothing(migration_on_servers: Migration) -> None:
    migration = migration_on_servers
    run_whole_migration(migration, 1, work=lambda: work_in_process(migration, random.Random(1)))


@pytest.mark.long
def test_a_migration_loses_nothing_while_workers_make_renditions_and_people_use_the_api(migration: Migration) -> None:
    migration.capture()
    with migration.serve() as url:
        run_whole_migration(migration, 31, work=lambda: work_over_http(migration, url, random.Random(31)))


def run_whole_migration(migration: Migration, seed: int, *, work: Callable[[], None]) -> None:
    options = ["--seed", str(seed), "--rate", RATE]
    if seed % 2 == 0:
        options += ["--truncate", "--objects-share", "0.9"]
    with migration.legacy_app(*options):
        migration.wait_for("committed", 60)
        copy_and_verify(migration)
        cut_over(migration)
        work()
        migration.json("mirror", "--once")
        assert migration.json("verify")["differences"] == []
        check(migration, changed_in_target=True)
        roll_back(migration)
        migration.json("cutover")
        migration.wait_for("refused", 5)
    check(migration, changed_in_target=True)
    assert migration.json("finish", "--yes") == {"done": True}
    assert migration.source_takes_writes()
    check(migration, changed_in_target=True)


def copy_and_verify(migration: Migration) -> None:
    """No statement of the application fails."""
    assert migration.json("plan", *migration.options)["counts"]["users"] > 0
    migration.capture()
    assert migration.json("backfill")["counts"]["users"] > 0
    migration.json("follow", "--once")
    with migration.running("follow") as follower:
        verified = migration.json("verify")
        assert verified["differences"] == []
        assert verified["checked"] > 0
        assert follower.end().code == 0
    assert set(migration.outcomes()) <= {"committed", "rolled back"}


def cut_over(migration: Migration) -> None:
    with migration.running("follow") as follower:
        wait_until(lambda: migration.running_command() == "follow", what="follow")
        done = migration.json("cutover")
        assert done["done"]
        assert done["seconds"] < 10
        assert follower.wait().code == 0
    migration.wait_for("refused", 5)
    assert not migration.source_takes_writes()
    check(migration)
    assert journal_problems(migration.journal, migration.database.superuser_url) == []


def roll_back(migration: Migration) -> None:
    assert migration.json("rollback")["done"]
    migration.wait_for("committed", 20)
    migration.json("follow", "--once")
    assert migration.json("verify")["differences"] == []
