"""Rates: who is wrong too often waits, and nobody else does."""

import pytest

from sparks.auth.rates import Rate, Rates, counted
from sparks.model.errors import AlreadyThere, BadInput, NotAllowed, NotFound, NotSignedIn, TooManyTries
from tests.accounts import at_once


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rates(clock: Clock) -> Rates:
    return Rates(clock)


def fail(rates: Rates, rate: Rate, key: str, error: Exception | None = None) -> None:
    error = error or NotSignedIn("wrong")
    with pytest.raises(type(error)), rates.failures(rate, key):
        raise error


def wait_for(rates: Rates, rate: Rate, key: str) -> int:
    """How long they are told to wait; 0 where they need not."""
    try:
        rates.check(rate, key)
    except TooManyTries as refused:
        return refused.retry_after
    return 0


# -- Addresses


def test_two_hundred_guests_behind_one_address_who_succeed_are_never_limited(rates: Rates) -> None:
    for rate in Rate:
        for _ in range(200):
            with rates.failures(rate, "192.0.2.1"):
                pass
        assert wait_for(rates, rate, "192.0.2.1") == 0


@pytest.mark.parametrize("rate", Rate)
def test_who_fails_too_often_is_refused_until_it_is_long_ago(rates: Rates, clock: Clock, rate: Rate) -> None:
    for _ in range(rate.item.amount):
        fail(rates, rate, "192.0.2.1")
        clock.now += 0.01
    with pytest.raises(TooManyTries), rates.failures(rate, "192.0.2.1"):
        raise NotSignedIn("wrong")
    assert wait_for(rates, rate, "192.0.2.2") == 0
    clock.now += wait_for(rates, rate, "192.0.2.1")
    assert wait_for(rates, rate, "192.0.2.1") == 0
    fail(rates, rate, "192.0.2.1")


@pytest.mark.parametrize("error", [NotSignedIn("x"), NotAllowed("x"), AlreadyThere("x")])
def test_what_lets_nobody_in_is_a_failure(rates: Rates, error: Exception) -> None:
    for _ in range(Rate.SETUP.item.amount):
        fail(rates, Rate.SETUP, "192.0.2.1", error)
    assert wait_for(rates, Rate.SETUP, "192.0.2.1") > 0


@pytest.mark.parametrize("error", [BadInput("x"), NotFound("x"), TooManyTries("x", retry_after=1), ValueError("x")])
def test_what_is_no_guess_is_no_failure(rates: Rates, error: Exception) -> None:
    for _ in range(Rate.SETUP.item.amount + 1):
        fail(rates, Rate.SETUP, "192.0.2.1", error)
    assert wait_for(rates, Rate.SETUP, "192.0.2.1") == 0


def test_who_has_a_good_secret_passes_however_many_at_the_address_do_not(rates: Rates) -> None:
    for _ in range(Rate.SECRETS.item.amount):
        fail(rates, Rate.SECRETS, "192.0.2.1")
    with rates.failures(Rate.SECRETS, "192.0.2.1"):
        pass
    with pytest.raises(TooManyTries), rates.failures(Rate.SECRETS, "192.0.2.1"):
        raise NotSignedIn("wrong")


def test_who_may_guess_a_password_does_not_get_to_try_it_when_there_were_too_many(rates: Rates) -> None:
    for _ in range(Rate.PASSWORDS.item.amount):
        fail(rates, Rate.PASSWORDS, "192.0.2.1")
    with pytest.raises(TooManyTries), rates.failures(Rate.PASSWORDS, "192.0.2.1"):
        pytest.fail("it was tried")


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:0DB8:0:0:8000::", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("ann@example.com", "bob@example.com", False),
        ("", "testclient", False),
    ],
)
def test_whoever_has_one_address_of_a_network_of_ipv6_has_them_all(one: str, other: str, together: bool) -> None:
    assert (counted(one) == counted(other)) is together


# -- Accounts


def test_against_an_account_every_try_counts_until_one_succeeds(rates: Rates) -> None:
    for _ in range(3):
        for _ in range(Rate.ACCOUNT.item.amount):
            rates.count(Rate.ACCOUNT, "ann@example.com")
        with pytest.raises(TooManyTries):
            rates.count(Rate.ACCOUNT, "ann@example.com")
        rates.count(Rate.ACCOUNT, "bob@example.com")
        rates.forget(Rate.ACCOUNT, "ann@example.com")
    rates.forget(Rate.ACCOUNT, "never seen")


def test_many_tries_at_once_are_no_way_around_it() -> None:
    rates = Rates()
    answers = at_once(*[lambda: rates.count(Rate.ACCOUNT, "ann@example.com")] * 40)
    assert answers.count(None) == Rate.ACCOUNT.item.amount


def test_to_count_and_to_forget_at_once_is_fine() -> None:
    """In a library that was tried, the one broke the other."""
    rates = Rates()

    def count_and_forget() -> int:
        for _ in range(500):
            try:
                rates.count(Rate.ACCOUNT, "ann@example.com")
            except TooManyTries:
                rates.forget(Rate.ACCOUNT, "ann@example.com")
        return 500

    assert at_once(*[count_and_forget] * 4) == [500] * 4


# -- How long


def test_who_is_refused_hears_how_long_to_wait(rates: Rates, clock: Clock) -> None:
    for _ in range(Rate.ACCOUNT.item.amount):
        rates.count(Rate.ACCOUNT, "ann@example.com")
        clock.now += 10
    clock.now += 0.5
    with pytest.raises(TooManyTries, match="too many tries: wait 4 minutes, then try again") as refused:
        rates.count(Rate.ACCOUNT, "ann@example.com")
    assert refused.value.retry_after == 200
    clock.now += 130
    with pytest.raises(TooManyTries, match="wait 70 seconds"):
        rates.count(Rate.ACCOUNT, "ann@example.com")
    clock.now += 69.4
    with pytest.raises(TooManyTries) as refused:
        rates.count(Rate.ACCOUNT, "ann@example.com")
    assert refused.value.retry_after == 1
    clock.now += 0.1
    rates.count(Rate.ACCOUNT, "ann@example.com")
    with pytest.raises(TooManyTries) as refused:  # the next of the ten is ten seconds younger
        rates.count(Rate.ACCOUNT, "ann@example.com")
    assert refused.value.retry_after == 10


def test_to_be_refused_does_not_prolong_it(rates: Rates, clock: Clock) -> None:
    for _ in range(Rate.ACCOUNT.item.amount):
        rates.count(Rate.ACCOUNT, "ann@example.com")
    for _ in range(299):
        clock.now += 1
        with pytest.raises(TooManyTries):
            rates.count(Rate.ACCOUNT, "ann@example.com")
    clock.now += 1
    rates.count(Rate.ACCOUNT, "ann@example.com")


# -- Memory


def test_those_who_have_not_tried_for_long_take_no_room(rates: Rates, clock: Clock) -> None:
    for number in range(1000):
        rates.count(Rate.ACCOUNT, f"user{number}@example.com")
        fail(rates, Rate.PASSWORDS, f"192.0.2.{number}")
        clock.now += 1
    recent = Rate.ACCOUNT.item.seconds + 60  # swept once a minute
    assert len(rates._tries) <= 2 * (recent + 1)
    clock.now += recent
    rates.count(Rate.ACCOUNT, "ann@example.com")
    assert len(rates._tries) == 1


def test_to_look_takes_no_room(rates: Rates) -> None:
    for number in range(100):
        assert wait_for(rates, Rate.PASSWORDS, f"192.0.2.{number}") == 0
    assert len(rates._tries) == 0
