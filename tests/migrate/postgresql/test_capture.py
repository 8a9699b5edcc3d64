"""Capture of a source's changes, whatever the application does."""

import sys
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import Popen

import psycopg
import pytest

from sparks.migrate.postgresql.capture import Capture
from sparks.migrate.postgresql.freeze import Freeze
from sparks.migrate.postgresql.source import TABLES, Source
from sparks.model.errors import BadInput, Busy
from tests.migrate.postgresql.legacy_rows import App, add_album, add_image, add_user, wait_for_lock
from tests.servers.postgresql import LegacyDatabase, PostgresqlServer
from tests.servers.process import wait_until

ROUNDS = 4


@pytest.fixture
def capture(source: Source) -> Capture:
    made = Capture(source)
    made.install()
    return made


def captured(capture: Capture) -> list[tuple[str, str | None]]:
    """Tables and keys of all entries, which are gone afterwards."""
    found = capture.read()
    capture.drop([entry.entry for entry in found])
    return [(entry.table, entry.key) for entry in found]


def test_inserted_updated_and_deleted_rows_are_captured(capture: Capture, app: App) -> None:
    user = add_user(app)
    image = add_image(app, user)
    assert captured(capture) == [("users", user), ("gallery_images", image)]
    app.execute("UPDATE gallery_images SET title = 'x'")
    assert captured(capture) == [("gallery_images", image)]
    app.execute("DELETE FROM gallery_images")
    assert captured(capture) == [("gallery_images", image)]


def test_a_transaction_that_commits_after_later_ones_is_captured(capture: Capture, app: App, other_app: App) -> None:
    with app.transaction():
        slow = add_user(app)
        fast = [add_user(other_app) for _ in range(3)]
        assert captured(capture) == [("users", user) for user in fast]
    assert captured(capture) == [("users", slow)]


def test_a_transaction_that_is_rolled_back_is_not_captured(capture: Capture, app: App) -> None:
    with app.transaction(force_rollback=True):
        add_user(app)
    with app.transaction():
        kept = add_user(app)
        with app.transaction(force_rollback=True):
            add_user(app)
    assert captured(capture) == [("users", kept)]


def test_both_ids_are_captured_where_an_id_changes(capture: Capture, app: App) -> None:
    old, new = add_user(app), str(uuid.uuid4())
    captured(capture)
    app.execute("UPDATE users SET id = %s", (new,))
    assert captured(capture) == [("users", old), ("users", new)]


def test_rows_that_a_foreign_key_changes_are_captured(capture: Capture, app: App, superuser: App) -> None:
    superuser.execute(
        "ALTER TABLE gallery_images DROP CONSTRAINT gallery_images_album_id_fkey,"
        " ADD FOREIGN KEY (album_id) REFERENCES gallery_albums (id) ON DELETE SET NULL"
    )
    user = add_user(app)
    album = add_album(app, user)
    image = add_image(app, user, album_id=album)
    captured(capture)
    app.execute("DELETE FROM gallery_albums")
    assert set(captured(capture)) == {("gallery_albums", album), ("gallery_images", image)}


def test_copied_and_merged_rows_are_captured(capture: Capture, app: App) -> None:
    user = str(uuid.uuid4())
    with app.cursor().copy("COPY users (id) FROM STDIN") as copy:
        copy.write_row((user,))
    assert captured(capture) == [("users", user)]
    app.execute("INSERT INTO users (id) VALUES (%s) ON CONFLICT (id) DO UPDATE SET username = 'x'", (user,))
    assert captured(capture) == [("users", user)]


def test_truncate_captures_all_keys(capture: Capture, app: App) -> None:
    user = add_user(app)
    images = {("gallery_images", add_image(app, user)) for _ in range(3)}
    captured(capture)
    app.execute("TRUNCATE gallery_images")
    assert set(captured(capture)) == images


