"""The first administrator whom the settings name."""

import threading
from pathlib import Path

import httpx
import pytest

from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
from sparks.auth.passwords import verify_password
from sparks.cli.first_admin import create_first_admin_from_settings
from sparks.library.accounts.users import all_users, find_user_and_password
from sparks.library.audit import COMMAND_LINE, page_of_entries
from sparks.model import times
from sparks.model.account import Role
from sparks.model.errors import BadSetting
from sparks.settings import Settings, load_settings
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.cli.processes import start, start_serve
from tests.factories import ANN, BOB

PASSWORD = "correct horse battery"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\n")
    return path


def named(email: str, file: Path) -> Settings:
    environment = {"SPARKS_ADMIN_EMAIL": email, "SPARKS_ADMIN_PASSWORD_FILE": str(file)}
    return load_settings({"data": file.parent / "data"}, environment)


def roles(table: Table) -> dict[str, Role]:
    return {user.email: user.role for user in all_users(table=table)}


def test_the_first_administrator_gets_the_password_in_the_file(file: Path) -> None:
    table = MemoryTable()
    create_first_admin_from_settings(named("Ann@Example.com", file), table=table)
    user, password = find_user_and_password(ANN, table=table)
    assert user is not None
    assert user.role is Role.ADMIN
    assert password is not None
    assert verify_password(PASSWORD, password.password_hash)
    entries, _ = page_of_entries(times.month_of(times.now()), limit=5, after=None, table=table)
    assert [(entry.who, entry.action, entry.target) for entry in entries] == [(COMMAND_LINE, "set-up", ANN)]


def test_the_settings_are_ignored_once_there_is_an_administrator_even_without_the_file(file: Path) -> None:
    table = MemoryTable()
    create_first_admin_from_settings(named(ANN, file), table=table)
    file.unlink()
    create_first_admin_from_settings(named(BOB, file), table=table)
    assert roles(table) == {ANN: Role.ADMIN}


def test_no_administrator_is_made_where_the_settings_name_none(tmp_path: Path) -> None:
    table = MemoryTable()
    create_first_admin_from_settings(load_settings({"data": tmp_path}, {}), table=table)
    assert roles(table) == {}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "there is no password"),
        (b"\n", "there is no password"),
        (b"short\n", "at least 10 characters"),
        (b"password123\n", "one of the first that others would try"),
        (b"x" * 100_000, "at most 256 characters"),
        (b"two lines\nof a password\n", "a password is one line"),
        (b"\xff" * 12, "not UTF-8"),
    ],
)
def test_an_invalid_password_in_the_file_is_a_wrong_setting(file: Path, content: bytes, why: str) -> None:
    file.write_bytes(content)
    with pytest.raises(BadSetting, match=f"^SPARKS_ADMIN_PASSWORD_FILE: {file}: .*{why}"):
        create_first_admin_from_settings(named(ANN, file), table=MemoryTable())


def test_a_password_file_that_cannot_be_read_is_a_wrong_setting(file: Path) -> None:
    file.unlink()
    with pytest.raises(BadSetting, match=f"^SPARKS_ADMIN_PASSWORD_FILE: {file}: the file cannot be read: No such"):
        create_first_admin_from_settings(named(ANN, file), table=MemoryTable())


def test_an_invalid_email_address_of_the_administrator_is_a_wrong_setting(file: Path) -> None:
    with pytest.raises(BadSetting, match=r"^SPARKS_ADMIN_EMAIL: that is not an e-mail address"):
        create_first_admin_from_settings(named("ann", file), table=MemoryTable())


def test_an_existing_member_is_not_made_administrator_but_the_error_says_how(file: Path) -> None:
    table = MemoryTable()
    ann = NewAccount.called(ANN, None)
    add_user(ann, allowance=UploadAllowance(photos=1, bytes=1), by=COMMAND_LINE, at=times.now(), table=table)
    with pytest.raises(BadSetting, match=r"^SPARKS_ADMIN_EMAIL: .*type sparks user role ann@example.com admin$"):
        create_first_admin_from_settings(named(ANN, file), table=table)
    assert roles(table) == {ANN: Role.MEMBER}


def test_of_servers_that_start_at_once_one_makes_the_administrator_and_all_start(file: Path) -> None:
    table = MemoryTable()
    start_line = threading.Barrier(4)
    failed: list[BaseException] = []

    def begin(email: str) -> None:
        start_line.wait()
        try:
            create_first_admin_from_settings(named(email, file), table=table)
        except BadSetting as error:
            failed.append(error)

    threads = [threading.Thread(target=begin, args=[email]) for email in (ANN, ANN, BOB, BOB)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert list(roles(table).values()) == [Role.ADMIN]


def test_serve_makes_the_administrator_before_it_is_ready(tmp_path: Path, file: Path) -> None:
    settings = {"SPARKS_ADMIN_EMAIL": ANN, "SPARKS_ADMIN_PASSWORD_FILE": str(file)}
    with start_serve(tmp_path / "data", **settings) as running:
        assert len(running.out.splitlines()) == 1
        assert httpx.get(f"{running.url}/api/about").json()["setup"] is False
        signed_in = httpx.post(f"{running.url}/api/session", json={"email": ANN, "password": PASSWORD})
        assert signed_in.is_success
        assert not [line for line in running.lines("") if ANN in str(line) or PASSWORD in str(line)]


def test_serve_does_not_start_with_a_password_that_is_too_weak(tmp_path: Path, file: Path) -> None:
    file.write_text("short")
    settings = {"SPARKS_ADMIN_EMAIL": ANN, "SPARKS_ADMIN_PASSWORD_FILE": str(file)}
    with start(tmp_path / "data", "serve", "--port", "0", "--workers", "0", **settings) as running:
        assert running.process.wait(60) == 2
        assert running.out == ""
    assert (tmp_path / "err").read_text().splitlines()[-1].startswith("sparks: SPARKS_ADMIN_PASSWORD_FILE: ")
