"""`sparks secrets`, and the file behind it."""

import json
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sparks.model.errors import BadSetting, Damaged
from sparks.secret_file import SecretFile, SigningKeys
from tests.cli.conftest import Run


@pytest.fixture
def path(data: Path) -> Path:
    return data / "secrets.json"


def age(path: Path, key: str, days: int) -> None:
    """Makes a key older than it is."""
    content = json.loads(path.read_text())
    content["keys"][key]["made"] = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    path.write_text(json.dumps(content))


def test_the_secrets_file_is_created_at_first_use_and_readable_by_its_owner_only(path: Path) -> None:
    SecretFile(path).read()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_reading_the_secrets_file_again_gives_the_same_keys(path: Path) -> None:
    assert SecretFile(path).read() == SecretFile(path).read()


def test_processes_that_create_the_secrets_file_at_once_agree_on_one_key(path: Path) -> None:
    found: list[SigningKeys] = []
    start = threading.Barrier(8)

    def read() -> None:
        start.wait()
        found.append(SecretFile(path).read())

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({keys.current for keys in found}) == 1
    assert [each.name for each in path.parent.iterdir()] == ["secrets.json"]


def test_rotations_at_once_lose_no_key(path: Path) -> None:
    threads = [threading.Thread(target=SecretFile(path).rotate) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(SecretFile(path).read().keys) == 9


def test_a_secrets_file_that_others_may_read_is_refused_with_what_to_do(path: Path) -> None:
    SecretFile(path).read()
    path.chmod(0o640)
    with pytest.raises(BadSetting, match=f"its mode is 640.*chmod 600 {path}"):
        SecretFile(path).read()


@pytest.mark.parametrize("content", ["", "{}", '{"current": "a", "keys": {}}', '{"current": "a", "keys": {"a": "b"}}'])
def test_a_damaged_secrets_file_is_refused_and_not_changed(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.touch(mode=0o600)
    path.write_text(content)
    with pytest.raises(Damaged, match="restore it from a backup"):
        SecretFile(path).read()
    assert path.read_text() == content


def test_a_killed_writer_does_not_block_the_next_one(path: Path) -> None:
    SecretFile(path).read()
    path.with_name("secrets.json.new").write_text("half a f")
    assert len(SecretFile(path).rotate().keys) == 2


def test_the_list_shows_ids_and_ages_and_no_secret(run: Run, path: Path) -> None:
    SecretFile(path).read()
    rows = json.loads(run("secrets", "list", "--json").out)
    assert [(row["days"], row["current"]) for row in rows] == [(0, True)]
    content = json.loads(path.read_text())["keys"]
    for form in ([], ["--json"]):
        shown = run("secrets", "list", *form).out
        assert rows[0]["id"] in shown
        assert content[rows[0]["id"]]["secret"] not in shown


def test_a_rotation_makes_a_new_key_and_keeps_the_old_one(run: Run, path: Path) -> None:
    old = SecretFile(path).read().current
    ended = run("secrets", "rotate", "--json")
    rows = {row["id"]: row["current"] for row in json.loads(ended.out)}
    assert len(rows) == 2
    assert not rows[old]
    assert "restart" in ended.err


def test_a_rotation_deletes_the_keys_that_are_older_than_asked(run: Run, path: Path) -> None:
    first = SecretFile(path).read().current
    second = SecretFile(path).rotate().current
    age(path, first, days=31)
    age(path, second, days=29)
    rows = json.loads(run("secrets", "rotate", "--drop-older-than", "30", "--json").out)
    ids = [row["id"] for row in rows]
    assert (first in ids, second in ids, len(ids)) == (False, True, 2)
    assert [row["current"] for row in rows] == [False, True]


def test_a_rotation_keeps_the_key_that_has_signed_until_now_however_old(path: Path) -> None:
    old = SecretFile(path).read().current
    age(path, old, days=400)
    assert old in SecretFile(path).rotate(keep=timedelta(days=30)).keys


@pytest.mark.parametrize("days", ["nan", "inf", "-1"])
def test_an_invalid_number_of_days_is_a_usage_error(run: Run, path: Path, days: str) -> None:
    SecretFile(path).read()
    assert run("secrets", "rotate", "--drop-older-than", days).code == 2
    assert len(SecretFile(path).read().keys) == 1