def test_truncate_with_cascade_captures_the_keys_of_all_tables(capture: Capture, app: App) -> None:
    user = add_user(app)
    album = add_album(app, user)
    image = add_image(app, user)
    captured(capture)
    app.execute("TRUNCATE users CASCADE")
    assert set(captured(capture)) == {("users", user), ("gallery_albums", album), ("gallery_images", image)}


def test_truncate_in_an_older_snapshot_leaves_an_entry_for_all_keys(capture: Capture, app: App, other_app: App) -> None:
    seen = add_user(app)
    image = add_image(app, seen)
    with app.transaction():
        app.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        app.execute("SELECT FROM gallery_images")
        unseen = add_image(other_app, seen)
        captured(capture)
        app.execute("TRUNCATE gallery_images")
    assert capture.pending([("gallery_images", unseen), ("users", seen)]) == {("gallery_images", unseen)}
    assert set(captured(capture)) == {("gallery_images", None), ("gallery_images", image)}


def test_changes_of_a_replication_session_are_captured(capture: Capture, superuser: App) -> None:
    superuser.execute("SET session_replication_role = replica")
    user = add_user(superuser)
    superuser.execute("TRUNCATE users CASCADE")
    assert captured(capture) == [("users", user), ("users", user)]


def test_an_application_needs_no_rights_and_cannot_see_the_outbox(capture: Capture, app: App) -> None:
    app.execute("CREATE TEMPORARY TABLE outbox (table_name text, key text); SET search_path = pg_temp, public")
    user = add_user(app)
    assert captured(capture) == [("users", user)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute("SELECT FROM sparks_migration.outbox")


def test_only_the_entries_that_are_named_are_dropped(capture: Capture, app: App) -> None:
    users = [add_user(app) for _ in range(3)]
    first, _, third = capture.read()
    capture.drop([first.entry, third.entry, 10**12])
    capture.drop([])
    assert captured(capture) == [("users", users[1])]


def test_no_more_entries_are_read_than_asked_for(capture: Capture, app: App) -> None:
    users = [add_user(app) for _ in range(3)]
    assert [entry.key for entry in capture.read(2)] == users[:2]


def test_pending_keys_are_those_with_an_entry(capture: Capture, app: App) -> None:
    user = add_user(app)
    assert capture.pending([("users", user), ("gallery_images", user), ("users", "x")]) == {("users", user)}
    assert capture.pending([]) == set()


def test_the_lag_is_the_age_of_the_oldest_entry(capture: Capture, app: App, superuser: App) -> None:
    assert capture.lag() == (0, 0.0)
    add_user(app)
    add_user(app)
    superuser.execute(
        "UPDATE sparks_migration.outbox SET captured_at = captured_at - interval '1 hour' WHERE entry = 1"
    )
    entries, seconds = capture.lag()
    assert entries == 2
    assert 3600 <= seconds < 3700


def test_installing_again_keeps_the_entries_and_waits_for_no_writer(capture: Capture, app: App) -> None:
    user = add_user(app)
    with app.transaction():
        app.execute("UPDATE users SET username = 'x'")
        capture.install()
    assert set(captured(capture)) == {("users", user)}
    assert capture.is_installed()


def test_every_transaction_that_was_not_captured_has_ended_when_it_is_installed(
    source: Source, app: App, superuser: App, pool: ThreadPoolExecutor
) -> None:
    with app.transaction():
        add_user(app)
        installed = pool.submit(Capture(source).install)
        wait_for_lock(superuser)
        assert not installed.done()
    installed.result()
    assert source.count("users") == 1
    assert Capture(source).read() == []


def test_installing_gives_up_where_a_writer_stays_and_can_be_repeated(source: Source, app: App) -> None:
    capture = Capture(source, patience=0)
    user = add_user(app)
    with app.transaction():
        add_image(app, user)
        with pytest.raises(Busy, match="gallery_images"):
            capture.install()
        assert not capture.is_installed()
    capture.install()
    assert capture.is_installed()


def test_a_migrator_that_was_killed_while_it_installed_can_be_followed_by_another(
    source: Source, database: LegacyDatabase, app: App, superuser: App
) -> None:
    script = "import sys\nfrom sparks.migrate.postgresql import capture, source\n"
    script += "capture.Capture(source.Source.connect(sys.argv[1])).install()"
    user = add_user(app)
    with app.transaction():
        add_image(app, user)
        migrator = Popen([sys.executable, "-c", script, database.owner_url], env=environment())
        wait_for_lock(superuser)
        migrator.kill()
        migrator.wait()
        assert not Capture(source).is_installed()
    Capture(source).install()
    assert Capture(source).is_installed()


def environment() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(__file__).parents[3] / "src")}


