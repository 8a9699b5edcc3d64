"""`sparks key`: API keys are made, shown and revoked."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.auth.api_keys import authenticate_key
from sparks.library.audit import COMMAND_LINE
from sparks.model import times
from sparks.model.caller import Member
from sparks.model.credential import KeyScope
from tests.cli.conftest import Run
from tests.cli.library import audit_trail, stores_in
from tests.cli.processes import Running
from tests.cli.terminal import at_terminal
from tests.factories import ANN, BOB


@pytest.fixture(autouse=True)
def accounts(run: Run) -> None:
    assert run("user", "add", ANN, "--admin", "--no-password").code == 0
    assert run("user", "add", BOB, "--no-password").code == 0


def add(run: Run, email: str, *options: str) -> dict[str, Any]:
    ended = run("key", "add", email, "--name", "script", "--json", *options)
    assert ended.code == 0, ended.err
    made: dict[str, Any] = json.loads(ended.out)
    return made


def member(data: Path, text: str) -> Member:
    with stores_in(data) as stores:
        return authenticate_key(text, at=times.now(), table=stores.table)


def test_a_new_key_authenticates_its_owner(run: Run, data: Path) -> None:
    made = add(run, "ANN@example.com", "--scope", "read")
    found = member(data, made["key"])
    assert (found.email, found.via.id, found.scopes) == (ANN, made["id"], frozenset({KeyScope.READ}))
    assert (made["name"], made["scopes"], made["expiresAt"]) == ("script", ["read"], None)


def test_a_key_has_by_default_all_scopes_that_the_role_allows(run: Run) -> None:
    assert set(add(run, ANN)["scopes"]) == set(KeyScope)
    assert set(add(run, BOB)["scopes"]) == set(KeyScope) - {KeyScope.ADMIN}


@pytest.mark.parametrize("text", [["read,upload"], ["upload", "read"], ["read, upload", "read"]], ids=" ".join)
def test_scopes_may_be_given_together_or_one_by_one(run: Run, text: list[str]) -> None:
    options = [part for scope in text for part in ("--scope", scope)]
    assert add(run, BOB, *options)["scopes"] == ["read", "upload"]


@pytest.mark.parametrize("text", ["", "read,", "write", "READ"])
def test_an_unknown_scope_is_a_usage_error(run: Run, text: str) -> None:
    ended = run("key", "add", BOB, "--name", "script", "--scope", text)
    assert ended.code == 2
    assert "the scopes are read, upload, edit, people, admin" in ended.err


def test_a_key_has_no_scope_beyond_the_role(run: Run) -> None:
    ended = run("key", "add", BOB, "--name", "script", "--scope", "read,admin")
    assert (ended.code, ended.out) == (1, "")
    assert "cannot have the scope admin" in ended.err
    assert "`sparks user role bob@example.com admin`" in ended.err
    assert run("key", "list", "--json").out == "[]\n"


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("2100-01-31", "2100-01-31T00:00:00.000Z"),
        ("2100-01-31T12:30:00Z", "2100-01-31T12:30:00.000Z"),
        ("2100-01-31T12:30:00+02:00", "2100-01-31T10:30:00.000Z"),
    ],
)
def test_a_key_expires_at_the_given_time(run: Run, text: str, ends: str) -> None:
    assert add(run, BOB, "--expires", text)["expiresAt"] == ends


def test_a_key_expires_after_the_given_number_of_days(run: Run) -> None:
    made = add(run, BOB, "--expires", "90d")
    life = datetime.fromisoformat(made["expiresAt"]) - datetime.fromisoformat(made["createdAt"])
    assert timedelta(days=89) < life <= timedelta(days=90)


@pytest.mark.parametrize("text", ["", "soon", "0d", "99999d", "-1d", "2100-13-01", "2100-01-31T12:30:00", "2000-01-01"])
def test_an_expiry_that_is_no_time_in_the_future_is_refused(run: Run, text: str) -> None:
    ended = run("key", "add", BOB, "--name", "script", "--expires", text)
    assert (ended.code, ended.out) == (2, "")
    assert run("key", "list", "--json").out == "[]\n"


def test_a_key_without_a_name_is_refused(run: Run) -> None:
    assert run("key", "add", BOB).code == 2
    assert run("key", "add", BOB, "--name", " ").code == 2


def test_a_script_gets_the_key_alone(run: Run, data: Path) -> None:
    ended = run("key", "add", BOB, "--name", "script")
    assert (ended.code, ended.out.count("\n"), ended.err) == (0, 1, "")
    assert member(data, ended.out.strip()).email == BOB


def test_on_a_terminal_the_key_is_printed_with_an_example_of_its_use(data: Path) -> None:
    with at_terminal(data, "key", "add", BOB, "--name", "script") as terminal:
        assert terminal.ends() == 0
        key, *lines = terminal.shown().splitlines()
    assert member(data, key).email == BOB
    assert lines == [
        "This key is shown once: keep it. To use it:",
        f"  curl -H 'Authorization: Bearer {key}' http://127.0.0.1:8000/api/me/profile",
        "To revoke it:",
        f"  sparks key revoke {member(data, key).via.id}",
    ]


def test_the_list_shows_keys_and_no_secrets(run: Run) -> None:
    made = [add(run, ANN, "--scope", "read"), add(run, BOB, "--expires", "2100-01-31")]
    for form in ([], ["--json"]):
        shown = run("key", "list", *form).out
        assert all(key["id"] in shown for key in made)
        assert not [key for key in made if key["key"].partition(".")[2] in shown]
    rows = json.loads(run("key", "list", "bob@EXAMPLE.com", "--json").out)
    assert [(row["id"], row["email"], row["name"]) for row in rows] == [(made[1]["id"], BOB, "script")]
    assert run("key", "list", ANN).out == f"{made[0]['id']}  {ANN}  script  read  used never  expires never\n"


def test_an_empty_list_of_keys_says_how_to_make_one(run: Run) -> None:
    assert run("key", "list").out == "there are no keys: `sparks key add` makes one\n"


@pytest.mark.parametrize("what", ["id", "key"])
def test_a_revoked_key_is_not_valid_any_more(run: Run, what: str) -> None:
    made = add(run, BOB)
    kept = add(run, BOB)
    assert run("key", "revoke", made[what]) == (0, "revoked the key script of bob@example.com\n", "")
    assert [row["id"] for row in json.loads(run("key", "list", "--json").out)] == [kept["id"]]
    ended = run("key", "revoke", made[what])
    assert ended == (1, "", "sparks: there is no key with this id: `sparks key list` shows all\n")


def test_with_json_the_revoked_key_is_printed(run: Run) -> None:
    made = add(run, BOB)
    assert json.loads(run("key", "revoke", made["id"], "--json").out)["id"] == made["id"]


@pytest.mark.parametrize("key_id", ["", "a b", "a#b", "\udcff", "x" * 65])
def test_an_invalid_key_id_is_a_usage_error(run: Run, key_id: str) -> None:
    assert run("key", "revoke", key_id).code == 2


def test_keys_are_in_the_audit_log_without_their_secrets(run: Run, data: Path) -> None:
    made = add(run, BOB)
    run("key", "revoke", made["id"])
    trail = audit_trail(data)[2:]
    assert [(entry.who, entry.action, entry.target, dict(entry.details)) for entry in trail] == [
        (COMMAND_LINE, "key-made", BOB, {"key": made["id"], "name": "script"}),
        (COMMAND_LINE, "key-revoked", BOB, {"key": made["id"], "name": "script"}),
    ]


def test_a_running_server_without_an_administrator_accepts_a_key_made_on_the_command_line(
    sparks: Running, run: Run
) -> None:
    here = ["--data", str(sparks.data)]
    assert run("user", "add", BOB, "--no-password", *here).code == 0
    made = add(run, BOB, *here)

    def status() -> int:
        header = {"Authorization": f"Bearer {made['key']}"}
        return httpx.get(f"{sparks.url}/api/me/limit", headers=header).status_code

    assert status() == 200
    assert run("key", "revoke", made["id"], *here).code == 0
    assert status() == 401
    assert httpx.get(f"{sparks.url}/api/about").json()["setup"] is True
