"""Addresses that an operator gives, and users whose own are ambiguous."""

from pathlib import Path

import pytest

from sparks.migrate.addresses import Addresses, ambiguous_users, read_addresses
from sparks.model.errors import BadInput
from sparks.table.memory import MemoryTable

ANN = "7f0c1a2b-0000-4000-8000-000000000001"
BOB = "7f0c1a2b-0000-4000-8000-000000000002"
CARL = "7f0c1a2b-0000-4000-8000-000000000003"


def csv_file(folder: Path, text: str) -> Path:
    file = folder / "accounts.csv"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "text",
    [
        f"user_id,email\n{ANN},Ann@Example.com\n",
        f"\ufeffuser_id,email\r\n{ANN.upper()}, ann@example.com \r\n\r\n",
        f'user_id,email\n"{ANN}","ann@example.com"',
    ],
    ids=["plain", "from a spreadsheet", "quoted"],
)
def test_a_file_gives_addresses_by_user(tmp_path: Path, text: str) -> None:
    assert read_addresses(csv_file(tmp_path, text)) == {ANN: "ann@example.com"}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["user_id,email", "x,ann@example.com"], "line 2"),
        (["user_id,email", f"{ANN},no address"], "line 2"),
        (["user_id,email", f"{ANN},ann@example.com", f"{ANN},other@example.com"], "line 3"),
        (["user_id,email", f"{ANN},ann@example.com", f"{BOB},ANN@example.com"], "line 3"),
        (["user_id,email", f"{ANN},ann@example.com,more"], "line 2"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, lines: list[str], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        read_addresses(csv_file(tmp_path, "\n".join(lines)))


def test_a_file_that_is_missing_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone\.csv"):
        read_addresses(tmp_path / "gone.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match=r"bytes\.csv"):
        read_addresses(tmp_path / "bytes.csv")


def test_given_addresses_are_kept_and_replaced() -> None:
    addresses = Addresses(MemoryTable())
    addresses.store({f"{number:08}-0000-4000-8000-000000000000": f"u{number}@example.com" for number in range(120)})
    addresses.store({ANN: "ann@example.com"})
    addresses.store({ANN: "other@example.com"})
    assert addresses.of([ANN, BOB]) == {ANN: "other@example.com"}
    assert len(addresses.of(f"{number:08}-0000-4000-8000-000000000000" for number in range(120))) == 120


def ambiguous(emails: dict[str, str | None], given: dict[str, str] | None = None) -> frozenset[str]:
    rows = [{"id": user, "email": email} for user, email in emails.items()]
    held = given or {}
    return ambiguous_users(lambda: rows, lambda users: {user: held[user] for user in users if user in held})


def test_users_whose_addresses_differ_only_by_case_are_ambiguous() -> None:
    emails: dict[str, str | None] = {ANN: "ann@example.com", BOB: "Ann@Example.COM", CARL: "carl@example.com"}
    assert ambiguous(emails) == {ANN, BOB}


def test_users_without_an_address_share_none() -> None:
    assert ambiguous({ANN: None, BOB: None, CARL: ""}) == frozenset()


def test_users_are_ambiguous_until_each_of_them_was_given_an_address() -> None:
    emails: dict[str, str | None] = {ANN: "ann@example.com", BOB: "Ann@Example.COM"}
    assert ambiguous(emails, {ANN: "ann@example.com"}) == {ANN, BOB}
    assert ambiguous(emails, {ANN: "ann@example.com", BOB: "bob@example.com"}) == frozenset()
