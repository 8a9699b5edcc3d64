"""Freeze of a source's writes."""

import contextlib
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import psycopg
import pytest
from psycopg.errors import ReadOnlySqlTransaction

from sparks.migrate.postgresql import table_locks
from sparks.migrate.postgresql.capture import Capture
from sparks.migrate.postgresql.epoch import claim_epoch
from sparks.migrate.postgresql.freeze import Freeze
from sparks.migrate.postgresql.source import Source
from sparks.model.errors import Busy, Conflict
from tests.migrate.postgresql.legacy_rows import App, add_album, add_image, add_user, wait_for_lock
from tests.servers.postgresql import PostgresqlServer
from tests.servers.process import wait_until

LONG = 600.0


@pytest.fixture
def capture(source: Source) -> Capture:
    made = Capture(source)
    made.install()
    return made


@pytest.fixture
def freeze(source: Source, capture: Capture) -> Freeze:
    return Freeze(source)


WRITES = (
    "INSERT INTO users (id) VALUES (gen_random_uuid())",
    "INSERT INTO users (id) SELECT gen_random_uuid() WHERE false",
    "UPDATE gallery_images SET title = 'x'",
    "DELETE FROM gallery_albums",
    "TRUNCATE gallery_images",
    "TRUNCATE users CASCADE",
    "MERGE INTO users u USING users v ON u.id = v.id WHEN MATCHED THEN DELETE",
    "COPY users (id) FROM STDIN",
    "SET session_replication_role = replica; DELETE FROM users",
)


@pytest.mark.parametrize("decided", [False, True])
def test_writes_are_refused_and_change_nothing(
    freeze: Freeze, source: Source, superuser: App, *, decided: bool
) -> None:
    add_album(superuser, add_user(superuser))
    superuser.execute("DELETE FROM sparks_migration.outbox")
    freeze.begin(LONG)
    if decided:
        freeze.decide()
    for statement in WRITES:
        with pytest.raises(ReadOnlySqlTransaction, match="moves to Sparks"):
            run(superuser, statement)
    assert (source.count("users"), source.count("gallery_albums")) == (1, 1)


def run(app: App, statement: str) -> None:
    if statement.startswith("COPY"):
        with app.cursor().copy(statement) as copy:
            copy.write_row(("7d5ba1fd-9d2c-4a06-8b1f-d8e4b9d1c1a0",))
    else:
        app.execute(statement)


def test_reads_work_in_a_freeze(freeze: Freeze, app: App) -> None:
    user = add_user(app)
    freeze.begin(LONG)
    assert app.execute("SELECT id::text FROM users FOR UPDATE").fetchone() == (user,)


def test_statements_that_were_prepared_before_are_refused(freeze: Freeze, app: App) -> None:
    insert = "INSERT INTO users (id) VALUES (gen_random_uuid())"
    app.execute(f"PREPARE add_user AS {insert}")
    for _ in range(7):
        app.execute("EXECUTE add_user")
        app.execute(insert, prepare=True)
    freeze.begin(LONG)
    with pytest.raises(ReadOnlySqlTransaction):
        app.execute("EXECUTE add_user")
    with pytest.raises(ReadOnlySqlTransaction):
        app.execute(insert, prepare=True)


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ"])
def test_a_statement_that_waited_for_the_lock_is_refused(
    freeze: Freeze, app: App, other_app: App, superuser: App, pool: ThreadPoolExecutor, isolation: str
) -> None:
    """Where the migrator gave way before the statement stood behind it, the statement was made: it tries again."""
    user = add_user(app)
    other_app.execute(f"SET default_transaction_isolation = '{isolation}'")
    for _ in range(10):
        with app.transaction():
            add_image(app, user)
            begun = pool.submit(freeze.begin, LONG)
            wait_for_lock(superuser)
            waiting = pool.submit(add_after_read, other_app, user)
            wait_until(partial(is_done_or_waiting, waiting, superuser, other_app), what="a statement behind the freeze")
        begun.result()
        if waiting.exception() is not None:
            assert isinstance(waiting.exception(), ReadOnlySqlTransaction)
            return
        freeze.lift()
    pytest.fail("no statement ever stood behind the freeze")


def add_after_read(app: App, user: str) -> None:
    with app.transaction():
        app.execute("SELECT FROM users")  # its snapshot is older than the freeze
        add_image(app, user)


def is_done_or_waiting(statement: Future[None], superuser: App, app: App) -> bool:
    query = "SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
    return statement.done() or superuser.execute(query, (app.info.backend_pid,)).rowcount > 0


def test_every_transaction_that_has_written_has_ended_when_a_freeze_begins(
    freeze: Freeze, capture: Capture, source: Source, app: App, superuser: App, pool: ThreadPoolExecutor
) -> None:
    with app.transaction():
        add_user(app)
        begun = pool.submit(freeze.begin, LONG)
        wait_for_lock(superuser)
        add_user(app)
    begun.result()
    assert source.count("users") == 2
    assert len(capture.read()) == 2


def test_a_freeze_ends_by_itself(freeze: Freeze, app: App) -> None:
    freeze.begin(0.3)
    wait_until(lambda: not freeze.is_frozen(), what="the end of the freeze", seconds=20)
    add_user(app)
    assert not freeze.is_decided()


