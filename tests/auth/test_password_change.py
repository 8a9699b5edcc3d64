"""Changing one's own password: with the old one, and not after an administrator reset it."""

import pytest

from sparks.auth.passwords import MISSING_OLD, WRONG_OLD, change_own_password, hash_password, verify_password
from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.library.accounts.lifecycle import create_user
from sparks.library.accounts.users import end_all_sessions, find_user_and_password, get_user, set_password
from sparks.library.audit import page_of_entries
from sparks.model.account import User
from sparks.model.errors import BadInput, Conflict, NotAllowed, TooManyTries
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import PASSWORD, everything
from tests.factories import ANN, NOON, a_user
from tests.library.tables import Meddled

NEW = "another horse entirely"

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def user(table: MemoryTable) -> User:
    create_user(a_user(), photos=1, bytes=1, password_hash=hash_password(PASSWORD), table=table)
    return a_user()


def change(
    user: User, table: Table, *, old: str | None = PASSWORD, new: str = NEW, rates: RateLimiter | None = None
) -> User:
    return change_own_password(user, old=old, new=new, rate_limiter=rates or RateLimiter(), at=NOON, table=table)


def fits(password: str, table: Table) -> bool:
    _, kept = find_user_and_password(ANN, table=table)
    return kept is not None and verify_password(password, kept.password_hash)


def test_the_old_password_changes_the_password_and_ends_every_session(user: User, table: MemoryTable) -> None:
    assert change(user, table) == get_user(ANN, table=table)
    assert get_user(ANN, table=table).session_epoch == user.session_epoch + 1
    assert (fits(NEW, table), fits(PASSWORD, table)) == (True, False)
    [entry], _ = page_of_entries("2025-08", limit=10, after=None, table=table)
    assert (entry.who, entry.action) == (ANN, "password-changed")


@pytest.mark.parametrize(("old", "reason"), [(None, MISSING_OLD), ("wrong horse battery", WRONG_OLD), ("", WRONG_OLD)])
def test_without_the_old_password_the_password_stays(
    user: User, table: MemoryTable, old: str | None, reason: str
) -> None:
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


def test_guesses_of_the_old_password_are_limited(user: User, table: MemoryTable) -> None:
    rates = RateLimiter()
    for _ in range(RateLimit.OLD_PASSWORD.item.amount):
        with pytest.raises(NotAllowed):
            change(user, table, old="wrong horse battery", rates=rates)
    with pytest.raises(TooManyTries):
        change(user, table, rates=rates)
    rates.check(RateLimit.ACCOUNT, ANN)  # the front door is another one


def test_the_right_old_password_resets_the_limit(user: User, table: MemoryTable) -> None:
    rates = RateLimiter()
    for _ in range(2):
        for _ in range(RateLimit.OLD_PASSWORD.item.amount - 1):
            with pytest.raises(NotAllowed):
                change(user, table, old="wrong horse battery", rates=rates)
        user = change(user, table, new=PASSWORD, rates=rates)


def test_a_password_that_was_reset_meanwhile_stays_reset(user: User, table: MemoryTable) -> None:
    reset = hash_password("reset by an administrator")
    with pytest.raises(Conflict):
        change(user, Meddled(table, lambda: set_password(ANN, reset, table=table)))
    assert fits("reset by an administrator", table)


def test_a_session_that_was_ended_meanwhile_cannot_change_the_password(user: User, table: MemoryTable) -> None:
    with pytest.raises(Conflict):
        change(user, Meddled(table, lambda: end_all_sessions(ANN, table=table)))
    assert fits(PASSWORD, table)
