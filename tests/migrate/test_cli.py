"""`sparks migrate`: exit codes, JSON and order of the commands, on which scripts rely."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from sparks.migrate import lease
from tests.migrate.postgresql.legacy_rows import App, add_album, add_image, add_user
from tests.migrate.processes import Migration
from tests.migrate.rows import add_photo, add_some
from tests.migrate.work_in_sparks import edit_over_http, owner_of_photos
from tests.servers.postgresql import LegacyDatabase
from tests.servers.process import wait_until


@pytest.fixture
def migration(tmp_path: Path, database: LegacyDatabase) -> Migration:
    made = Migration(tmp_path, database)
    made.objects.mkdir()
    return made


@pytest.fixture
def copied(migration: Migration, app: App) -> Migration:
    add_some(app, migration.objects, users=1, photos=2)
    migration.copy()
    return migration


def fails(migration: Migration, *arguments: str) -> str:
    """The message of a command that fails with the exit code 1."""
    ended = migration.call(*arguments)
    assert (ended.code, ended.out) == (1, ""), ended
    assert "Traceback" not in ended.err
    return ended.err


# -- JSON and exit codes of a whole migration


def test_each_step_prints_one_object_with_the_promised_fields(migration: Migration, app: App) -> None:
    add_some(app, migration.objects, users=1, photos=2)
    counts = {"users": 1, "albums": 1, "photos": 2}
    plan = migration.quick("plan", *migration.options)
    assert plan == {"counts": counts, "issues": {"total": 0, "byField": {}}}
    assert migration.quick("capture", *migration.options) == {"phase": "captured"}
    copied = migration.quick("backfill")
    assert (copied["counts"], copied["issues"]["total"]) == (counts, 0)
    app.execute("UPDATE gallery_images SET title = 'changed'")
    assert migration.quick("follow", "--once") == {"applied": 2, "lag": 0}
    equal = {"checked": 4, "missing": 0, "extra": 0, "different": 0, "differences": []}
    assert migration.quick("verify") == equal
    switched = migration.quick("cutover")
    assert (switched.keys(), switched["done"], switched["applied"]) == ({"done", "seconds", "applied"}, True, 0)
    assert 0 < switched["seconds"] < 10
    assert migration.quick("mirror", "--once") == {"applied": 0, "lag": 0}
    assert migration.quick("rollback").keys() == {"done", "seconds", "applied"}
    assert migration.quick("cutover")["done"]
    assert migration.quick("finish", "--yes") == {"done": True}


def test_a_step_that_is_complete_is_complete_again(copied: Migration) -> None:
    assert copied.quick("capture", *copied.options) == {"phase": "backfilled"}
    assert copied.quick("backfill")["counts"]["photos"] == 2
    copied.quick("cutover")
    assert copied.quick("cutover") | {"seconds": 0.0, "applied": 0} == {"done": True, "seconds": 0.0, "applied": 0}
    copied.quick("rollback")
    assert copied.quick("rollback")["done"]
    copied.quick("cutover")
    copied.quick("finish", "--yes")
    assert copied.quick("finish", "--yes") == {"done": True}


def test_the_status_tells_phase_side_lag_issues_and_the_running_command(migration: Migration, app: App) -> None:
    def status() -> dict[str, Any]:
        found: dict[str, Any] = migration.quick("status")
        return {name: found[name] for name in ("phase", "writes", "lag", "issues", "running")}

    nothing = {"lag": {"changes": 0, "seconds": 0.0}, "issues": {"total": 0, "notTaken": 0}, "running": None}
    assert status() == {"phase": "none", "writes": "source", **nothing}
    add_some(app, migration.objects, users=1, photos=2)
    migration.quick("capture", *migration.options)
    assert status() == {"phase": "captured", "writes": "source", **nothing}
    migration.quick("backfill")
    app.execute("UPDATE gallery_images SET title = 'changed'")
    found = status()
    assert (found["phase"], found["lag"]["changes"]) == ("backfilled", 2)
    with migration.running("follow") as follower:
        migration.wait_for_command("follow")
        assert status()["running"] == {"command": "follow", "pid": follower.process.pid}
        assert follower.end().code == 0
    migration.quick("cutover")
    assert status() == {"phase": "cutover", "writes": "target", **nothing}
    migration.quick("finish", "--yes")
    assert status() == {"phase": "finished", "writes": "target", **nothing}


# -- Wrong options, and commands out of order


def test_a_wrong_option_or_address_is_a_usage_error(migration: Migration, tmp_path: Path) -> None:
    url, objects = migration.database.owner_url, str(migration.objects)
    wrong = {
        ("plan", "--from", url): "--objects",
        ("plan", "--from", "mysql://db/gallery", "--objects", objects): "postgresql://",
        ("plan", "--from", "postgresql://a:secret@127.0.0.1/db", "--objects", objects): "PGPASSWORD",
        ("plan", "--from", "postgresql://ann@127.0.0.1:1/db", "--objects", objects): "127.0.0.1",
        ("plan", "--from", url, "--objects", str(tmp_path / "nowhere")): "nowhere",
        ("capture", *migration.options, "--visibility", "secret"): "secret",
        ("capture", *migration.options, "--accounts", str(tmp_path / "none.csv")): "none.csv",
        ("backfill", "--rate", "0"): "rate",
    }
    for arguments, told in wrong.items():
        ended = migration.call(*arguments)
        assert (ended.code, ended.out) == (2, ""), (arguments, ended)
        assert told in ended.err, (arguments, ended)
        assert "Traceback" not in ended.err
    assert migration.status()["phase"] == "none"


@pytest.mark.parametrize("command", ["backfill", "follow", "verify", "cutover", "mirror", "rollback", "retry"])
def test_a_command_before_capture_says_what_comes_first(migration: Migration, command: str) -> None:
    assert "sparks migrate capture" in fails(migration, command)


def test_commands_out_of_order_say_what_comes_first(migration: Migration, app: App) -> None:
    add_some(app, migration.objects, users=1, photos=1)
    migration.quick("capture", *migration.options)
    for command in ("follow", "verify", "cutover", "retry"):
        assert "backfill" in fails(migration, command)
    for arguments in (("mirror",), ("rollback",), ("finish", "--yes")):
        assert "cutover" in fails(migration, *arguments)
    migration.quick("backfill")
    for arguments in (("mirror",), ("finish", "--yes")):
        assert "cutover" in fails(migration, *arguments)
    migration.quick("cutover")
    assert "phase cutover" in fails(migration, "follow")
    assert "repair" in fails(migration, "verify", "--repair")
    assert "--yes" in fails(migration, "finish")
    migration.quick("finish", "--yes")
    for command in ("backfill", "follow", "verify", "cutover", "mirror", "rollback"):
        assert "finished" in fails(migration, command)


def test_another_source_is_refused_while_a_migration_is_under_way(migration: Migration, tmp_path: Path) -> None:
    migration.quick("capture", *migration.options)
    (tmp_path / "other").mkdir()
    told = fails(migration, "capture", "--from", migration.database.owner_url, "--objects", str(tmp_path / "other"))
    assert str(migration.objects) in told


def test_a_plan_changes_neither_side(migration: Migration, app: App, superuser: App) -> None:
    add_some(app, migration.objects, users=1, photos=1)
    migration.quick("plan", *migration.options)
    assert superuser.execute("SELECT FROM pg_namespace WHERE nspname = 'sparks_migration'").rowcount == 0
    assert migration.status()["phase"] == "none"
    assert not any("users0" in str(path) for path in migration.data.rglob("*"))


# -- Issues


def test_issues_are_one_object_a_line_and_retry_takes_users_once_each_has_an_address(
    migration: Migration, app: App, tmp_path: Path
) -> None:
    ann, other = add_user(app, email="ann@example.org"), add_user(app, email="ANN@example.org")
    nobody = add_user(app, email=None)
    album = add_album(app, other)
    photo = add_photo(app, migration.objects, ann, album_id=album, tags='[1, "two"]')
    missing = add_image(app, add_user(app, email="carl@example.org"), s3_key="images/gone.jpg")
    planned = migration.quick("plan", *migration.options)
    migration.copy()
    lines = [json.loads(line) for line in migration.call("issues", "--json").out.splitlines()]
    assert all(line.keys() == {"table", "id", "field", "value", "reason", "taken"} for line in lines)
    told = {(line["table"], line["id"], line["field"]): (line["value"], line["taken"]) for line in lines}
    assert told[("users", nobody, "email")] == (None, False)
    assert told[("users", other, "email")][1] is False
    assert told[("gallery_albums", album, "user_id")] == (other, False)
    assert told[("gallery_images", photo, "user_id")] == (ann, False)
    assert told[("gallery_images", missing, "s3_key")] == ("images/gone.jpg", True)
    assert ("gallery_images", photo, "tags") in told
    assert planned["issues"]["total"] == len(lines) == migration.status()["issues"]["total"]
    assert "--accept-issues" in fails(migration, "cutover")

    accounts = tmp_path / "accounts.csv"
    accounts.write_text(f"user_id,email\n{ann},ann@example.org\n")
    migration.call("retry", str(accounts))
    assert migration.status()["issues"]["notTaken"] > 0
    accounts.write_text(f"user_id,email\n{other},other@example.org\n{nobody},nobody@example.org\n")
    left = migration.call("retry", str(accounts), "--json")
    assert left.code == 0
    fields = {(line["id"], line["field"], line["taken"]) for line in map(json.loads, left.out.splitlines())}
    assert fields == {(photo, "tags", True), (missing, "s3_key", True)}
    assert migration.quick("verify")["differences"] == []
    assert migration.quick("cutover")["done"]


def test_a_cutover_leaves_rows_behind_that_were_not_taken_where_that_is_accepted(
    migration: Migration, app: App
) -> None:
    add_user(app, email="no address")
    migration.copy()
    assert "1 rows" in fails(migration, "cutover")
    assert migration.source_takes_writes()
    assert migration.quick("cutover", "--accept-issues")["done"]


def test_a_verification_that_finds_differences_fails_and_names_them(copied: Migration) -> None:
    path = next(path for path in copied.objects.rglob("*.jpg"))
    path.write_bytes(path.read_bytes() + b"changed")
    ended = copied.call("verify", "--json")
    found = ended.json()
    assert ended.code == 1
    assert (found["checked"], found["missing"], found["extra"], found["different"]) == (4, 0, 0, 1)
    [difference] = found["differences"]
    assert difference.keys() == {"table", "id", "field", "source", "target"}
    assert (difference["table"], difference["field"]) == ("gallery_images", "object")
    assert copied.quick("verify", "--repair")["differences"] == []


# -- Several processes


def test_a_second_command_says_which_one_runs(copied: Migration, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "WAIT", 2.0)
    with copied.running("follow") as follower:
        copied.wait_for_command("follow")
        assert f"`sparks migrate follow` (process {follower.process.pid}) is running" in fails(copied, "backfill")
        assert follower.process.poll() is None


def test_what_came_from_the_source_cannot_be_changed_over_http_while_the_source_takes_writes(
    copied: Migration, app: App
) -> None:
    email = owner_of_photos(copied, random.Random(1))
    assert email is not None
    with copied.serve() as url, copied.client(url, email) as client:
        [old_id] = [str(row[0]) for row in app.execute("SELECT id FROM gallery_images LIMIT 1").fetchall()]
        image_id = client.photo(old_id)["imageId"]
        refused = edit_over_http(client, image_id, {"title": "Sea"}, status=409)
        assert refused["error"] == "MIGRATING"
        copied.quick("cutover")
        wait_until(
            lambda: edit_over_http(client, image_id, {"title": "Sea"}, status=(200, 409)).get("title") == "Sea",
            what="the cutover",
            seconds=5,
        )
        copied.quick("rollback")
        assert edit_over_http(client, image_id, {"title": "Lake"}, status=409)["error"] == "MIGRATING"
    [(title,)] = app.execute("SELECT title FROM gallery_images WHERE id = %s", (old_id,)).fetchall()
    assert title == "Sea"
