"""The set-up link, which creates the first administrator."""

import re
import stat
import threading
from pathlib import Path

import httpx
import pytest

from sparks.cli import first_admin
from sparks.cli.first_admin import SETUP_LINK_FILE, SetupLink
from sparks.model.errors import BadSetting, Unavailable
from tests.cli.conftest import Run
from tests.cli.processes import Running, start_serve
from tests.cli.terminal import at_terminal
from tests.factories import ANN
from tests.servers.process import wait_until

URL = "http://127.0.0.1:8000/setup#token"


def link(path: Path, *, done: threading.Event | None = None) -> SetupLink:
    return SetupLink(URL, path=path, is_done=(done or threading.Event()).is_set)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / SETUP_LINK_FILE


def test_without_a_terminal_the_link_is_in_a_file_for_its_owner_only(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with link(path) as shown:
        shown.show()
        assert path.read_text() == f"{URL}\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        output = capsys.readouterr().out
        assert str(path) in output
        assert URL not in output
    assert list(path.parent.iterdir()) == []


def test_the_file_of_the_setup_link_is_deleted_as_soon_as_there_is_an_administrator(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_admin, "POLL_SECONDS", 0.01)
    done = threading.Event()
    with link(path, done=done) as shown:
        shown.show()
        assert path.exists()
        done.set()
        wait_until(lambda: not path.exists(), what="the file to go")


def test_the_setup_link_keeps_checking_while_the_table_cannot_be_reached(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_admin, "POLL_SECONDS", 0.01)
    answers = iter([False, None, None])

    def is_done() -> bool:
        answer = next(answers, True)
        if answer is None:
            raise Unavailable("the table cannot be reached")
        return answer

    with SetupLink(URL, path=path, is_done=is_done) as shown:
        shown.show()
        wait_until(lambda: not path.exists(), what="the file to go")


def test_the_setup_link_of_a_killed_server_is_deleted_at_the_next_start(path: Path) -> None:
    left = [path, path.with_name(f"{SETUP_LINK_FILE}.new")]
    for each in left:
        each.write_text("an old link")
    with link(path):
        assert not [each for each in left if each.exists()]


def test_no_setup_link_is_shown_where_there_is_an_administrator(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = threading.Event()
    done.set()
    with link(path, done=done) as shown:
        shown.show()
        assert not path.exists()
    assert capsys.readouterr().out == ""


def test_a_setup_link_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(BadSetting, match=f"{SETUP_LINK_FILE}: No such file"),
        link(tmp_path / "gone" / SETUP_LINK_FILE) as shown,
    ):
        shown.show()


# -- With a server


def link_of(running: Running) -> str:
    path = running.data / SETUP_LINK_FILE
    wait_until(path.exists, what="the link")
    return path.read_text().strip()


def set_up(link: str) -> httpx.Response:
    url, token = link.split("/setup#")
    wish = {"token": token, "email": ANN, "password": "correct horse battery"}
    return httpx.post(f"{url}/api/setup", json=wish)


def test_the_setup_link_makes_the_administrator_and_is_void_afterwards(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with start_serve(data) as running:
        first = link_of(running)
        assert re.fullmatch(re.escape(running.url) + r"/setup#[\w-]{43}", first)
        running.end()
        assert not (data / SETUP_LINK_FILE).exists()
    with start_serve(data) as running:
        second = link_of(running)
        token = second.partition("#")[2]
        old_token = f"{running.url}/setup#{first.partition('#')[2]}"
        assert set_up(old_token).status_code == 403
        assert set_up(second).status_code == 201
        wait_until(lambda: not (data / SETUP_LINK_FILE).exists(), what="the link to go")
        assert set_up(second).status_code == 404
        assert str(data / SETUP_LINK_FILE) in running.out
        assert not [text for text in (running.out, (tmp_path / "err").read_text()) if token in text]


def test_an_administrator_made_on_the_command_line_voids_the_setup_link_too(sparks: Running, run: Run) -> None:
    last = link_of(sparks)
    assert run("user", "add", ANN, "--admin", "--no-password", "--data", str(sparks.data)).code == 0
    wait_until(lambda: not (sparks.data / SETUP_LINK_FILE).exists(), what="the link to go")
    assert set_up(last).status_code == 404


def test_on_a_terminal_the_setup_link_is_shown_and_stored_nowhere(data: Path, tmp_path: Path) -> None:
    err = tmp_path / "err"
    with at_terminal(data, "serve", "--port", "0", "--workers", "0", err=err) as terminal:
        terminal.wait_for("/setup#")
        wait_until(lambda: terminal.shown().endswith("\n"), what="the whole line")
        ready, why, shown = terminal.shown().splitlines()
        assert ready.startswith("Sparks is ready: http://127.0.0.1:")
        assert why == "There is no administrator yet. Open this link to become the first one:"
        assert not (data / SETUP_LINK_FILE).exists()
        assert set_up(shown.strip()).status_code == 201
        terminal.process.terminate()
        assert terminal.ends() == 0
    assert shown.partition("#")[2] not in err.read_text()
