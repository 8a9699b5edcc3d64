"""Accounts: created as a whole, and found."""

from dataclasses import replace
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.accounts.lifecycle import begin_removal, create_user
from sparks.library.accounts.users import (
    all_users,
    find_identity,
    find_user,
    find_user_and_password,
    get_user,
    has_administrator,
    page_of_users,
)
from sparks.library.records import to_item
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.account import Identity, Password, Role, User
from sparks.model.errors import AlreadyThere, BadInput, ConditionFailed, Conflict, NotFound
from sparks.table.port import Check, Present, Put, Table
from tests.account_makers import an_account, at_once, everything
from tests.factories import ANN, BOB, NOON, a_user

ISSUER = "https://id.example.com"
IDENTITY = Identity(iss=ISSUER, sub="ann#1", email=ANN)
THERE = Put({"PK": "x", "SK": "x"})
NEVER = Check(keys.user("nobody@example.com"), (Present(),))


def make(table: Table, user: User, **more: Any) -> None:
    create_user(user, photos=5, bytes=1000, table=table, **more)


# -- Making


def test_an_account_is_made_whole(any_table: Table) -> None:
    email = f"whole-{id(any_table)}@example.com"
    identity = replace(IDENTITY, sub=email, email=email)
    make(any_table, a_user(email), password_hash="kept", identity=identity)
    user, password = find_user_and_password(email, table=any_table)
    assert user == a_user(email, identities=(f"{ISSUER}#{email}",))
    assert password == Password(email=email, password_hash="kept")
    assert find_identity(ISSUER, email, table=any_table) == identity
    limit = read_limit(email, table=any_table)
    assert (limit.photos_left, limit.photos_given, limit.bytes_left, limit.bytes_given) == (5, 5, 1000, 1000)


@pytest.mark.parametrize(
    ("before", "more", "error"),
    [
        (a_user(), {}, AlreadyThere("there is an account with this e-mail address already: sign in, or use another")),
        (a_user(removed_at=NOON), {}, AlreadyThere("the account that had this e-mail address is being removed")),
        (replace(IDENTITY, email=BOB), {"identity": IDENTITY}, AlreadyThere("this identity belongs to another")),
    ],
)
def test_an_account_with_a_taken_address_is_not_created_in_part(
    table: Table, before: User | Identity, more: dict[str, Any], error: AlreadyThere
) -> None:
    table.write(Put(to_item(before)))
    with pytest.raises(AlreadyThere, match=str(error)):
        make(table, a_user(role=Role.ADMIN), password_hash="kept", also=(THERE,), **more)
    assert everything(table) == [to_item(before)]


def test_a_failing_additional_change_is_reported_by_its_position(table: Table) -> None:
    with pytest.raises(ConditionFailed) as failed:
        make(table, a_user(role=Role.ADMIN), password_hash="kept", identity=IDENTITY, also=(THERE, NEVER))
    assert failed.value.position == 1
    assert everything(table) == []


def test_a_limit_out_of_range_makes_no_account(table: Table) -> None:
    with pytest.raises(BadInput):
        create_user(a_user(), photos=-1, bytes=0, table=table)
    assert everything(table) == []


def test_the_first_administrator_is_the_first(table: Table) -> None:
    assert not has_administrator(table=table)
    make(table, a_user(role=Role.ADMIN), first_administrator=True)
    assert has_administrator(table=table)
    with pytest.raises(Conflict, match="there is an administrator already") as refused:
        make(table, a_user(BOB, role=Role.ADMIN), first_administrator=True)
    assert refused.type is Conflict
    make(table, a_user(BOB, role=Role.ADMIN))
    assert table.get(keys.ADMINISTRATORS) == {"PK": "ADMINISTRATORS", "SK": "ADMINISTRATORS", "count": 2}


def test_a_member_leaves_the_place_of_the_first_administrator_free(table: Table) -> None:
    make(table, a_user())
    assert not has_administrator(table=table)


# -- Finding


def test_a_user_who_is_being_removed_is_not_found(table: Table) -> None:
    an_account(table)
    an_account(table, BOB)
    begin_removal(ANN, table=table)
    assert find_user(ANN, table=table) is None
    assert find_user_and_password(ANN, table=table) == (None, None)
    assert [user.email for user in all_users(table=table)] == [BOB]
    assert [user.email for user in page_of_users(limit=1, after=None, table=table)[0]] == [BOB]
    with pytest.raises(NotFound):
        get_user(ANN, table=table)


def test_pages_of_users_are_full_although_some_users_are_being_removed(table: Table) -> None:
    emails = [f"user{number}@example.com" for number in range(7)]
    for email in emails:
        an_account(table, email)
    for email in emails[0], emails[2], emails[3], emails[6]:
        begin_removal(email, table=table)
    first, after = page_of_users(limit=2, after=None, table=table)
    assert [user.email for user in first] == [emails[1], emails[4]]
    rest, after = page_of_users(limit=2, after=after, table=table)
    assert ([user.email for user in rest], after) == ([emails[5]], None)


# -- At once


def test_one_address_is_registered_once_however_many_try(sqlite: Table) -> None:
    def register(number: int) -> int:
        make(sqlite, a_user(username=f"Ann {number}", role=Role.ADMIN), password_hash=f"kept {number}")
        return number

    results = at_once(*[lambda number=number: register(number) for number in range(8)])
    [winner] = [result for result in results if isinstance(result, int)]
    assert [type(result) for result in results].count(AlreadyThere) == 7
    user, password = find_user_and_password(ANN, table=sqlite)
    assert user is not None
    assert password is not None
    assert (user.username, password.password_hash) == (f"Ann {winner}", f"kept {winner}")
    assert sqlite.get(keys.ADMINISTRATORS) == {"PK": "ADMINISTRATORS", "SK": "ADMINISTRATORS", "count": 1}
