"""Signing in: whether the time tells an unknown account, or one without a password, from a wrong password."""

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final

from benchmarks.frame import Figure, run
from sparks.auth.passwords import hash_password, sign_in
from sparks.auth.rate_limits import RateLimiter
from sparks.library.accounts.lifecycle import create_user
from sparks.model.account import User
from sparks.model.errors import NotSignedIn
from sparks.table.memory import MemoryTable
from sparks.table.port import Table

TRIES: Final = 30
NOON: Final = datetime(2026, 8, 1, 12, tzinfo=UTC)
KNOWN: Final = "known@example.com"
UNKNOWN: Final = "unknown@example.com"
PASSWORDLESS: Final = "passwordless@example.com"


def measure() -> list[Figure]:
    table = MemoryTable()
    known, passwordless = (User(email=email, username="somebody") for email in (KNOWN, PASSWORDLESS))
    create_user(known, photos=1, bytes=1, password_hash=hash_password("the password"), table=table)
    create_user(passwordless, photos=1, bytes=1, table=table)
    work, wait = interleaved(table, KNOWN, UNKNOWN, PASSWORDLESS)
    unknown, without = (
        f"an unknown account / a wrong password, medians of {TRIES} tries",
        "an account without / likewise",
    )
    return [
        Figure("wrong_password_ms", work[KNOWN] * 1000, "CPU of a wrong password, ms"),
        Figure("unknown_cpu_ratio", work[UNKNOWN] / work[KNOWN], f"CPU of {unknown}", "0.9 to 1.1"),
        Figure("passwordless_cpu_ratio", work[PASSWORDLESS] / work[KNOWN], f"CPU of {without}", "0.9 to 1.1"),
        Figure(
            "unknown_ratio",
            wait[UNKNOWN] / wait[KNOWN],
            "the time that passes, likewise; 0.9 to 1.1 if nobody else works",
        ),
        Figure("passwordless_ratio", wait[PASSWORDLESS] / wait[KNOWN], "the same"),
    ]


def interleaved(table: Table, *emails: str) -> tuple[dict[str, float], dict[str, float]]:
    """By e-mail, the medians of its tries: of the CPU's time and of the clock's.

    They take turns, and turns at who comes first, so that whatever else the machine does meets all of them alike.
    """
    times: dict[str, list[tuple[float, float]]] = {email: [] for email in emails}
    for turn in range(TRIES):
        first = turn % len(emails)
        for email in emails[first:] + emails[:first]:
            times[email].append(both_clocks(partial(fail, email, table)))
    work, wait = (
        {email: statistics.median(each[n] for each in tries) for email, tries in times.items()} for n in (0, 1)
    )
    return work, wait


def both_clocks(work: Callable[[], None]) -> tuple[float, float]:
    began = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - began[0], time.perf_counter() - began[1]


def fail(email: str, table: Table) -> None:
    """With its own rate limits, so that no attempt is refused."""
    try:
        sign_in(email, "not the password", address="192.0.2.1", rate_limiter=RateLimiter(), at=NOON, table=table)
    except NotSignedIn:
        return
    raise AssertionError("a wrong password was accepted")


if __name__ == "__main__":
    run("sign_in", measure)
