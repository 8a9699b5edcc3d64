"""The first administrator: one, by the token that was printed."""

import pytest

from sparks.auth.registration import Allowance, Newcomer
from sparks.auth.setup import DONE, WRONG, SetupToken, set_up
from sparks.library.accounts import all_users, begin_removal, has_administrator
from sparks.library.audit import page_of_entries
from sparks.model.account import Role, User
from sparks.model.errors import AlreadyThere, Conflict, NotAllowed, NotFound
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.accounts import an_account, at_once, everything
from tests.factories import ANN, BOB, NOON
from tests.library.tables import Meddled

TOKEN = SetupToken()


def begin(table: Table, email: str = ANN, *, token: str = TOKEN.text, expected: SetupToken | None = TOKEN) -> User:
    return set_up(
        Newcomer.called(email, None),
        token,
        expected=expected,
        allowance=Allowance(photos=500, bytes=1000),
        at=NOON,
        table=table,
    )


def test_the_token_makes_the_first_administrator(table: MemoryTable) -> None:
    assert begin(table).role is Role.ADMIN
    assert has_administrator(table=table)
    [entry], _ = page_of_entries("2025-08", limit=10, after=None, table=table)
    assert (entry.action, entry.who) == ("set-up", ANN)


def test_another_token_makes_nobody(table: MemoryTable) -> None:
    for token in ("", "x", TOKEN.text[:-1], f"{TOKEN.text}x", TOKEN.text.upper(), "\ud800", "\u00e9"):
        with pytest.raises(NotAllowed) as refused:
            begin(table, token=token)
        assert str(refused.value) == WRONG
    assert everything(table) == []


def test_tokens_are_long_and_never_the_same_and_not_printed() -> None:
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
        assert str(refused.value) == DONE


def test_without_a_token_nobody_sets_up(table: MemoryTable) -> None:
    with pytest.raises(NotFound):
        begin(table, token="", expected=None)


def test_accounts_from_before_do_not_stand_in_the_way(table: MemoryTable) -> None:
    an_account(table, BOB, with_password=False)
    with pytest.raises(AlreadyThere):
        begin(table, BOB)
    begin(table)


def test_whoever_comes_second_at_the_same_moment_finds_it_set_up(table: MemoryTable) -> None:
    with pytest.raises(NotFound) as refused:
        begin(Meddled(table, lambda: begin(table, BOB)))
    assert str(refused.value) == DONE
    assert [user.email for user in all_users(table=table)] == [BOB]


def test_the_place_of_the_first_administrator_is_taken_for_good(table: MemoryTable) -> None:
    begin(table)
    with pytest.raises(Conflict, match="last administrator"):
        begin_removal(ANN, table=table)


def test_of_many_at_once_one_is_the_first_administrator(raced: Table) -> None:
    emails = [f"user{number}@example.com" for number in range(6)]
    results = at_once(*[lambda email=email: begin(raced, email) for email in [*emails, emails[0]]])
    [winner] = [result for result in results if isinstance(result, User)]
    assert list(all_users(table=raced)) == [winner]
    assert {type(result) for result in results} <= {User, NotFound, AlreadyThere}
