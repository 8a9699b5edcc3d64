"""Addresses that an operator gave for users whose own cannot be an account's."""

import csv
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Final

from sparks.library import keys
from sparks.migrate.records import Row
from sparks.model.account import account_email
from sparks.model.errors import BadInput
from sparks.model.ids import is_uuid
from sparks.table.port import Put, Table

HEADER: Final = ["user_id", "email"]
BATCH: Final = 50


class Addresses:
    """The given addresses as the target keeps them."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def of(self, user_ids: Iterable[str]) -> dict[str, str]:
        found = self._table.get_many([keys.migration_address(each) for each in user_ids])
        return {key.sk: item["email"] for key, item in found.items()}

    def store(self, given: Mapping[str, str]) -> None:
        rows = iter(given.items())
        while some := list(islice(rows, BATCH)):
            self._table.write(*(_row(user_id, email) for user_id, email in some))


def _row(user_id: str, email: str) -> Put:
    pk, sk = keys.migration_address(user_id)
    return Put({"PK": pk, "SK": sk, "email": email})


def read_addresses(file: Path, *, any_id: bool = False) -> dict[str, str]:
    """The addresses in a CSV file with the columns user_id and email, by user id; its first line may name the columns.
    BadInput, with the line, for one that is not such a file, names a user twice, or gives one address to two users. The
    ids are UUIDs, or with `any_id` any text.
    """
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            return _checked(csv.reader(lines), file, any_id=any_id)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{file} cannot be read as CSV: {error}") from error


def _checked(rows: Iterator[list[str]], file: Path, *, any_id: bool) -> dict[str, str]:
    given: dict[str, str] = {}
    users: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if not row or (number == 1 and row == HEADER):
            continue
        user, email = _pair(row, f"line {number} of {file}", any_id=any_id)
        if user in given or email in users:
            raise BadInput(f"line {number} of {file} repeats a user or an address: each stands once")
        given[user], users[email] = email, user
    return given


def _pair(row: list[str], where: str, *, any_id: bool) -> tuple[str, str]:
    user = row[0].strip()
    user = user.lower() if is_uuid(user.lower()) else user
    if len(row) != len(HEADER) or not user or not (any_id or is_uuid(user)):
        raise BadInput(f"{where} is not a user's id and an address, such as 7f0c...,ann@example.com")
    try:
        return user, account_email(row[1])
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from error


def ambiguous_users(
    read_users: Callable[[], Iterable[Row]], given: Callable[[list[str]], Mapping[str, str]]
) -> frozenset[str]:
    """The users whose addresses differ only by the case of letters, unless each of them was given another.

    [Note: many users] All users are read twice: first, only a hash of each address is kept, eight bytes each; then
    those whose hash came twice are compared.
    """
    hashes = sorted(array("Q", (_hash(address) for _, address in _addresses(read_users()))))
    repeated = {one for one, other in pairwise(hashes) if one == other}
    if not repeated:
        return frozenset()
    groups: dict[str, list[str]] = {}
    for user_id, address in _addresses(read_users()):
        if _hash(address) in repeated:
            groups.setdefault(address, []).append(user_id)
    shared = [users for users in groups.values() if len(users) > 1 and len(given(users)) < len(users)]
    return frozenset(chain.from_iterable(shared))


def _addresses(users: Iterable[Row]) -> Iterator[tuple[str, str]]:
    for row in users:
        try:
            yield row["id"], account_email(row.get("email") or "")
        except BadInput:
            continue  # a user without an address shares none


def _hash(address: str) -> int:
    return int.from_bytes(blake2b(address.encode(), digest_size=8).digest())
