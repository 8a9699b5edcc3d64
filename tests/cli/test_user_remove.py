"""`sparks user remove`: an account and everything that it owns."""

import json
from pathlib import Path

import pytest

from sparks.accounts.remove_account import close_account, removal_progress
from sparks.auth.api_keys import make_key
from sparks.auth.sessions import open_session
from sparks.journey import Stores
from sparks.library import entity_types, keys
from sparks.library.accounts.users import get_user
from sparks.library.audit import COMMAND_LINE
from sparks.model import times
from sparks.model.errors import NotFound
from sparks.model.photo import Photo
from sparks.table.port import every
from tests.cli.conftest import Run
from tests.cli.library import SPAN, UNKNOWN, add_photos, audit_trail, stores_in
from tests.cli.processes import Running, start
from tests.cli.terminal import at_terminal
from tests.factories import ANN, BOB
from tests.servers.process import wait_until

DONE = 'sparks_jobs_total{kind="remove_account",outcome="done"}'


@pytest.fixture
def photos(run: Run, data: Path) -> list[Photo]:
    """Bob's, who has a session and a key, too; Ann has one photo."""
    for email in (ANN, BOB):
        assert run("user", "add", email, "--no-password").code == 0
    add_photos(data, ANN, 1)
    with stores_in(data) as stores:
        bob = get_user(BOB, table=stores.table)
        open_session(bob, span=SPAN, at=times.now(), table=stores.table)
        make_key(bob, name="script", at=times.now(), table=stores.table)
    return add_photos(data, BOB, 3)


def check_gone(photos: list[Photo], stores: Stores) -> None:
    for photo in photos:
        assert stores.table.query(keys.photo_rows(photo.image_id)).items == []
        with pytest.raises(NotFound):
            stores.blobs.head(photo.original_key or "")
    assert not stores.table.get_many([keys.user(BOB), keys.password(BOB), keys.upload_limit(BOB)])
    for doors in (entity_types.session(BOB), entity_types.api_key(BOB)):
        assert list(every(stores.table, doors)) == []


def test_nothing_of_a_removed_account_is_left(run: Run, data: Path, photos: list[Photo]) -> None:
    assert run("user", "remove", "BOB@example.com", "--yes") == (0, "removed bob@example.com with 3 photos\n", "")
    with stores_in(data) as stores:
        check_gone(photos, stores)
        assert len(stores.blobs.list().blobs) == 1
    assert [row["email"] for row in json.loads(run("user", "list", "--json").out)] == [ANN]


def test_with_json_the_number_of_deleted_photos_is_printed(run: Run, photos: list[Photo]) -> None:
    assert json.loads(run("user", "remove", BOB, "--yes", "--json").out) == {"email": BOB, "photos": 3}


def test_without_a_terminal_a_removal_needs_the_option_yes(run: Run, photos: list[Photo]) -> None:
    ended = run("user", "remove", BOB)
    assert ended.code == 2
    assert "there is no terminal to confirm the removal: use --yes" in ended.err
    assert run("user", "show", BOB).code == 0


def test_on_a_terminal_a_removal_asks_for_confirmation_and_shows_progress(
    run: Run, data: Path, photos: list[Photo]
) -> None:
    question = "Remove bob@example.com with 3 photos for good? [y/N]: "
    with at_terminal(data, "user", "remove", BOB) as terminal:
        terminal.wait_for(question)
        terminal.type("n")
        assert terminal.ends() == 1
        assert "sparks: nothing was removed" in terminal.shown()
    assert run("user", "show", BOB).code == 0
    with at_terminal(data, "user", "remove", BOB) as terminal:
        terminal.wait_for(question)
        terminal.type("y")
        assert terminal.ends() == 0
        assert "removing bob@example.com: 0 of 3 photos" in terminal.shown()
        assert terminal.shown().endswith("removed bob@example.com with 3 photos\r\n")


def test_an_interrupted_removal_continues_when_it_is_run_again(run: Run, data: Path, photos: list[Photo]) -> None:
    with stores_in(data) as stores:
        close_account(BOB, by=COMMAND_LINE, at=times.now(), table=stores.table)
    assert run("user", "remove", BOB, "--yes").out == "removed bob@example.com with all its photos\n"
    with stores_in(data) as stores:
        check_gone(photos, stores)
    assert [entry.action for entry in audit_trail(data)].count("user-removed") == 1
    assert run("user", "remove", BOB, "--yes") == (1, "", UNKNOWN)


def test_a_worker_continues_the_removal_of_a_killed_command(run: Run, data: Path, photos: list[Photo]) -> None:
    run("user", "remove", BOB, "--yes")
    with stores_in(data) as stores:
        sent = [delivery.job for delivery in stores.jobs.receive(wait=0)]
    assert [(job.kind, job.body["email"]) for job in sent] == [("remove_account", BOB)]


def test_a_worker_does_nothing_where_the_account_is_removed_already(run: Run, data: Path, photos: list[Photo]) -> None:
    run("user", "remove", BOB, "--yes")
    assert run("worker", "--once").out == "ran 1 job\n"


def test_a_command_and_a_worker_remove_the_same_account_at_once(sparks: Running, run: Run, tmp_path: Path) -> None:
    here = ["--data", str(sparks.data)]
    assert run("user", "add", BOB, "--no-password", *here).code == 0
    photos = add_photos(sparks.data, BOB, 45)
    with start(tmp_path / "data", "user", "remove", BOB, "--yes", *here) as command:
        assert command.process.wait(60) == 0, (tmp_path / "err").read_text()
        assert command.out == "removed bob@example.com with 45 photos\n"
    wait_until(lambda: sparks.metric(DONE) == 1, what="the worker to be done, too")
    with stores_in(sparks.data) as stores:
        check_gone(photos, stores)
        assert stores.table.get(keys.job_state(f"remove {BOB}")) is None
        with pytest.raises(NotFound):
            removal_progress(BOB, table=stores.table)
