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
from tests.servers.postgresql import LegacyDatabase, PostgresqlServer

SEEDS: Final = range(1, 31)  # CI runs one seed each with kills, with the API, and on servers
SEEDS_OF_KILLS: Final = [101, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(102, 131))]
RATE: Final = 15  # transactions a second
RATE_ON_SERVERS: Final = 5  # DynamoDB Local is slow
TRIES: Final = 10  # of a command that is killed
CLOCKS: Final = (-400, 0, 400)  # seconds by which the clock of a migrator is wrong


@pytest.fixture
def migration(tmp_path: Path, database: LegacyDatabase) -> Migration:
    return Migration(tmp_path, database)


@pytest.fixture
def migration_on_servers(tmp_path: Path, database: LegacyDatabase) -> Migration:
    """The target is DynamoDB Local, SeaweedFS and MiniStack."""
    made = Migration(tmp_path, database, engines(), in_process=True)
    subprocess.run([sys.executable, "-m", "sparks", "create"], env=made.environment(), check=True, capture_output=True)
    return made


def check(migration: Migration, *, changed_in_target: bool = False, was_killed: bool = False) -> None:
    """Both sides are equal while neither changes. A copy whose row was deleted before a killed migrator could write it
    is left: the hourly sweep deletes it.
    """
    found = migration.differences(changed_in_target=changed_in_target)
    if was_killed:
        found = [line for line in found if not (line.startswith("the blob orig") and line.endswith("to no photo"))]
    assert not found, "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_a_migration_there_and_back_loses_nothing_while_the_application_writes(migration: Migration, seed: int) -> None:
    run_whole_migration(migration, seed, work=lambda: work_in_process(migration, random.Random(seed)))


def test_a_migration_to_dynamodb_and_s3_loses_nothing(migration_on_servers: Migration) -> None:
    migration = migration_on_servers
    run_whole_migration(migration, 1, rate=RATE_ON_SERVERS, work=lambda: work_in_process(migration, random.Random(1)))


@pytest.mark.long
def test_a_migration_loses_nothing_while_workers_make_renditions_and_people_use_the_api(migration: Migration) -> None:
    migration.capture()
    with migration.serve() as url:
        run_whole_migration(migration, 31, work=lambda: work_over_http(migration, url, random.Random(31)))


@pytest.mark.parametrize("seed", SEEDS_OF_KILLS)
def test_migrators_that_are_killed_at_random_moments_and_whose_clocks_differ_lose_nothing(
    migration: Migration, seed: int
) -> None:
    choice = random.Random(seed)
    options = ["--truncate"] if seed % 2 else []
    with migration.legacy_app("--seed", str(seed), "--rate", str(RATE), *options):
        migration.wait_for("committed", 40)
        complete(migration, choice, "capture", *migration.options)
        complete(migration, choice, "backfill")
        complete(migration, choice, "follow", "--once")
        assert set(migration.outcomes()) <= {"committed", "rolled back"}
        complete(migration, choice, "cutover")
        assert not migration.source_takes_writes()
        check(migration, was_killed=True)
        work_in_process(migration, choice)
        complete(migration, choice, "mirror", "--once")
        complete(migration, choice, "rollback")
        migration.wait_for("committed", 10)
        complete(migration, choice, "follow", "--once")
        complete(migration, choice, "cutover")
    check(migration, changed_in_target=True, was_killed=True)
    complete(migration, choice, "finish", "--yes")
    check(migration, changed_in_target=True, was_killed=True)


def complete(migration: Migration, choice: random.Random, *command: str) -> None:
    """Kills the command at a random moment of its run, again and again, until it ends before that."""
    for number in range(TRIES):
        with migration.running(*command, clock=choice.choice(CLOCKS)) as running:
            try:
                ended = running.wait(choice.uniform(0.3, 1.0 + number))
            except subprocess.TimeoutExpired:
                continue
        assert ended.code == 0, (command, ended)
        return
    migration.json(*command)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))])
def test_a_migration_goes_on_where_postgresql_is_restarted_in_the_middle(tmp_path: Path, seed: int) -> None:
    with PostgresqlServer("fsync=off") as server:
        migration = Migration(tmp_path, server.new_database())
        with migration.legacy_app("--seed", str(seed), "--rate", str(RATE)):
            migration.wait_for("committed", 30)
            migration.capture()
            with migration.stopped("Target.put", "before", "backfill") as backfill:
                server.restart()
                migration.wait_for("committed", 10)
                assert backfill.wake().code == 0
            with migration.running("follow") as follower:
                migration.wait_for_command("follow")
                server.restart()
                migration.wait_for("committed", 10)
                assert follower.end().code == 0
            migration.json("cutover")
            server.restart()
            migration.wait_for("refused", 5)
            check(migration)
            migration.json("rollback")
        migration.json("follow", "--once")
        check(migration)


def run_whole_migration(migration: Migration, seed: int, *, rate: int = RATE, work: Callable[[], None]) -> None:
    options = ["--seed", str(seed), "--rate", str(rate)]
    if seed % 2 == 0:
        options += ["--truncate", "--objects-share", "0.9"]
    with migration.legacy_app(*options):
        migration.wait_for("committed", 40)
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
        migration.wait_for_command("follow")
        verified = migration.json("verify")
        assert verified["differences"] == []
        assert verified["checked"] > 0
        assert follower.end().code == 0
    assert set(migration.outcomes()) <= {"committed", "rolled back"}


def cut_over(migration: Migration) -> None:
    with migration.running("follow") as follower:
        migration.wait_for_command("follow")
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
    migration.wait_for("committed", 10)
    migration.json("follow", "--once")
    assert migration.json("verify")["differences"] == []
