"""Rate limits of failed sign-ins and of guests' actions, in process.

Each process counts for itself.

Two hundred guests may share one address, so only failures count against an address. Against an account every try counts
until one succeeds, so that parallel tries cannot get around the limit.
"""

import ipaddress
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, unique
from typing import Final, NamedTuple

from sparks.model.caller import Caller, GuestCaller
from sparks.model.errors import AlreadyThere, NotAllowed, NotSignedIn, TooManyTries

MINUTE: Final = 60


class RateLimitItem(NamedTuple):
    """At most `amount` tries in any `seconds`."""

    amount: int
    seconds: int


@unique
class RateLimit(Enum):
    """The things that are counted, each with its limit."""

    ACCOUNT = RateLimitItem(10, 5 * MINUTE)
    OLD_PASSWORD = RateLimitItem(10, 6 * MINUTE)  # of one account, signed in: strangers cannot use it up
    PASSWORDS = RateLimitItem(50, 5 * MINUTE)  # of one address
    SECRETS = RateLimitItem(100, MINUTE)  # of one address: sessions, keys, tokens, links
    SETUP = RateLimitItem(20, 5 * MINUTE)  # of one address
    LINK_PASSWORDS = RateLimitItem(60, 10 * MINUTE)  # of one link
    LINK_GUESTS = RateLimitItem(1000, 10 * MINUTE)  # new guests of one link
    LINK_UPLOADS = RateLimitItem(10_000, 10 * MINUTE)  # uploads begun through one link
    GUEST_UPLOADS = RateLimitItem(600, 10 * MINUTE)  # uploads begun by one guest
    PORTRAITS = RateLimitItem(30, 10 * MINUTE)  # selfies of one account or guest
    GUEST_COMMENTS = RateLimitItem(50, 10 * MINUTE)  # of one guest
    LINK_COMMENTS = RateLimitItem(2000, 10 * MINUTE)  # of all guests of one link
    GUEST_LIKES = RateLimitItem(500, 10 * MINUTE)  # likes and their withdrawals of one guest
    LINK_LIKES = RateLimitItem(20_000, 10 * MINUTE)  # of all guests of one link
    GUEST_ARCHIVES = RateLimitItem(40, 10 * MINUTE)  # planned for one guest
    LINK_ARCHIVES = RateLimitItem(400, 10 * MINUTE)  # planned for all guests of one link

    @property
    def item(self) -> RateLimitItem:
        return self.value


class RateLimiter:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds and never goes back, so that setting the system time locks no user out."""
        self._clock = clock
        self._lock = threading.Lock()
        self._tries: dict[tuple[RateLimit, str], deque[float]] = {}
        self._swept_at = clock()

    def check(self, rate: RateLimit, key: str) -> None:
        """TooManyTries where the limit is reached."""
        with self._lock:
            self._refuse_beyond(rate, self._recent(rate, key))

    def count(self, rate: RateLimit, key: str) -> None:
        """Counts one more try. TooManyTries where the limit is reached already."""
        with self._lock:
            tries = self._recent(rate, key)
            self._refuse_beyond(rate, tries)
            tries.append(self._clock())
            self._tries[rate, counted(key)] = tries
            self._sweep()

    def count_guest(self, caller: Caller, own: RateLimit, of_link: RateLimit) -> None:
        """Counts one more action of a guest. TooManyTries where the limit of this guest, or of all guests of the link,
        is reached. Members are not counted.
        """
        if isinstance(caller, GuestCaller):
            self.count(own, caller.guest.guest_id)
            self.count(of_link, caller.link.link_id)

    def reset(self, rate: RateLimit, key: str) -> None:
        with self._lock:
            self._tries.pop((rate, counted(key)), None)

    @contextmanager
    def failures(self, rate: RateLimit, key: str) -> Iterator[None]:
        """Raises TooManyTries after too many failures, and counts a failure where the block raises one.

        SECRETS are checked after a failure only: they cannot be guessed, so a caller with a valid one is let in however
        many expired ones come from the same address.
        """
        if rate is not RateLimit.SECRETS:
            self.check(rate, key)
        try:
            yield
        except (AlreadyThere, NotSignedIn, NotAllowed):
            self.count(rate, key)
            raise

    def _recent(self, rate: RateLimit, key: str) -> deque[float]:
        """The times of the tries that still count, oldest first."""
        tries = self._tries.get((rate, counted(key)), deque())
        while tries and tries[0] + rate.item.seconds <= self._clock():
            tries.popleft()
        return tries

    def _refuse_beyond(self, rate: RateLimit, tries: deque[float]) -> None:
        if len(tries) >= rate.item.amount:
            seconds = max(1, math.ceil(tries[0] + rate.item.seconds - self._clock()))
            raise TooManyTries(f"too many tries: wait {_duration(seconds)}, then try again", retry_after=seconds)

    def _sweep(self) -> None:
        """Drops old keys once a minute: there may be very many."""
        now = self._clock()
        if now < self._swept_at + MINUTE:
            return
        self._swept_at = now
        expired = [
            (rate, key)
            for (rate, key), tries in self._tries.items()
            if not tries or tries[-1] + rate.item.seconds <= now
        ]
        for each in expired:
            del self._tries[each]


def counted(key: str) -> str:
    """The key under which tries are counted: for an IPv6 address its network, since one host may use all 2^64
    addresses.
    """
    try:
        address = ipaddress.IPv6Address(key)
    except ValueError:
        return key
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((address.packed[:8] + bytes(8), 64)))


def _duration(seconds: int) -> str:
    return f"{seconds} seconds" if seconds <= 90 else f"{math.ceil(seconds / 60)} minutes"
