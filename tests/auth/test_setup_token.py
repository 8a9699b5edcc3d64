"""The first administrator: created once, by the token that was printed."""

import pytest

from sparks.auth.account_creation import NewAccount, UploadAllowance
from sparks.auth.setup_token import ALREADY_SET_UP, WRONG_LINK, SetupToken, create_first_admin
from sparks.library.accounts.lifecycle import begin_removal
from sparks.library.accounts.users import all_users, has_administrator
from sparks.library.audit import page_of_entries
from sparks.model.account import Role, User
from sparks.model.errors import AlreadyThere, Conflict, NotAllowed, NotFound
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import an_account, at_once, everything
from tests.factories import ANN, BOB, NOON
from tests.library.tables import Meddled

TOKEN = SetupToken()


def begin(table: Table, email: str = ANN, *, token: str = TOKEN.text, expected: SetupToken | None = TOKEN) -> User:
    return create_first_admin(
        NewAccount.called(email, None),
        token,
        expected=expected,
        allowance=UploadAllowance(photos=500, bytes=1000),
        at=NOON,
        table=table,
    )


def test_the_token_creates_the_first_administrator(table: MemoryTable) -> None:
    assert begin(table).role is Role.ADMIN
    assert has_administrator(table=table)
    [entry], _ = page_of_entries("2025-08", limit=10, after=None, table=table)
    assert (entry.action, entry.who) == ("set-up", ANN)


def test_a_wrong_token_creates_no_account(table: MemoryTable) -> None:
    for token in ("", "x", TOKEN.text[:-1], f"{TOKEN.text}x", TOKEN.text.upper(), "\ud800", "\u00e9"):
        with pytest.raises(NotAllowed) as refused:
            begin(table, token=token)
        assert str(refused.value) == WRONG_LINK
    assert everything(table) == []


def test_tokens_are_long_and_unique_and_not_in_the_repr() -> None:
    texts = {SetupToken().text for _ in range(100)}
    assert len(texts) == 100
    assert min(map(len, texts)) == 43
    assert TOKEN.text not in repr(TOKEN)


@pytest.mark.parametrize("token", [TOKEN.text, "wrong"], ids=["right", "wrong"])
def test_once_there_is_an_administrator_there_is_nothing_to_set_up(table: MemoryTable, token: str) -> None:
    an_account(table, BOB, with_password=False, role=Role.ADMIN)
    for expected in (TOKEN, None):
        with pytest.raises(NotFound) as refused:
            begin(table, token=token, expected=expected)
        assert str(refused.value) == ALREADY_SET_UP


def test_without_a_token_no_administrator_is_created(table: MemoryTable) -> None:
    with pytest.raises(NotFound):
        begin(table, token="", expected=None)


def test_existing_members_do_not_prevent_the_set_up(table: MemoryTable) -> None:
    an_account(table, BOB, with_password=False)
    with pytest.raises(AlreadyThere):
        begin(table, BOB)
    begin(table)


def test_the_second_of_two_parallel_set_ups_finds_it_done(table: MemoryTable) -> None:
    with pytest.raises(NotFound) as refused:
        begin(Meddled(table, lambda: begin(table, BOB)))
    assert str(refused.value) == ALREADY_SET_UP
    assert [user.email for user in all_users(table=table)] == [BOB]


def test_the_first_administrator_can_be_created_only_once(table: MemoryTable) -> None:
    begin(table)
    with pytest.raises(Conflict, match="last administrator"):
        begin_removal(ANN, table=table)


def test_parallel_set_ups_create_one_administrator(raced: Table) -> None:
    emails = [f"user{number}@example.com" for number in range(6)]
    results = at_once(*[lambda email=email: begin(raced, email) for email in [*emails, emails[0]]])
    [winner] = [result for result in results if isinstance(result, User)]
    assert list(all_users(table=raced)) == [winner]
    assert {type(result) for result in results} <= {User, NotFound, AlreadyThere}
