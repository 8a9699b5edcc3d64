"""Rate limits: only the caller who fails too often has to wait."""

import pytest

from sparks.auth.rate_limits import RateLimit, RateLimiter, counted
from sparks.model.errors import AlreadyThere, BadInput, NotAllowed, NotFound, NotSignedIn, TooManyTries
from tests.account_makers import at_once


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rate_limiter(clock: Clock) -> RateLimiter:
    return RateLimiter(clock)


def fail(rate_limiter: RateLimiter, rate: RateLimit, key: str, error: Exception | None = None) -> None:
    error = error or NotSignedIn("wrong")
    with pytest.raises(type(error)), rate_limiter.failures(rate, key):
        raise error


def wait_for(rate_limiter: RateLimiter, rate: RateLimit, key: str) -> int:
    """Seconds that the caller has to wait; 0 where there is no wait."""
    try:
        rate_limiter.check(rate, key)
    except TooManyTries as refused:
        return refused.retry_after
    return 0


# -- Addresses


def test_two_hundred_guests_behind_one_address_who_succeed_are_never_limited(rate_limiter: RateLimiter) -> None:
    for rate in RateLimit:
        for _ in range(200):
            with rate_limiter.failures(rate, "192.0.2.1"):
                pass
        assert wait_for(rate_limiter, rate, "192.0.2.1") == 0


@pytest.mark.parametrize("rate", RateLimit)
def test_an_address_that_fails_too_often_is_refused_until_the_period_is_over(
    rate_limiter: RateLimiter, clock: Clock, rate: RateLimit
) -> None:
    for _ in range(rate.item.amount):
        fail(rate_limiter, rate, "192.0.2.1")
        clock.now += 0.01
    with pytest.raises(TooManyTries), rate_limiter.failures(rate, "192.0.2.1"):
        raise NotSignedIn("wrong")
    assert wait_for(rate_limiter, rate, "192.0.2.2") == 0
    clock.now += wait_for(rate_limiter, rate, "192.0.2.1")
    assert wait_for(rate_limiter, rate, "192.0.2.1") == 0
    fail(rate_limiter, rate, "192.0.2.1")


@pytest.mark.parametrize("error", [NotSignedIn("x"), NotAllowed("x"), AlreadyThere("x")])
def test_refusals_count_as_failures(rate_limiter: RateLimiter, error: Exception) -> None:
    for _ in range(RateLimit.SETUP.item.amount):
        fail(rate_limiter, RateLimit.SETUP, "192.0.2.1", error)
    assert wait_for(rate_limiter, RateLimit.SETUP, "192.0.2.1") > 0


@pytest.mark.parametrize("error", [BadInput("x"), NotFound("x"), TooManyTries("x", retry_after=1), ValueError("x")])
def test_other_errors_do_not_count_as_failures(rate_limiter: RateLimiter, error: Exception) -> None:
    for _ in range(RateLimit.SETUP.item.amount + 1):
        fail(rate_limiter, RateLimit.SETUP, "192.0.2.1", error)
    assert wait_for(rate_limiter, RateLimit.SETUP, "192.0.2.1") == 0


def test_a_valid_secret_passes_however_many_others_fail_at_the_address(rate_limiter: RateLimiter) -> None:
    for _ in range(RateLimit.SECRETS.item.amount):
        fail(rate_limiter, RateLimit.SECRETS, "192.0.2.1")
    with rate_limiter.failures(RateLimit.SECRETS, "192.0.2.1"):
        pass
    with pytest.raises(TooManyTries), rate_limiter.failures(RateLimit.SECRETS, "192.0.2.1"):
        raise NotSignedIn("wrong")


def test_a_password_is_not_tried_after_too_many_failures(rate_limiter: RateLimiter) -> None:
    for _ in range(RateLimit.PASSWORDS.item.amount):
        fail(rate_limiter, RateLimit.PASSWORDS, "192.0.2.1")
    with pytest.raises(TooManyTries), rate_limiter.failures(RateLimit.PASSWORDS, "192.0.2.1"):
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
def test_all_addresses_of_an_ipv6_network_are_counted_together(one: str, other: str, together: bool) -> None:
    assert (counted(one) == counted(other)) is together


# -- Accounts


def test_against_an_account_every_try_counts_until_one_succeeds(rate_limiter: RateLimiter) -> None:
    for _ in range(3):
        for _ in range(RateLimit.ACCOUNT.item.amount):
            rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
        with pytest.raises(TooManyTries):
            rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
        rate_limiter.count(RateLimit.ACCOUNT, "bob@example.com")
        rate_limiter.reset(RateLimit.ACCOUNT, "ann@example.com")
    rate_limiter.reset(RateLimit.ACCOUNT, "never seen")


def test_parallel_tries_cannot_get_around_the_limit() -> None:
    rates = RateLimiter()
    answers = at_once(*[lambda: rates.count(RateLimit.ACCOUNT, "ann@example.com")] * 40)
    assert answers.count(None) == RateLimit.ACCOUNT.item.amount


def test_parallel_counts_and_resets_do_not_fail() -> None:
    """In a library that was tried, the one broke the other."""
    rates = RateLimiter()

    def count_and_forget() -> int:
        for _ in range(500):
            try:
                rates.count(RateLimit.ACCOUNT, "ann@example.com")
            except TooManyTries:
                rates.reset(RateLimit.ACCOUNT, "ann@example.com")
        return 500

    assert at_once(*[count_and_forget] * 4) == [500] * 4


# -- How long


def test_a_refusal_says_how_long_to_wait(rate_limiter: RateLimiter, clock: Clock) -> None:
    for _ in range(RateLimit.ACCOUNT.item.amount):
        rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
        clock.now += 10
    clock.now += 0.5
    with pytest.raises(TooManyTries, match="too many tries: wait 4 minutes, then try again") as refused:
        rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    assert refused.value.retry_after == 200
    clock.now += 130
    with pytest.raises(TooManyTries, match="wait 70 seconds"):
        rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    clock.now += 69.4
    with pytest.raises(TooManyTries) as refused:
        rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    assert refused.value.retry_after == 1
    clock.now += 0.1
    rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    with pytest.raises(TooManyTries) as refused:  # the next of the ten is ten seconds younger
        rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    assert refused.value.retry_after == 10


def test_refused_tries_do_not_extend_the_wait(rate_limiter: RateLimiter, clock: Clock) -> None:
    for _ in range(RateLimit.ACCOUNT.item.amount):
        rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    for _ in range(299):
        clock.now += 1
        with pytest.raises(TooManyTries):
            rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    clock.now += 1
    rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")


# -- Memory


def test_old_tries_are_dropped_from_memory(rate_limiter: RateLimiter, clock: Clock) -> None:
    for number in range(1000):
        rate_limiter.count(RateLimit.ACCOUNT, f"user{number}@example.com")
        fail(rate_limiter, RateLimit.PASSWORDS, f"192.0.2.{number}")
        clock.now += 1
    recent = RateLimit.ACCOUNT.item.seconds + 60  # swept once a minute
    assert len(rate_limiter._tries) <= 2 * (recent + 1)
    clock.now += recent
    rate_limiter.count(RateLimit.ACCOUNT, "ann@example.com")
    assert len(rate_limiter._tries) == 1


def test_a_check_alone_stores_nothing(rate_limiter: RateLimiter) -> None:
    for number in range(100):
        assert wait_for(rate_limiter, RateLimit.PASSWORDS, f"192.0.2.{number}") == 0
    assert len(rate_limiter._tries) == 0
