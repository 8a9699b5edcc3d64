"""Passwords: which may be chosen, and that checking one is the same work whoever asks."""

import os
import threading

import pytest
from argon2 import PasswordHasher

from sparks.auth import passwords
from sparks.auth.passwords import LONGEST, SHORTEST, checked_password, hash_password, is_outdated, password_fits
from sparks.model.errors import BadInput, Busy
from tests.accounts import PASSWORD, known_hash
from tests.auth.hashing import CountingHasher


@pytest.mark.parametrize(
    "password",
    [
        PASSWORD,
        "x" * (SHORTEST - 1) + "y",
        "x" * (LONGEST - 1) + "y",
        "p\u00e4ssw\u00f6rt-mit-umlaut",
        "tab\there and there",
        " leading and trailing ",
        "\U0001f600\U0001f601\U0001f602\U0001f603\U0001f604\U0001f605\U0001f606\U0001f607\U0001f608\U0001f609",
    ],
)
def test_a_good_password_is_taken_as_it_is(password: str) -> None:
    assert checked_password(password, email="ann@example.com") == password


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("", "at least 10"),
        ("too short", "at least 10"),
        ("e\u0301" * (SHORTEST - 1), "at least 10"),
        ("x" * LONGEST + "y", "at most 256"),
        ("\ufdfa" * 20, "at most 256"),
        ("y" * 1_000_000, "at most 256"),
        ("1234567890", "one of the first that others would try"),
        ("1Q2W3E4R5T", "one of the first"),
        ("Basketball", "one of the first"),
        ("\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19\uff10", "one of the first"),
        ("annabellasmith", "one of the first"),
        ("AnnabellaSmith@example.com", "one of the first"),
        ("aaaaaaaaaaaa", "one of the first"),
        ("lone \ud800 surrogate", "no text"),
    ],
)
def test_a_bad_password_is_refused_with_a_reason(password: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as refused:
        checked_password(password, email="annabellasmith@example.com")
    assert password == "" or password not in str(refused.value)


def test_a_password_fits_its_own_hash_alone() -> None:
    assert known_hash().startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert not is_outdated(known_hash())
    assert password_fits(PASSWORD, known_hash())
    assert not password_fits(PASSWORD + " ", known_hash())


def test_a_password_is_the_same_however_a_keyboard_composes_it() -> None:
    kept = hash_password("p\u00e4ssw\u00f6rt mit umlaut")
    assert password_fits("pa\u0308sswo\u0308rt mit umlaut", kept)


@pytest.mark.parametrize("kept", [None, "", "no hash", "$2b$12$abcdefghijklmnopqrstuv", "$argon2id$v=19$m=1"])
def test_what_is_no_hash_fits_nothing(kept: str | None) -> None:
    assert not password_fits(PASSWORD, kept)


@pytest.mark.parametrize("typed", ["", "x" * 100_000, "\ud800" * 20, "nul \x00 inside"])
def test_whatever_is_typed_is_only_wrong(typed: str) -> None:
    assert not password_fits(typed, known_hash())


def test_an_older_way_of_hashing_is_told() -> None:
    assert is_outdated(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("x"))


def test_without_a_hash_it_is_hashed_once_and_just_as_hard(hasher: CountingHasher) -> None:
    passwords._nobodys_hash.cache_clear()
    for count in (1, 2):
        assert not password_fits(PASSWORD, None)
        assert hasher.count == count
    assert not is_outdated(passwords._nobodys_hash())


def test_who_comes_when_many_wait_is_turned_away(hasher: CountingHasher) -> None:
    places = [passwords._IN_LINE for _ in range(100) if passwords._IN_LINE.acquire(blocking=False)]
    try:
        for ask in (lambda: password_fits(PASSWORD, None), lambda: hash_password(PASSWORD)):
            with pytest.raises(Busy, match="try again in a few seconds"):
                ask()
    finally:
        for place in places:
            place.release()
    assert hasher.count == 0
    assert not password_fits(PASSWORD, None)


def test_no_more_are_hashed_at_once_than_there_is_memory_for(hasher: CountingHasher) -> None:
    threads = [threading.Thread(target=password_fits, args=(PASSWORD, None)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hasher.count == 8
    assert hasher.most_at_once <= max(2, os.cpu_count() or 1)
