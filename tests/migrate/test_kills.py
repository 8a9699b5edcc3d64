"""A migrator that is killed at a place, or stopped there until another one has taken over."""

import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sparks.library.photos.edit_and_trash import edit_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.migrate import lease
from sparks.model.errors import Migrating
from sparks.model.times import now
from tests.migrate.checker import read_source
from tests.migrate.postgresql.legacy_rows import App, add_user
from tests.migrate.processes import Migration
from tests.migrate.rows import add_photo, add_some
from tests.migrate.work_in_sparks import migrated_photos
from tests.servers.postgresql import LegacyDatabase
from tests.servers.process import wait_until

FREEZE_SECONDS = 10


@pytest.fixture
def migration(tmp_path: Path, database: LegacyDatabase, app: App) -> Migration:
    """Some rows, which are copied and followed."""
    made = Migration(tmp_path, database)
    add_some(app, made.objects)
    made.copy()
    return made


@pytest.fixture
def quick_takeover(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of this process takes over from one that has stood still for some seconds."""
    monkeypatch.setattr(lease, "DEAD_AFTER", 2.5)


def check(migration: Migration, *, changed_in_target: bool = False) -> None:
    found = migration.differences(changed_in_target=changed_in_target)
    assert not found, "\n".join(found)


def rename_all(app: App, title: str) -> None:
    app.execute("UPDATE gallery_images SET title = %s", (title,))


def target_takes_writes(migration: Migration) -> bool:
    with migration.stores() as stores:
        photo = migrated_photos(stores)[0]
        try:
            edit_photo(photo, PhotoEdit(title="probe"), version=photo.version, at=now(), table=stores.table)
        except Migrating:
            return False
    return True


def titles(migration: Migration) -> set[str]:
    return {row["title"] for row in read_source(migration.database.superuser_url)["gallery_images"].values()}


def sides(migration: Migration) -> tuple[Any, Any]:
    status = migration.status()
    return status["phase"], status["writes"]


# -- Killed


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_backfill_is_completed_by_the_same_command(
    tmp_path: Path, database: LegacyDatabase, app: App, moment: str
) -> None:
    migration = Migration(tmp_path, database)
    add_some(app, migration.objects)
    migration.quick("capture", *migration.options)
    with migration.stopped("Target.put", moment, "backfill") as command:
        command.kill()
    rename_all(app, "meanwhile")
    migration.quick("backfill")
    migration.quick("follow", "--once")
    check(migration)


@pytest.mark.parametrize(
    ("place", "moment"), [("Applier.apply", "before"), ("Applier.apply", "after"), ("Capture.drop", "after")]
)
def test_a_killed_follow_is_completed_by_the_same_command(
    migration: Migration, app: App, place: str, moment: str
) -> None:
    rename_all(app, "renamed")
    app.execute("DELETE FROM gallery_images WHERE id = (SELECT min(id::text)::uuid FROM gallery_images)")
    with migration.stopped(place, moment, "follow", "--once") as command:
        command.kill()
    migration.quick("follow", "--once")
    check(migration)


def test_a_cutover_that_is_killed_before_its_decision_lets_the_source_take_writes_again(
    migration: Migration, app: App
) -> None:
    rename_all(app, "renamed")
    with migration.stopped("Freeze.decide", "before", "cutover") as command:
        assert not migration.source_takes_writes()
        assert not target_takes_writes(migration)
        assert sides(migration) == ("backfilled", "nobody")
        command.kill()
    began = time.monotonic()
    wait_until(migration.source_takes_writes, what="writes to the source", seconds=FREEZE_SECONDS + 5)
    assert time.monotonic() - began < FREEZE_SECONDS
    assert sides(migration) == ("backfilled", "source")
    rename_all(app, "renamed again")
    migration.quick("cutover")
    assert sides(migration) == ("cutover", "target")
    check(migration)
    assert not migration.source_takes_writes()
    assert target_takes_writes(migration)


def test_a_cutover_that_is_killed_after_its_decision_is_completed_by_the_same_command(migration: Migration) -> None:
    with migration.stopped("Freeze.decide", "after", "cutover") as command:
        command.kill()
    assert sides(migration) == ("backfilled", "nobody")
    assert not migration.source_takes_writes()
    assert not target_takes_writes(migration)
    assert "cutover" in migration.call("rollback").err
    migration.quick("cutover")
    assert sides(migration) == ("cutover", "target")
    check(migration)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_rollback_is_completed_by_the_same_command(migration: Migration, app: App, moment: str) -> None:
    migration.quick("cutover")
    assert target_takes_writes(migration)
    with migration.stopped("Freeze.lift", moment, "rollback") as command:
        command.kill()
    assert not target_takes_writes(migration)
    assert migration.source_takes_writes() == (moment == "after")
    if moment == "after":
        rename_all(app, "between")
    migration.quick("rollback")
    assert sides(migration) == ("backfilled", "source")
    assert migration.source_takes_writes()
    assert not target_takes_writes(migration)
    assert ("probe" in titles(migration)) == (moment == "before")
    migration.quick("follow", "--once")
    check(migration)
    migration.quick("cutover")
    check(migration, changed_in_target=True)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_mirror_is_completed_by_the_same_command(migration: Migration, moment: str) -> None:
    migration.quick("cutover")
    assert target_takes_writes(migration)
    with migration.stopped("MirrorWriter.apply", moment, "mirror", "--once") as command:
        command.kill()
    assert migration.status()["lag"]["changes"] > 0
    migration.quick("mirror", "--once")
    assert "probe" in titles(migration)
    check(migration, changed_in_target=True)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_finish_is_completed_by_the_same_command(migration: Migration, moment: str) -> None:
    migration.quick("cutover")
    with migration.stopped("Capture.remove", moment, "finish", "--yes") as command:
        command.kill()
    assert migration.quick("finish", "--yes") == {"done": True}
    assert sides(migration) == ("finished", "target")
    with psycopg.connect(migration.database.superuser_url) as superuser:
        left = superuser.execute("SELECT nspname FROM pg_namespace WHERE nspname = 'sparks_migration'").fetchall()
        triggers = superuser.execute("SELECT tgname FROM pg_trigger WHERE tgname LIKE 'sparks%'").fetchall()
    assert (left, triggers) == ([], [])
    assert target_takes_writes(migration)


# -- Stopped, and awake after another command took over


def test_a_backfill_that_wakes_up_brings_no_deleted_photo_back(
    tmp_path: Path, database: LegacyDatabase, app: App, quick_takeover: None
) -> None:
    migration = Migration(tmp_path, database)
    photos = add_some(app, migration.objects)
    migration.quick("capture", *migration.options)
    with migration.stopped("Target.new_photo", "after", "backfill") as command:
        migration.quick("backfill")
        app.execute("DELETE FROM gallery_images WHERE id = ANY(%s)", (photos,))
        migration.quick("follow", "--once")
        ended = command.wake()
    assert ended.code == 1
    assert "another `sparks migrate` command has taken over" in ended.err
    left = [line for line in migration.differences() if not line.startswith("the blob originals/")]  # swept later
    assert not left, "\n".join(left)


def test_a_follow_that_wakes_up_changes_nothing(migration: Migration, app: App, quick_takeover: None) -> None:
    rename_all(app, "first")
    with migration.stopped("Applier.apply", "before", "follow", "--once") as command:
        migration.quick("follow", "--once")
        app.execute("DELETE FROM gallery_images")
        migration.quick("follow", "--once")
        assert command.wake().code == 1
    check(migration)


def test_a_cutover_that_wakes_up_does_not_freeze_the_source(
    migration: Migration, app: App, quick_takeover: None
) -> None:
    with migration.stopped("Freeze.decide", "before", "cutover") as command:
        wait_until(migration.source_takes_writes, what="writes to the source", seconds=FREEZE_SECONDS + 5)
        migration.quick("follow", "--once")
        ended = command.wake()
    assert ended.code == 1
    assert "taken over" in ended.err
    assert migration.source_takes_writes()
    assert sides(migration) == ("backfilled", "source")
    rename_all(app, "later")
    migration.quick("follow", "--once")
    check(migration)


def test_a_rollback_that_wakes_up_after_another_cutover_does_not_open_the_source(
    migration: Migration, quick_takeover: None
) -> None:
    migration.quick("cutover")
    with migration.stopped("Freeze.lift", "before", "rollback") as command:
        migration.quick("rollback")
        migration.quick("cutover")
        assert command.wake().code == 1
    assert not migration.source_takes_writes()
    assert target_takes_writes(migration)
    assert sides(migration) == ("cutover", "target")


def test_a_mirror_that_wakes_up_overwrites_nothing_in_the_source(
    migration: Migration, app: App, quick_takeover: None
) -> None:
    migration.quick("cutover")
    assert target_takes_writes(migration)
    with migration.stopped("MirrorWriter.apply", "before", "mirror", "--once") as command:
        migration.quick("rollback")
        rename_all(app, "by the application")
        assert command.wake().code == 1
    assert titles(migration) == {"by the application"}
    migration.quick("follow", "--once")
    check(migration)


def test_a_finish_that_wakes_up_after_a_rollback_leaves_the_triggers(
    migration: Migration, app: App, quick_takeover: None
) -> None:
    migration.quick("cutover")
    with migration.stopped("Capture.remove", "before", "finish", "--yes") as command:
        migration.quick("rollback")
        assert command.wake().code == 1
    rename_all(app, "captured")
    assert migration.status()["lag"]["changes"] > 0
    migration.quick("follow", "--once")
    check(migration)


def test_a_capture_that_was_killed_is_completed_by_the_same_command(
    tmp_path: Path, database: LegacyDatabase, app: App
) -> None:
    migration = Migration(tmp_path, database)
    add_some(app, migration.objects)
    with migration.stopped("Capture.install", "before", "capture", *migration.options) as command:
        command.kill()
    assert migration.call("backfill").code == 1
    assert migration.quick("capture", *migration.options) == {"phase": "captured"}
    user = add_user(app)
    add_photo(app, migration.objects, user)
    migration.quick("backfill")
    migration.quick("follow", "--once")
    check(migration)
