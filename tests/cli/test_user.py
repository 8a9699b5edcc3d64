"""`sparks user`: accounts are made, shown and changed."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparks.accounts.remove_account import close_account
from sparks.auth.api_keys import make_key
from sparks.auth.passwords import verify_password
from sparks.auth.sessions import open_session
from sparks.cli.password_prompt import read_password_file
from sparks.cli.quantities import format_size
from sparks.library import keys
from sparks.library.accounts.identities import link_identity
from sparks.library.accounts.users import find_user_and_password, get_user
from sparks.library.audit import COMMAND_LINE
from sparks.library.records import to_item
from sparks.model import times
from sparks.model.account import UploadLimit
from sparks.model.errors import BadInput
from sparks.table.port import Put
from tests.cli.conftest import Ended, Run
from tests.cli.library import SPAN, UNKNOWN, add_photos, audit_trail, stores_in
from tests.cli.terminal import at_terminal
from tests.factories import ANN, BOB

PASSWORD = "correct horse battery"

Pipe = Callable[[bytes], None]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Pipe:
    """Sets the stdin of the next command."""

    def set_stdin(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return set_stdin


def add(run: Run, email: str, *options: str) -> dict[str, Any]:
    ended = run("user", "add", email, "--no-password", "--json", *options)
    assert ended.code == 0, ended.err
    made: dict[str, Any] = json.loads(ended.out)
    return made


def show(run: Run, email: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(run("user", "show", email, "--json").out)
    return shown


def has_password(data: Path, email: str, password: str) -> bool:
    with stores_in(data) as stores:
        _, kept = find_user_and_password(email, table=stores.table)
    return verify_password(password, None if kept is None else kept.password_hash)


# -- add


def test_an_account_has_the_limits_of_the_settings(run: Run) -> None:
    ended = run(
        "user", "add", ANN, "--no-password", "--json", SPARKS_UPLOAD_LIMIT="7", SPARKS_UPLOAD_LIMIT_BYTES="8 MB"
    )
    made = json.loads(ended.out)
    assert (made["email"], made["username"], made["role"]) == (ANN, "ann", "member")
    assert made["uploadLimit"] == {"limit": 7, "used": 0, "bytesLeft": 8_000_000, "bytesUsed": 0}
    assert made["createdAt"]


def test_a_new_account_has_the_given_name_role_and_limits(run: Run) -> None:
    made = add(run, "  Ann@EXAMPLE.com ", "--username", "Ann", "--admin", "--limit", "3", "--bytes", "1.5 GB")
    assert (made["email"], made["username"], made["role"]) == (ANN, "Ann", "admin")
    assert made["uploadLimit"] == {"limit": 3, "used": 0, "bytesLeft": 1_500_000_000, "bytesUsed": 0}


def test_a_new_account_is_printed_as_text(run: Run) -> None:
    ended = run("user", "add", ANN, "--no-password")
    assert ended.out.splitlines() == [
        "made ann@example.com, member; may upload 500 photos, 50 GB",
        "it has no password: sign in with the provider, or set one with `sparks user password ann@example.com`",
    ]


def test_a_password_comes_from_stdin(run: Run, data: Path, pipe: Pipe) -> None:
    pipe(PASSWORD.encode() + b"\n")
    assert run("user", "add", ANN, "--password-stdin").out == (
        "made ann@example.com, member; may upload 500 photos, 50 GB\n"
    )
    assert has_password(data, ANN, PASSWORD)


def test_a_password_that_is_too_weak_makes_no_account(run: Run, pipe: Pipe) -> None:
    pipe(b"password123")
    ended = run("user", "add", ANN, "--password-stdin")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "choose another" in ended.err
    assert run("user", "list", "--json").out == "[]\n"


def test_without_a_terminal_a_password_has_to_be_piped(run: Run) -> None:
    ended = run("user", "add", ANN)
    assert ended.code == 2
    assert "there is no terminal to type the password: pipe it in with --password-stdin" in ended.err


def test_a_closed_stdin_holds_no_password(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "pipe it in" in run("user", "add", ANN, "--password-stdin").err


def test_no_password_and_password_stdin_exclude_each_other(run: Run) -> None:
    assert run("user", "add", ANN, "--no-password", "--password-stdin").code == 2


def test_a_terminal_prompts_twice_until_the_password_is_valid(data: Path) -> None:
    with at_terminal(data, "user", "add", ANN) as terminal:
        for number, typed in enumerate(["short", PASSWORD], start=1):
            terminal.wait_for("Password: ", times=number)
            terminal.type(typed)
            terminal.wait_for("Repeat for confirmation: ", times=number)
            terminal.type(typed)
        assert terminal.ends() == 0
        shown = terminal.shown()
    assert "Error: a password has at least 10 characters" in shown
    assert PASSWORD not in shown
    assert has_password(data, ANN, PASSWORD)


@pytest.mark.parametrize("content", [b"it's me\n", b"it's me\r\n", b"it's me", b"\xef\xbb\xbfit's me\n"])
def test_a_password_is_one_line_with_any_line_ending(content: bytes) -> None:
    assert read_password_file(content) == "it's me"


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "no password"), (b"\n", "no password"), (b"two\nlines\n", "one line"), (b"\xff" * 12, "not UTF-8")],
)
def test_input_that_is_not_one_line_of_text_is_no_password(content: bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_password_file(content)


@pytest.mark.parametrize("email", ["ann", "ann@", "a b@example.com", "ann@-example-.com", "\udcff@example.com"])
def test_an_invalid_email_address_is_refused(run: Run, data: Path, email: str) -> None:
    ended = run("user", "add", email, "--no-password")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("sparks: that is not an e-mail address")
    assert not data.exists()


def test_a_name_that_cannot_be_shown_is_refused(run: Run) -> None:
    ended = run("user", "add", ANN, "--no-password", "--username", "An\nn")
    assert (ended.code, ended.err) == (2, "sparks: a name has 1 to 60 characters that can be seen, in one line\n")


@pytest.mark.parametrize("option", [("--limit", "-1"), ("--bytes", "lots"), ("--bytes", "-5"), ("--bytes", "2000 TB")])
def test_an_invalid_limit_of_a_new_account_is_a_usage_error(run: Run, option: tuple[str, str]) -> None:
    assert run("user", "add", ANN, "--no-password", *option).code == 2


def test_a_second_account_with_the_same_address_is_refused(run: Run) -> None:
    add(run, ANN)
    ended = run("user", "add", "ANN@example.com", "--password-stdin")
    assert ended == (
        1,
        "",
        "sparks: there is an account with this e-mail address already: see `sparks user show ann@example.com`\n",
    )


def test_an_address_is_taken_until_its_account_is_removed(run: Run, data: Path) -> None:
    add(run, ANN)
    with stores_in(data) as stores:
        close_account(ANN, by=COMMAND_LINE, at=times.now(), table=stores.table)
    ended = run("user", "add", ANN, "--no-password")
    assert ended.code == 1
    assert "is being removed" in ended.err


# -- list and show


def test_the_list_shows_all_accounts(run: Run) -> None:
    add(run, ANN, "--admin")
    add(run, BOB, "--username", "Bob", "--limit", "1")
    assert run("user", "list").out.splitlines() == [
        "ann@example.com  admin  ann  500 photos, 50 GB left",
        "bob@example.com  member  Bob  1 photo, 50 GB left",
    ]
    rows = json.loads(run("user", "list", "--json").out)
    assert [row["uploadLimit"]["limit"] for row in rows] == [500, 1]


def test_an_empty_list_of_accounts_says_how_to_make_one(run: Run, data: Path) -> None:
    with stores_in(data):
        pass
    assert run("user", "list") == (0, "there are no accounts yet: `sparks user add` makes one\n", "")


def test_an_account_is_shown_with_its_uploads_sessions_and_keys(run: Run, data: Path) -> None:
    add(run, ANN, "--limit", "5")
    add_photos(data, ANN, 2)
    with stores_in(data) as stores:
        ann = link_identity(ANN, "https://issuer.example", "4711", table=stores.table)
        open_session(ann, span=SPAN, at=times.now(), table=stores.table)
        make_key(ann, name="one", at=times.now(), table=stores.table)
        make_key(ann, name="two", at=times.now(), table=stores.table)
    shown = show(run, "ANN@example.com")
    assert shown["uploadLimit"] == {"limit": 3, "used": 2, "bytesLeft": 50_000_000_000 - 18, "bytesUsed": 18}
    assert (shown["sessions"], shown["keys"], shown["password"]) == (1, 2, False)
    assert shown["identities"] == ["https://issuer.example#4711"]
    lines = run("user", "show", ANN).out.splitlines()
    assert "    uploaded    2 photos, 18 bytes" in lines
    assert "    left        3 photos, 50 GB" in lines
    assert "    identities  https://issuer.example#4711" in lines


def test_a_limit_without_counts_is_shown_as_far_as_it_is_known(run: Run, data: Path) -> None:
    add(run, ANN)
    with stores_in(data) as stores:
        stores.table.write(Put(to_item(UploadLimit(email=ANN, photos_left=4))))
    lines = run("user", "show", ANN).out.splitlines()
    assert "    uploaded    not counted" in lines
    assert "    left        4 photos, any size" in lines


# -- limit


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (["7"], (7, 1000)),
        (["+7"], (17, 1000)),
        (["-7"], (3, 1000)),
        (["-10"], (0, 1000)),
        (["--bytes", "5 kB"], (10, 5000)),
        (["--bytes", "+5kb"], (10, 6000)),
        (["--bytes", "-400"], (10, 600)),
        (["3", "--bytes", "+1"], (3, 1001)),
        (["-3", "--bytes", "9"], (7, 9)),
    ],
)
def test_a_limit_is_set_raised_and_lowered(run: Run, arguments: list[str], left: tuple[int, int]) -> None:
    add(run, ANN, "--limit", "10", "--bytes", "1000")
    changed = json.loads(run("user", "limit", "Ann@example.com", *arguments, "--json").out)["uploadLimit"]
    assert (changed["limit"], changed["bytesLeft"]) == left
    assert changed == show(run, ANN)["uploadLimit"]


def test_a_new_limit_is_printed_as_text(run: Run) -> None:
    add(run, ANN)
    assert run("user", "limit", ANN, "-5") == (0, "ann@example.com may still upload 495 photos, 50 GB\n", "")


def test_a_limit_cannot_be_lowered_below_zero(run: Run) -> None:
    add(run, ANN, "--limit", "3")
    ended = run("user", "limit", ANN, "-5", "--bytes", "0")
    assert (ended.code, ended.out) == (1, "")
    assert "5 cannot be taken away" in ended.err
    assert show(run, ANN)["uploadLimit"]["limit"] == 3
    assert show(run, ANN)["uploadLimit"]["bytesLeft"] == 50_000_000_000


@pytest.mark.parametrize(
    "arguments",
    [[], ["many"], ["1.5"], ["--5"], ["+-5"], ["٣"], ["1000000001"], ["--bytes", "+"], ["--bites", "5"]],
    ids=" ".join,
)
def test_an_invalid_limit_is_a_usage_error(run: Run, arguments: list[str]) -> None:
    add(run, ANN)
    assert run("user", "limit", ANN, *arguments).code == 2
    assert show(run, ANN)["uploadLimit"]["limit"] == 500


# -- role and password


def test_a_role_is_changed(run: Run) -> None:
    add(run, ANN, "--admin")
    add(run, BOB)
    assert run("user", "role", BOB, "admin").out == "bob@example.com is admin now\n"
    assert run("user", "role", BOB, "admin").out == "bob@example.com is admin already\n"
    assert json.loads(run("user", "role", ANN, "member", "--json").out)["role"] == "member"


def test_the_last_administrator_cannot_become_a_member(run: Run) -> None:
    add(run, ANN, "--admin")
    for command in (["role", ANN, "member"], ["remove", ANN, "--yes"]):
        ended = run("user", *command)
        assert ended == (1, "", "sparks: this is the last administrator: make another user an administrator first\n")
    assert show(run, ANN)["role"] == "admin"


def test_an_unknown_role_is_a_usage_error(run: Run) -> None:
    add(run, ANN)
    assert run("user", "role", ANN, "king").code == 2


def test_a_new_password_ends_all_sessions(run: Run, data: Path, pipe: Pipe) -> None:
    add(run, ANN)
    with stores_in(data) as stores:
        for _ in range(2):
            open_session(get_user(ANN, table=stores.table), span=SPAN, at=times.now(), table=stores.table)
    pipe(PASSWORD.encode())
    ended = run("user", "password", "ANN@example.com", "--password-stdin")
    assert ended == (0, "ann@example.com has a new password; sessions ended: 2\n", "")
    assert has_password(data, ANN, PASSWORD)
    assert show(run, ANN)["sessions"] == 0


# -- All of them


COMMANDS = [
    ["user", "show", BOB],
    ["user", "limit", BOB, "5"],
    ["user", "role", BOB, "admin"],
    ["user", "password", BOB, "--password-stdin"],
    ["user", "remove", BOB, "--yes"],
    ["key", "add", BOB, "--name", "x"],
    ["key", "list", BOB],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_unknown_account_is_an_error(run: Run, command: list[str]) -> None:
    add(run, ANN)
    assert run(*command) == (1, "", UNKNOWN)


@pytest.mark.parametrize("command", [*COMMANDS, ["user", "list"], ["key", "revoke", "x"]], ids=" ".join)
def test_only_adding_a_user_makes_a_data_folder(run: Run, data: Path, command: list[str]) -> None:
    ended: Ended = run(*command)
    words = f"there is no Sparks data in {data}: name its folder with --data, or begin with `sparks serve`"
    assert ended == (2, "", f"sparks: {words}\n")
    assert not data.exists()


def test_every_change_of_an_account_is_in_the_audit_log(run: Run, data: Path, pipe: Pipe) -> None:
    add(run, ANN, "--admin")
    add(run, BOB)
    run("user", "limit", BOB, "5", "--bytes", "+1kB")
    run("user", "role", BOB, "admin")
    pipe(PASSWORD.encode())
    run("user", "password", BOB, "--password-stdin")
    run("user", "remove", BOB, "--yes")
    trail = audit_trail(data)
    assert {entry.who for entry in trail} == {COMMAND_LINE}
    assert [(entry.action, entry.target, dict(entry.details)) for entry in trail] == [
        ("user-made", ANN, {"role": "admin"}),
        ("user-made", BOB, {"role": "member"}),
        ("limit-changed", BOB, {"bytesChange": 1000}),
        ("limit-changed", BOB, {"limit": 5}),
        ("role-changed", BOB, {"role": "admin", "before": "member"}),
        ("password-reset", BOB, {}),
        ("user-removed", BOB, {}),
    ]
    with stores_in(data) as stores:
        assert stores.table.get(keys.user(BOB)) is None


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1500, "1.5 kB"), (50 * 10**9, "50 GB"), (10**15, "1000 TB")],
)
def test_sizes_are_formatted_for_people(size: int, shown: str) -> None:
    assert format_size(size) == shown
