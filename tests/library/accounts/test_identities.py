"""Identities: each belongs to one account, and an account may have several."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from sparks.library import keys
from sparks.library.accounts.identities import identity_name, identity_of, link_identity, unlink_identity
from sparks.library.accounts.lifecycle import begin_removal, while_account_open
from sparks.library.accounts.users import find_identity, find_user_and_password, get_user
from sparks.model.account import Identity, Role
from sparks.model.errors import AlreadyThere, ConditionFailed, Conflict, NotFound
from sparks.table.port import Check, Present, Put, Table
from tests.account_makers import an_account, at_once, everything
from tests.factories import ANN, BOB
from tests.library.tables import Meddled
from tests.strategies import values_of

ISSUER = "https://id.example.com"
NAME = f"{ISSUER}#sub"
NOTE = Put({"PK": "x", "SK": "x"})
NEVER = Check(keys.user("nobody@example.com"), (Present(),))


@given(values_of(Identity))
def test_an_identity_can_be_read_from_its_name(identity: Identity) -> None:
    assert identity_of(identity_name(identity), identity.email) == replace(identity, extra={})


def test_an_identity_is_linked_once(table: Table) -> None:
    an_account(table)
    user = link_identity(ANN, ISSUER, "sub", also=(NOTE,), table=table)
    assert user == get_user(ANN, table=table)
    assert user.identities == (NAME,)
    assert find_identity(ISSUER, "sub", table=table) == Identity(iss=ISSUER, sub="sub", email=ANN)
    before = everything(table)
    assert link_identity(ANN, ISSUER, "sub", also=(NEVER,), table=table) == user
    assert everything(table) == before


def test_an_account_has_several_identities_and_loses_one_of_them(table: Table) -> None:
    an_account(table)
    for sub in ("a", "b#c", "d"):
        link_identity(ANN, ISSUER, sub, table=table)
    user = unlink_identity(ANN, f"{ISSUER}#b#c", also=(NOTE,), table=table)
    assert user == get_user(ANN, table=table)
    assert user.identities == (f"{ISSUER}#a", f"{ISSUER}#d")
    assert find_identity(ISSUER, "b#c", table=table) is None
    assert link_identity(ANN, ISSUER, "b#c", table=table).identities[-1] == f"{ISSUER}#b#c"


def test_an_identity_of_another_user_is_neither_linked_nor_unlinked(table: Table) -> None:
    an_account(table)
    an_account(table, BOB)
    link_identity(ANN, ISSUER, "sub", table=table)
    before = everything(table)
    with pytest.raises(AlreadyThere, match="belongs to another account"):
        link_identity(BOB, ISSUER, "sub", also=(NOTE,), table=table)
    unlink_identity(BOB, NAME, also=(NOTE,), table=table)
    assert everything(table) == before


def test_the_last_identity_leaves_no_list_behind(table: Table) -> None:
    an_account(table)
    before = everything(table)
    link_identity(ANN, ISSUER, "sub", table=table)
    unlink_identity(ANN, NAME, table=table)
    assert everything(table) == before


@pytest.mark.parametrize(
    "act",
    [
        lambda table: link_identity(ANN, ISSUER, "new", table=table),
        lambda table: unlink_identity(ANN, NAME, table=table),
    ],
)
def test_an_account_that_is_closed_meanwhile_is_left_alone(table: Table, act: Callable[[Table], None]) -> None:
    an_account(table)
    link_identity(ANN, ISSUER, "sub", table=table)
    with pytest.raises(NotFound):
        act(Meddled(table, lambda: begin_removal(ANN, table=table)))
    assert find_identity(ISSUER, "new", table=table) is None
    assert find_identity(ISSUER, "sub", table=table) is not None


def test_a_failing_additional_change_is_reported(table: Table) -> None:
    an_account(table)
    link_identity(ANN, ISSUER, "sub", table=table)
    with pytest.raises(ConditionFailed) as failed:
        link_identity(ANN, ISSUER, "new", also=(NOTE, NEVER), table=table)
    assert failed.value.position == 1
    with pytest.raises(Conflict, match="meanwhile") as refused:
        unlink_identity(ANN, NAME, also=(NEVER,), table=table)
    assert refused.type is Conflict
    assert get_user(ANN, table=table).identities == (NAME,)


def test_an_identity_that_is_linked_alone_is_the_only_way_in(table: Table) -> None:
    before = an_account(table, role=Role.ADMIN)
    an_account(table, BOB)
    for sub in ("first", "second"):
        link_identity(ANN, ISSUER, sub, table=table)
    user = link_identity(ANN, ISSUER, "sub", alone=True, also=(NOTE,), table=table)
    assert (user, user.identities) == (get_user(ANN, table=table), (NAME,))
    assert [find_identity(ISSUER, sub, table=table) for sub in ("first", "second")] == [None, None]
    assert find_user_and_password(ANN, table=table)[1] is None
    assert find_user_and_password(BOB, table=table)[1] is not None
    with pytest.raises(ConditionFailed):
        table.write(NOTE, while_account_open(before))
    assert link_identity(ANN, ISSUER, "sub", alone=True, also=(NEVER,), table=table) == user


# -- At once


def test_one_identity_is_linked_to_one_of_many_accounts(sqlite: Table) -> None:
    emails = [f"user{number}@example.com" for number in range(6)]
    for email in emails:
        an_account(sqlite, email, with_password=False)
    results = at_once(
        *[lambda email=email: link_identity(email, ISSUER, "sub", table=sqlite).email for email in emails]
    )
    [winner] = [result for result in results if isinstance(result, str)]
    assert [type(result) for result in results].count(AlreadyThere) == 5
    identity = find_identity(ISSUER, "sub", table=sqlite)
    assert identity is not None
    assert identity.email == winner
    assert [email for email in emails if get_user(email, table=sqlite).identities] == [winner]


def test_many_links_and_unlinks_at_once_are_all_made(sqlite: Table) -> None:
    an_account(sqlite)
    link_identity(ANN, ISSUER, "old", table=sqlite)
    at_once(
        lambda: unlink_identity(ANN, f"{ISSUER}#old", table=sqlite),
        lambda: unlink_identity(ANN, f"{ISSUER}#old", table=sqlite),
        *[lambda sub=sub: link_identity(ANN, ISSUER, sub, table=sqlite) for sub in ("a", "a", "b", "b")],
    )
    assert sorted(get_user(ANN, table=sqlite).identities) == [f"{ISSUER}#a", f"{ISSUER}#b"]
    assert find_identity(ISSUER, "old", table=sqlite) is None