def test_a_freeze_that_is_begun_again_ends_later(freeze: Freeze, app: App) -> None:
    freeze.begin(0)
    assert not freeze.is_frozen()
    freeze.begin(LONG)
    assert freeze.is_frozen()
    with pytest.raises(ReadOnlySqlTransaction):
        add_user(app)


def test_a_freeze_is_not_decided_while_changes_wait_to_be_applied(freeze: Freeze, capture: Capture, app: App) -> None:
    add_user(app)
    freeze.begin(LONG)
    with pytest.raises(Conflict, match="wait to be applied"):
        freeze.decide()
    assert (freeze.is_frozen(), freeze.is_decided()) == (True, False)
    capture.drop([entry.entry for entry in capture.read()])
    freeze.decide()
    freeze.decide()
    assert freeze.is_decided()


def test_a_change_after_the_end_of_a_freeze_keeps_it_from_being_decided(freeze: Freeze, app: App) -> None:
    freeze.begin(0)
    add_user(app)
    with pytest.raises(Conflict):
        freeze.decide()
    add_user(app)


def test_a_decided_freeze_stays_decided_when_another_begins(freeze: Freeze, app: App) -> None:
    freeze.begin(LONG)
    freeze.decide()
    freeze.begin(0)
    assert (freeze.is_frozen(), freeze.is_decided()) == (True, True)
    with pytest.raises(ReadOnlySqlTransaction):
        add_user(app)


def test_a_decided_freeze_survives_a_restart_and_a_crash_of_the_server() -> None:
    with PostgresqlServer() as server:
        database = server.new_database()
        source = Source.connect(database.owner_url)
        Capture(source).install()
        Freeze(source).begin(LONG)
        Freeze(source).decide()
        for end in (server.stop, server.kill):
            end()
            server.start()
            assert Freeze(source).is_decided()
            with psycopg.connect(database.application_url) as app, pytest.raises(ReadOnlySqlTransaction):
                add_user(app)
        source.close()


@pytest.mark.parametrize("decided", [False, True])
def test_writes_are_taken_and_captured_again_when_a_freeze_is_lifted(
    freeze: Freeze, capture: Capture, app: App, *, decided: bool
) -> None:
    freeze.lift()
    freeze.begin(LONG)
    if decided:
        freeze.decide()
    for _ in range(2):
        freeze.lift()
        assert (freeze.is_frozen(), freeze.is_decided()) == (False, False)
    user = add_user(app)
    assert [entry.key for entry in capture.read()] == [user]
    freeze.begin(LONG)
    with pytest.raises(ReadOnlySqlTransaction):
        add_user(app)


def test_a_reader_keeps_a_freeze_neither_from_beginning_nor_from_being_lifted(freeze: Freeze, app: App) -> None:
    """Such as a backup, which reads for hours in one transaction."""
    with app.transaction():
        app.execute("SELECT FROM users, gallery_albums, gallery_images")
        freeze.begin(LONG)
        freeze.decide()
        freeze.lift()


def test_a_freeze_gives_up_where_a_writer_stays(source: Source, capture: Capture, app: App, other_app: App) -> None:
    freeze = Freeze(source, patience=0)
    with app.transaction():
        user = add_user(app)
        with pytest.raises(Busy, match="try again"):
            freeze.begin(LONG)
        add_user(other_app)
        add_image(app, user)
    assert not freeze.is_frozen()


def test_a_wait_of_the_application_that_was_there_before_is_not_made_a_deadlock(
    source: Source,
    capture: Capture,
    app: App,
    other_app: App,
    superuser: App,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One transaction waits for another's row. If that one waited for the migrator, and the migrator for the first,
    PostgreSQL would end the first, whose wait is the oldest. The migrator is made to wait long, to meet that moment.
    """
    monkeypatch.setattr(table_locks, "OTHER_TABLES_SHARES", (0.9,))
    add_image(app, add_user(app))
    with app.transaction():
        app.execute("UPDATE gallery_images SET title = 'first'")
        waiting = pool.submit(other_app.execute, "UPDATE gallery_images SET title = 'second'")
        old = "SELECT FROM pg_locks WHERE NOT granted AND waitstart < clock_timestamp() - interval '650 ms'"
        wait_until(lambda: superuser.execute(old).rowcount > 0, what="a wait of some age")
        begun = pool.submit(Freeze(source).begin, LONG)
        held = "SELECT FROM pg_locks WHERE granted AND relation = 'users'::regclass AND mode LIKE 'ShareRow%'"
        with contextlib.suppress(TimeoutError):  # the migrator should not hold it for long
            wait_until(lambda: superuser.execute(held).rowcount > 0, what="the migrator's lock", seconds=0.2)
        app.execute("UPDATE users SET username = 'first'")
    waiting.result()
    begun.result()


def test_a_command_of_an_earlier_epoch_neither_freezes_nor_decides_nor_lifts(source: Source) -> None:
    Capture(source).install()
    claim_epoch(source, 1)
    earlier, later = Freeze(source, epoch=1), Freeze(source, epoch=2)
    claim_epoch(source, 2)
    for act in (partial(earlier.begin, LONG), earlier.decide):
        with pytest.raises(Conflict, match="taken over"):
            act()
    assert not earlier.is_frozen()
    later.begin(LONG)
    later.decide()
    with pytest.raises(Conflict, match="taken over"):
        earlier.lift()
    assert later.is_decided()
