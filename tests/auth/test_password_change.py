"""Changing one's own password: with the old one, and not behind the back of whoever reset it."""

import pytest

from sparks.auth.password_change import MISSING, WRONG, change_own_password
from sparks.auth.passwords import hash_password, password_fits
from sparks.auth.rates import Rate, Rates
from sparks.library.accounts import create_user, end_all_sessions, find_user_and_password, get_user, set_password
from sparks.library.audit import page_of_entries
from sparks.model.account import User
from sparks.model.errors import BadInput, Conflict, NotAllowed, TooManyTries
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.accounts import PASSWORD, everything
from tests.factories import ANN, NOON, a_user
from tests.library.tables import Meddled

NEW = "another horse entirely"

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def user(table: MemoryTable) -> User:
    create_user(a_user(), photos=1, bytes=1, password_hash=hash_password(PASSWORD), table=table)
    return a_user()


def change(user: User, table: Table, *, old: str | None = PASSWORD, new: str = NEW, rates: Rates | None = None) -> User:
    return change_own_password(user, old=old, new=new, rates=rates or Rates(), at=NOON, table=table)


def fits(password: str, table: Table) -> bool:
    _, kept = find_user_and_password(ANN, table=table)
    return kept is not None and password_fits(password, kept.password_hash)


def test_with_the_old_password_it_is_changed_and_every_session_is_over(user: User, table: MemoryTable) -> None:
    assert change(user, table) == get_user(ANN, table=table)
    assert get_user(ANN, table=table).session_epoch == user.session_epoch + 1
    assert (fits(NEW, table), fits(PASSWORD, table)) == (True, False)
    [entry], _ = page_of_entries("2025-08", limit=10, after=None, table=table)
    assert (entry.who, entry.action) == (ANN, "password-changed")


@pytest.mark.parametrize(("old", "reason"), [(None, MISSING), ("wrong horse battery", WRONG), ("", WRONG)])
def test_without_the_old_password_it_stays(user: User, table: MemoryTable, old: str | None, reason: str) -> None:
    before = everything(table)
    with pytest.raises(NotAllowed) as refused:
        change(user, table, old=old)
    assert str(refused.value) == reason
    assert everything(table) == before


def test_a_bad_new_password_is_refused(user: User, table: MemoryTable) -> None:
    with pytest.raises(BadInput, match="at least 10"):
        change(user, table, new="short")
    assert fits(PASSWORD, table)


def test_an_account_without_a_password_gets_its_first(table: MemoryTable) -> None:
    create_user(a_user(), photos=1, bytes=1, table=table)
    change(a_user(), table, old=None)
    assert fits(NEW, table)


def test_whoever_guesses_the_old_password_waits(user: User, table: MemoryTable) -> None:
    rates = Rates()
    for _ in range(Rate.OLD_PASSWORD.item.amount):
        with pytest.raises(NotAllowed):
            change(user, table, old="wrong horse battery", rates=rates)
    with pytest.raises(TooManyTries):
        change(user, table, rates=rates)
    rates.check(Rate.ACCOUNT, ANN)  # the front door is another one


def test_a_right_old_password_forgets_the_wrong_ones(user: User, table: MemoryTable) -> None:
    rates = Rates()
    for _ in range(2):
        for _ in range(Rate.OLD_PASSWORD.item.amount - 1):
            with pytest.raises(NotAllowed):
                change(user, table, old="wrong horse battery", rates=rates)
        user = change(user, table, new=PASSWORD, rates=rates)


def test_what_was_reset_meanwhile_stays_reset(user: User, table: MemoryTable) -> None:
    reset = hash_password("reset by an administrator")
    with pytest.raises(Conflict):
        change(user, Meddled(table, lambda: set_password(ANN, reset, table=table)))
    assert fits("reset by an administrator", table)


def test_a_session_that_was_ended_meanwhile_changes_nothing(user: User, table: MemoryTable) -> None:
    with pytest.raises(Conflict):
        change(user, Meddled(table, lambda: end_all_sessions(ANN, table=table)))
    assert fits(PASSWORD, table)
