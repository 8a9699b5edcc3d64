"""Rates: how often somebody may be wrong, and how much guests may do. Kept in this process; each machine counts for
itself.

Behind one address there may be two hundred guests, so only failures count against an address. Against an account every
try counts until one succeeds, so that many tries at once are no way around it.
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

from sparks.model.errors import AlreadyThere, NotAllowed, NotSignedIn, TooManyTries

MINUTE: Final = 60


class Item(NamedTuple):
    """How many tries are the most, in so many seconds, whenever these begin."""

    amount: int
    seconds: int


@unique
class Rate(Enum):
    """What is counted, and how much of it is too much."""

    ACCOUNT = Item(10, 5 * MINUTE)
    OLD_PASSWORD = Item(10, 6 * MINUTE)  # of one account, from within it: strangers cannot use it up
    PASSWORDS = Item(50, 5 * MINUTE)  # of one address
    SECRETS = Item(100, MINUTE)  # of one address: sessions, keys, tokens, links
    SETUP = Item(20, 5 * MINUTE)  # of one address
    LINK_PASSWORDS = Item(60, 10 * MINUTE)  # of one link
    LINK_GUESTS = Item(1000, 10 * MINUTE)  # who open one link
    LINK_UPLOADS = Item(10_000, 10 * MINUTE)  # that are begun through one link
    GUEST_UPLOADS = Item(600, 10 * MINUTE)  # that one guest begins
    PORTRAITS = Item(30, 10 * MINUTE)  # that one account or guest shows, to be recognised by
    GUEST_COMMENTS = Item(50, 10 * MINUTE)  # that one guest writes
    LINK_COMMENTS = Item(2000, 10 * MINUTE)  # of all guests of one link
    GUEST_LIKES = Item(500, 10 * MINUTE)  # that one guest gives or takes back
    LINK_LIKES = Item(20_000, 10 * MINUTE)  # of all guests of one link
    GUEST_ARCHIVES = Item(40, 10 * MINUTE)  # that are planned for one guest
    LINK_ARCHIVES = Item(400, 10 * MINUTE)  # for all guests of one link

    @property
    def item(self) -> Item:
        return self.value


class Rates:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` tells seconds and never goes back: nobody is locked out for a day because the time was set."""
        self._clock = clock
        self._lock = threading.Lock()
        self._tries: dict[tuple[Rate, str], deque[float]] = {}
        self._swept_at = clock()

    def check(self, rate: Rate, key: str) -> None:
        """TooManyTries where there were too many already."""
        with self._lock:
            self._refuse_beyond(rate, self._recent(rate, key))

    def count(self, rate: Rate, key: str) -> None:
        """One more; TooManyTries where it is one too many."""
        with self._lock:
            tries = self._recent(rate, key)
            self._refuse_beyond(rate, tries)
            tries.append(self._clock())
            self._tries[rate, counted(key)] = tries
            self._sweep()

    def forget(self, rate: Rate, key: str) -> None:
        with self._lock:
            self._tries.pop((rate, counted(key)), None)

    @contextmanager
    def failures(self, rate: Rate, key: str) -> Iterator[None]:
        """Refuses those who have failed too often; counts it where the inside lets nobody in.

        A secret cannot be guessed. So whoever has a good one is let in, however many that are over come from the same
        address: only those who fail hear that they fail too often.
        """
        if rate is not Rate.SECRETS:
            self.check(rate, key)
        try:
            yield
        except (AlreadyThere, NotSignedIn, NotAllowed):
            self.count(rate, key)
            raise

    def _recent(self, rate: Rate, key: str) -> deque[float]:
        """When they tried, as far as it still counts, the oldest first."""
        tries = self._tries.get((rate, counted(key)), deque())
        while tries and tries[0] + rate.item.seconds <= self._clock():
            tries.popleft()
        return tries

    def _refuse_beyond(self, rate: Rate, tries: deque[float]) -> None:
        if len(tries) >= rate.item.amount:
            seconds = max(1, math.ceil(tries[0] + rate.item.seconds - self._clock()))
            raise TooManyTries(f"too many tries: wait {_told(seconds)}, then try again", retry_after=seconds)

    def _sweep(self) -> None:
        """Forgets, once in a while, those who have not tried for long: they may be very many."""
        now = self._clock()
        if now < self._swept_at + MINUTE:
            return
        self._swept_at = now
        over = [
            (rate, key)
            for (rate, key), tries in self._tries.items()
            if not tries or tries[-1] + rate.item.seconds <= now
        ]
        for each in over:
            del self._tries[each]


def counted(key: str) -> str:
    """What is counted together: whoever has one address of IPv6 has all 2^64 of its network."""
    try:
        address = ipaddress.IPv6Address(key)
    except ValueError:
        return key
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((address.packed[:8] + bytes(8), 64)))


def _told(seconds: int) -> str:
    return f"{seconds} seconds" if seconds <= 90 else f"{math.ceil(seconds / 60)} minutes"
