"""Users: renamed, promoted and given passwords, also under concurrent changes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.accounts.lifecycle import begin_removal, create_user
from sparks.library.accounts.users import (
    all_users,
    change_password,
    change_role,
    end_all_sessions,
    find_user_and_password,
    get_user,
    rename_user,
    replace_hash,
    set_password,
)
from sparks.library.records import to_item
from sparks.model.account import Password, Role, User
from sparks.model.errors import ConditionFailed, Conflict, NotFound
from sparks.table.port import Check, Delete, Present, Put, Table
from tests.account_makers import an_account, at_once, everything
from tests.factories import ANN, BOB, a_user
from tests.library.tables import Meddled

THERE = Put({"PK": "x", "SK": "x"})
NEVER = Check(keys.user("nobody@example.com"), (Present(),))


def make(table: Table, user: User, **more: Any) -> None:
    create_user(user, photos=5, bytes=1000, table=table, **more)


def count_of_administrators(table: Table) -> int:
    return sum(user.role is Role.ADMIN for user in all_users(table=table))


# -- Changing


def test_a_user_is_renamed_and_keeps_all_else(table: Table) -> None:
    row = to_item(a_user()) | {"from elsewhere": "kept"}
    table.write(Put(row))
    assert rename_user(ANN, "Annie", table=table).username == "Annie"
    rename_user(ANN, "Annie", table=table)
    assert table.get(keys.user(ANN)) == row | {"username": "Annie"}


CHANGES: list[Callable[[Table], object]] = [
    lambda table: rename_user(ANN, "Annie", table=table),
    lambda table: change_role(ANN, Role.ADMIN, table=table),
    lambda table: set_password(ANN, "new", table=table),
    lambda table: change_password(ANN, "new", before=None, session_epoch=0, table=table),
    lambda table: end_all_sessions(ANN, table=table),
]


@pytest.mark.parametrize("change", CHANGES)
def test_changing_a_missing_user_is_not_found(table: Table, change: Callable[[Table], object]) -> None:
    with pytest.raises(NotFound):
        change(table)
    assert everything(table) == []


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "end", [lambda table: begin_removal(ANN, table=table), lambda table: table.write(Delete(keys.user(ANN)))]
)
def test_a_late_change_does_not_recreate_a_removed_user(
    table: Table, change: Callable[[Table], object], end: Callable[[Table], None]
) -> None:
    an_account(table, with_password=False)
    left: list[Any] = []

    def go() -> None:
        end(table)
        left.extend(everything(table))

    with pytest.raises(NotFound):
        change(Meddled(table, go))
    assert everything(table) == left


def test_an_imported_row_with_few_attributes_can_be_changed(table: Table) -> None:
    pk, sk = keys.user(ANN)
    table.write(Put({"PK": pk, "SK": sk, "entityType": "USER", "email": ANN, "username": "Ann"}))
    assert change_role(ANN, Role.ADMIN, table=table).role is Role.ADMIN
    assert set_password(ANN, "new", table=table).session_epoch == 1
    assert rename_user(ANN, "Annie", table=table).created_at is None
    make(table, a_user(BOB, role=Role.ADMIN))
    begin_removal(ANN, table=table)


@pytest.mark.parametrize("change", CHANGES)
def test_an_imported_row_that_is_deleted_meanwhile_stays_deleted(
    table: Table, change: Callable[[Table], object]
) -> None:
    pk, sk = keys.user(ANN)
    table.write(Put({"PK": pk, "SK": sk, "entityType": "USER", "email": ANN, "username": "Ann"}))
    with pytest.raises(NotFound):
        change(Meddled(table, lambda: table.write(Delete(keys.user(ANN)))))
    assert everything(table) == []


def test_a_role_is_changed_and_changed_back(table: Table) -> None:
    an_account(table, role=Role.ADMIN)
    an_account(table, BOB)
    assert change_role(BOB, Role.ADMIN, also=(THERE,), table=table).role is Role.ADMIN
    assert table.get(THERE.key) is not None
    assert change_role(ANN, Role.MEMBER, table=table) == get_user(ANN, table=table)
    assert count_of_administrators(table) == 1


def test_a_role_that_they_have_already_changes_nothing(table: Table) -> None:
    an_account(table, role=Role.ADMIN)
    before = everything(table)
    assert change_role(ANN, Role.ADMIN, also=(NEVER,), table=table).role is Role.ADMIN
    assert everything(table) == before


def test_the_last_administrator_stays(table: Table) -> None:
    an_account(table, role=Role.ADMIN)
    an_account(table, BOB)
    for refused in (lambda: change_role(ANN, Role.MEMBER, table=table), lambda: begin_removal(ANN, table=table)):
        with pytest.raises(Conflict, match="last administrator: make another user an administrator first"):
            refused()
    assert get_user(ANN, table=table).role is Role.ADMIN


def test_another_failing_change_is_not_reported_as_the_last_administrator(table: Table) -> None:
    an_account(table, role=Role.ADMIN)
    an_account(table, BOB, role=Role.ADMIN)
    for act in (
        lambda: change_role(ANN, Role.MEMBER, also=(THERE, NEVER), table=table),
        lambda: set_password(ANN, "new", also=(THERE, NEVER), table=table),
        lambda: begin_removal(ANN, also=(THERE, NEVER), table=table),
    ):
        with pytest.raises(ConditionFailed) as failed:
            act()
        assert failed.value.position == 1
    assert count_of_administrators(table) == 2


def test_a_role_change_that_loses_the_race_is_counted_once(table: Table) -> None:
    an_account(table, role=Role.ADMIN)
    an_account(table, BOB, role=Role.ADMIN)
    change_role(ANN, Role.MEMBER, table=Meddled(table, lambda: change_role(ANN, Role.MEMBER, table=table)))
    item = table.get(keys.ADMINISTRATORS)
    assert item is not None
    assert item["count"] == count_of_administrators(table) == 1


# -- Passwords


def test_a_new_password_ends_the_sessions_from_before(table: Table) -> None:
    an_account(table)
    user = set_password(ANN, "new", table=table)
    assert (user.session_epoch, user) == (1, get_user(ANN, table=table))
    assert find_user_and_password(ANN, table=table)[1] == Password(email=ANN, password_hash="new")


def test_two_new_passwords_at_once_are_two_epochs(table: Table) -> None:
    """So that the session which the first one opens is over when the second one is set."""
    an_account(table)
    first = set_password(ANN, "one", table=Meddled(table, lambda: set_password(ANN, "two", table=table)))
    assert first.session_epoch == 2
    found = at_once(*[lambda: set_password(ANN, "three", table=table).session_epoch] * 4)
    assert sorted(found) == [3, 4, 5, 6]


def test_an_old_password_cannot_undo_a_reset(table: Table) -> None:
    an_account(table)
    _, old = find_user_and_password(ANN, table=table)
    assert change_password(ANN, "mine", before=old, session_epoch=0, table=table).session_epoch == 1
    _, mine = find_user_and_password(ANN, table=table)
    reset = Meddled(table, lambda: set_password(ANN, "reset", table=table))
    with pytest.raises(Conflict, match="changed by another request meanwhile"):
        change_password(ANN, "mine again", before=mine, session_epoch=1, table=reset)
    for before in (old, mine, None):
        with pytest.raises(Conflict):
            change_password(ANN, "mine again", before=before, session_epoch=2, table=table)
    assert find_user_and_password(ANN, table=table)[1] == Password(email=ANN, password_hash="reset")


def test_an_ended_session_cannot_change_the_password(table: Table) -> None:
    an_account(table)
    user, kept = find_user_and_password(ANN, table=table)
    assert user is not None
    end_all_sessions(ANN, table=table)
    with pytest.raises(Conflict):
        change_password(ANN, "mine", before=kept, session_epoch=user.session_epoch, table=table)
    assert find_user_and_password(ANN, table=table)[1] == kept


def test_a_first_password_needs_none_before(table: Table) -> None:
    an_account(table, with_password=False)
    change_password(ANN, "first", before=None, session_epoch=0, table=table)
    assert find_user_and_password(ANN, table=table)[1] == Password(email=ANN, password_hash="first")


def test_a_better_hash_replaces_the_one_that_was_checked_and_no_other(table: Table) -> None:
    an_account(table)
    _, kept = find_user_and_password(ANN, table=table)
    assert kept is not None
    replace_hash(kept, "better", table=table)
    replace_hash(kept, "later", table=table)
    user, now = find_user_and_password(ANN, table=table)
    assert now == replace(kept, password_hash="better")
    assert user is not None
    assert user.session_epoch == 0
    begin_removal(ANN, table=table)
    replace_hash(replace(kept, password_hash="better"), "late", table=table)
    assert table.get(keys.password(ANN)) is None


def test_no_hash_is_printed() -> None:
    assert "kept" not in repr(Password(email=ANN, password_hash="kept"))
