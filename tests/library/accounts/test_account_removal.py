"""Removal of an account: closed once for all requests, and erased by the removal that closed it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sparks.library import keys
from sparks.library.accounts.identities import link_identity
from sparks.library.accounts.lifecycle import (
    begin_removal,
    closed_user,
    finish_removal,
    while_account_closing,
    while_account_open,
)
from sparks.library.accounts.users import change_role, find_identity, find_user_and_password, get_user
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.account import Role
from sparks.model.errors import AlreadyThere, ConditionFailed, Conflict, NotFound
from sparks.table.port import Put, Table
from tests.account_makers import an_account, at_once, everything
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, NOON
from tests.library.tables import Meddled, a_reservation

ISSUER = "https://id.example.com"
NOTE = Put({"PK": "x", "SK": "x"})
LATER = NOON + timedelta(hours=1)


@pytest.fixture(params=["sqlite", "dynamodb-local"])
def own_table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """Empty, on a server too: administrators are counted for a whole table."""
    with open_table(request.param, tmp_path) as table:
        yield table


def test_a_closed_account_has_no_password_and_no_limit(table: Table) -> None:
    an_account(table)
    begin_removal(ANN, also=(NOTE,), at=NOON, table=table)
    assert find_user_and_password(ANN, table=table) == (None, None)
    assert table.get(keys.upload_limit(ANN)) is None
    user = closed_user(ANN, table=table)
    assert user is not None
    assert (user.removed_at, user.session_epoch) == (NOON, 1)


def test_closing_again_changes_nothing(table: Table) -> None:
    an_account(table)
    begin_removal(ANN, at=NOON, table=table)
    before = everything(table)
    begin_removal(ANN, also=(NOTE,), at=LATER, table=table)
    assert everything(table) == before


def test_the_second_of_two_concurrent_removals_finds_the_account_closed(table: Table) -> None:
    an_account(table)
    begin_removal(ANN, at=LATER, table=Meddled(table, lambda: begin_removal(ANN, at=NOON, table=table)))
    user = closed_user(ANN, table=table)
    assert user is not None
    assert (user.removed_at, user.session_epoch) == (NOON, 1)


def test_closing_a_missing_account_is_not_found(table: Table) -> None:
    with pytest.raises(NotFound):
        begin_removal(ANN, table=table)
    assert closed_user(ANN, table=table) is None


def test_a_role_that_changes_at_the_same_moment_is_counted(table: Table) -> None:
    an_account(table, BOB, role=Role.ADMIN)
    an_account(table)
    begin_removal(ANN, table=Meddled(table, lambda: change_role(ANN, Role.ADMIN, table=table)))
    item = table.get(keys.ADMINISTRATORS)
    assert item is not None
    assert item["count"] == 1
    with pytest.raises(Conflict, match="last administrator"):
        begin_removal(BOB, table=table)


def test_an_address_is_free_again_when_its_account_is_erased(table: Table) -> None:
    an_account(table)
    link_identity(ANN, ISSUER, "sub", table=table)
    begin_removal(ANN, table=table)
    with pytest.raises(AlreadyThere, match="is being removed"):
        an_account(table)
    finish_removal(ANN, also=(NOTE,), table=table)
    assert everything(table) == [NOTE.item]
    assert find_identity(ISSUER, "sub", table=table) is None
    an_account(table, username="another Ann")
    assert get_user(ANN, table=table).username == "another Ann"


def test_an_account_that_is_not_closed_is_not_erased(table: Table) -> None:
    an_account(table)
    before = everything(table)
    finish_removal(ANN, also=(NOTE,), table=table)
    finish_removal(BOB, also=(NOTE,), table=table)
    assert everything(table) == before


def test_the_next_account_of_an_address_is_not_erased_by_who_was_held_up(table: Table) -> None:
    an_account(table)
    link_identity(ANN, ISSUER, "sub", table=table)
    begin_removal(ANN, at=NOON, table=table)
    then: list[object] = []

    def finish_and_begin_anew() -> None:
        finish_removal(ANN, table=table)
        an_account(table)
        link_identity(ANN, ISSUER, "sub", table=table)
        then.extend(everything(table))

    with pytest.raises(ConditionFailed):
        finish_removal(ANN, table=Meddled(table, finish_and_begin_anew))
    assert everything(table) == then


def test_writes_of_a_removal_succeed_only_while_it_is_under_way(table: Table) -> None:
    user = an_account(table)
    table.write(NOTE, while_account_open(user))
    begin_removal(ANN, at=NOON, table=table)
    closed = closed_user(ANN, table=table)
    assert closed is not None
    table.write(NOTE, while_account_closing(closed))
    for guard in (
        while_account_open(user),
        while_account_closing(user),
        while_account_closing(replace(closed, removed_at=LATER)),
    ):
        with pytest.raises(ConditionFailed):
            table.write(NOTE, guard)
    finish_removal(ANN, table=table)
    an_account(table)
    for guard in (while_account_open(user), while_account_closing(closed)):
        with pytest.raises(ConditionFailed):
            table.write(NOTE, guard)


def test_nothing_is_reserved_once_an_account_is_closed(table: Table) -> None:
    an_account(table)
    photo = a_reservation(ANN)
    with pytest.raises(NotFound):
        reserve_photo(photo, table=Meddled(table, lambda: begin_removal(ANN, table=table)))
    assert [item for item in everything(table) if item["PK"] == photo.image_id] == []


# -- At once


def test_two_last_administrators_who_demote_each_other_leave_one(own_table: Table) -> None:
    for email in (ANN, BOB):
        an_account(own_table, email, with_password=False, role=Role.ADMIN)
    for _ in range(3):
        results = at_once(
            lambda: change_role(ANN, Role.MEMBER, table=own_table),
            lambda: change_role(BOB, Role.MEMBER, table=own_table),
        )
        assert sorted(type(result).__name__ for result in results) == ["Conflict", "User"]
        [demoted] = [email for email in (ANN, BOB) if get_user(email, table=own_table).role is Role.MEMBER]
        change_role(demoted, Role.ADMIN, table=own_table)


def test_one_of_the_last_two_administrators_cannot_be_removed(own_table: Table) -> None:
    for email in (ANN, BOB):
        an_account(own_table, email, with_password=False, role=Role.ADMIN)
    results = at_once(
        lambda: begin_removal(ANN, table=own_table),
        lambda: change_role(BOB, Role.MEMBER, table=own_table),
        lambda: begin_removal(BOB, table=own_table),
        lambda: change_role(ANN, Role.MEMBER, table=own_table),
    )
    users = [user for email in (ANN, BOB) if (user := find_user_and_password(email, table=own_table)[0]) is not None]
    assert [user.role for user in users].count(Role.ADMIN) == 1
    item = own_table.get(keys.ADMINISTRATORS)
    assert item is not None
    assert item["count"] == 1
    assert any(isinstance(result, Conflict) for result in results)