def test_a_role_that_does_not_own_the_tables_is_told_so(database: LegacyDatabase) -> None:
    source = Source.connect(database.application_url)
    with pytest.raises(BadInput, match="owner of the tables"):
        Capture(source).install()
    source.close()


def test_removing_leaves_nothing_and_is_complete_when_repeated(
    source: Source, capture: Capture, app: App, superuser: App
) -> None:
    Freeze(source).begin(0)
    for _ in range(2):
        capture.remove()
        assert not capture.is_installed()
    add_user(app)
    assert superuser.execute("SELECT FROM pg_trigger WHERE tgname LIKE 'sparks%'").rowcount == 0
    assert superuser.execute("SELECT FROM pg_namespace WHERE nspname LIKE 'sparks%'").rowcount == 0
    capture.install()
    assert capture.is_installed()


def test_no_statement_of_the_application_fails_while_triggers_come_and_go(
    source: Source, database: LegacyDatabase, pool: ThreadPoolExecutor
) -> None:
    """Transactions that write the tables in opposite orders are what a migrator makes a deadlock with."""
    stop = threading.Event()
    writers = [pool.submit(write_in_order, database, order, stop) for order in (TABLES, TABLES[::-1], TABLES[1:])]
    capture, freeze = Capture(source), Freeze(source)
    try:
        for _ in range(ROUNDS):
            capture.install()
            freeze.begin(-1)
            freeze.lift()
            capture.remove()
    finally:
        stop.set()
    assert all(writer.result() > 0 for writer in writers)


def write_in_order(database: LegacyDatabase, tables: tuple[str, ...], stop: threading.Event) -> int:
    """The number of transactions; an error of any statement is raised."""
    columns = {"users": "username", "gallery_albums": "title", "gallery_images": "title"}
    count = 0
    with psycopg.connect(database.application_url) as app:
        user = add_user(app)
        rows = {"users": user, "gallery_albums": add_album(app, user), "gallery_images": add_image(app, user)}
        app.commit()
        while not stop.wait(0.005):
            for table in tables:
                app.execute(f"UPDATE {table} SET {columns[table]} = 'x' WHERE id = %s", (rows[table],))
            app.commit()
            count += 1
    return count


def test_an_autovacuum_does_not_keep_triggers_away() -> None:
    """It holds a lock that hinders the migrator for as long as it runs, which is here for ever."""
    slow = ("autovacuum_naptime=1", "autovacuum_vacuum_cost_delay=100", "autovacuum_vacuum_cost_limit=1")
    with PostgresqlServer("fsync=off", "deadlock_timeout=200", *slow) as server:
        database = server.new_database()
        with psycopg.connect(database.superuser_url, autocommit=True) as superuser:
            superuser.execute("INSERT INTO users (id) SELECT gen_random_uuid() FROM generate_series(1, 20000)")
            superuser.execute("DELETE FROM users")
            vacuum = "SELECT FROM pg_stat_progress_vacuum WHERE relid = 'users'::regclass"
            wait_until(lambda: superuser.execute(vacuum).rowcount > 0, what="a vacuum", seconds=30)
            source = Source.connect(database.owner_url)
            Capture(source, patience=10).install()
            source.close()
