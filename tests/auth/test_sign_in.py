"""Sign-in with a password: one answer and one amount of work for every failure."""

from typing import Any

import pytest
from argon2 import PasswordHasher

from sparks.auth import passwords
from sparks.auth.passwords import WRONG_CREDENTIALS, hash_password, needs_rehash, sign_in
from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.library.accounts.lifecycle import begin_removal, create_user
from sparks.library.accounts.users import find_user_and_password
from sparks.library.audit import page_of_entries
from sparks.model.account import User
from sparks.model.errors import NotSignedIn, TooManyTries
from sparks.model.system_records import AuditEntry
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Key, Table
from tests.account_makers import PASSWORD, an_account, everything
from tests.auth.password_hashes import CountingHasher
from tests.factories import ANN, BOB, NOON, a_user

ADDRESS = "192.0.2.1"


def enter(table: Table, email: str = ANN, password: str = PASSWORD, **more: Any) -> User:
    return sign_in(
        email, password, **{"address": ADDRESS, "rate_limiter": RateLimiter(), "at": NOON, **more}, table=table
    )


def audited(table: Table) -> list[AuditEntry]:
    return page_of_entries("2025-08", limit=500, after=None, table=table)[0]


def test_the_right_password_signs_in_however_the_address_is_written(table: MemoryTable, hasher: CountingHasher) -> None:
    user = an_account(table)
    assert enter(table, f" {ANN.upper()} ") == user
    assert hasher.count == 1
    assert audited(table) == []


FAILING = {
    "wrong password": (ANN, "wrong horse battery"),
    "unknown account": ("nobody@example.com", PASSWORD),
    "account without a password": (BOB, PASSWORD),
    "closed account": ("closed@example.com", PASSWORD),
    "no address": ("ann", PASSWORD),
    "no address at all": ("", ""),
    "endless": ("x" * 100_000, "x" * 100_000),
    "no text": ("\ud800", "\ud800"),
    "nobody": ("nobody@nowhere.invalid", PASSWORD),
}


@pytest.mark.parametrize(("email", "password"), FAILING.values(), ids=FAILING.keys())
def test_all_failed_sign_ins_get_the_same_message_after_the_same_work(
    hasher: CountingHasher, email: str, password: str
) -> None:
    table = CountingTable()
    an_account(table)
    an_account(table, BOB, with_password=False)
    an_account(table, "closed@example.com", with_password=False)
    begin_removal("closed@example.com", table=table)
    table.calls.clear()
    with pytest.raises(NotSignedIn) as refused:
        enter(table, email, password)
    assert str(refused.value) == WRONG_CREDENTIALS
    assert hasher.count == 1
    assert table.calls == ["get_many", "write"]


class CountingTable(MemoryTable):
    """Notes which calls are made."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def get_many(self, keys: Any) -> dict[Key, Item]:
        self.calls.append("get_many")
        return super().get_many(keys)

    def write(self, *changes: Any, token: str | None = None) -> None:
        self.calls.append("write")
        super().write(*changes, token=token)


def test_the_first_unknown_address_takes_no_longer_than_the_next(table: MemoryTable, hasher: CountingHasher) -> None:
    passwords._dummy_hash.cache_clear()
    with pytest.raises(NotSignedIn):
        enter(table)
    assert hasher.count == 1


def test_the_audit_log_of_a_failed_sign_in_does_not_hold_the_typed_text(table: MemoryTable) -> None:
    an_account(table)
    before = len(everything(table))
    for email in (ANN, "secret typed as name@example.com", "MySecret-typed-as-name"):
        with pytest.raises(NotSignedIn):
            enter(table, email, "wrong horse battery")
    entries = audited(table)
    assert sorted((entry.action, entry.who, entry.target or "", entry.details["address"]) for entry in entries) == [
        ("sign-in-failed", "unknown", "", ADDRESS),
        ("sign-in-failed", "unknown", "", ADDRESS),
        ("sign-in-failed", "unknown", ANN, ADDRESS),
    ]
    kept = repr(everything(table)).lower()
    assert "typed" not in kept
    assert "wrong horse" not in kept
    assert len(everything(table)) == before + 3


def test_a_hash_with_old_parameters_is_replaced_at_sign_in(table: MemoryTable) -> None:
    old = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    create_user(a_user(), photos=1, bytes=1, password_hash=old, table=table)
    with pytest.raises(NotSignedIn):
        enter(table, password="wrong horse battery")
    _, kept = find_user_and_password(ANN, table=table)
    assert kept is not None
    assert kept.password_hash == old
    user = enter(table)
    _, kept = find_user_and_password(ANN, table=table)
    assert kept is not None
    assert not needs_rehash(kept.password_hash)
    assert enter(table) == user


# -- Too often


def easy_account(table: Table, email: str = ANN) -> None:
    create_user(a_user(email), photos=1, bytes=1, password_hash=hash_password(PASSWORD), table=table)


def fail(table: Table, rate_limiter: RateLimiter, times: int, email: str = ANN, address: str = ADDRESS) -> None:
    for _ in range(times):
        with pytest.raises(NotSignedIn):
            enter(table, email, "wrong horse battery", rate_limiter=rate_limiter, address=address)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("email", [ANN, "nobody@example.com"])
def test_too_many_failures_lock_an_account_for_all_addresses_whether_or_not_it_exists(
    table: MemoryTable, email: str
) -> None:
    easy_account(table)
    rates = RateLimiter()
    for number in range(RateLimit.ACCOUNT.item.amount):
        fail(table, rates, 1, email, f"192.0.2.{number}")
    with pytest.raises(TooManyTries) as refused:
        enter(table, email, rate_limiter=rates, address="198.51.100.1")
    assert 1 <= refused.value.retry_after <= RateLimit.ACCOUNT.item.seconds
    assert len(audited(table)) == RateLimit.ACCOUNT.item.amount


@pytest.mark.usefixtures("quick")
def test_a_successful_sign_in_resets_the_limit_of_the_account(table: MemoryTable) -> None:
    easy_account(table)
    rates = RateLimiter()
    for _ in range(3):
        fail(table, rates, RateLimit.ACCOUNT.item.amount - 1)
        enter(table, rate_limiter=rates)


@pytest.mark.usefixtures("quick")
def test_an_address_that_fails_with_many_accounts_is_refused_but_others_are_not(table: MemoryTable) -> None:
    easy_account(table)
    rates = RateLimiter()
    for number in range(RateLimit.PASSWORDS.item.amount):
        fail(table, rates, 1, f"user{number}@example.com")
    with pytest.raises(TooManyTries):
        enter(table, rate_limiter=rates)
    enter(table, rate_limiter=rates, address="198.51.100.1")


@pytest.mark.usefixtures("quick")
def test_successful_sign_ins_from_one_address_are_not_limited(table: MemoryTable) -> None:
    rates = RateLimiter()
    for number in range(2 * RateLimit.PASSWORDS.item.amount):
        easy_account(table, f"user{number}@example.com")
        enter(table, f"user{number}@example.com", rate_limiter=rates)


@pytest.mark.usefixtures("quick")
def test_users_who_type_no_address_do_not_lock_each_other_out(table: MemoryTable) -> None:
    rates = RateLimiter()
    fail(table, rates, RateLimit.ACCOUNT.item.amount, "ann")
    fail(table, rates, 1, "ann", "198.51.100.1")
