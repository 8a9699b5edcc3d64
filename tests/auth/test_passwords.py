"""Passwords: allowed ones, and checks that take the same work for every account."""

import os
import threading

import pytest
from argon2 import PasswordHasher

from sparks.auth import passwords
from sparks.auth.passwords import MAX_LENGTH, MIN_LENGTH, checked_password, hash_password, needs_rehash, verify_password
from sparks.model.errors import BadInput, Busy
from tests.account_makers import PASSWORD, known_hash
from tests.auth.password_hashes import CountingHasher


@pytest.mark.parametrize(
    "password",
    [
        PASSWORD,
        "x" * (MIN_LENGTH - 1) + "y",
        "x" * (MAX_LENGTH - 1) + "y",
        "p\u00e4ssw\u00f6rt-mit-umlaut",
        "tab\there and there",
        " leading and trailing ",
        "\U0001f600\U0001f601\U0001f602\U0001f603\U0001f604\U0001f605\U0001f606\U0001f607\U0001f608\U0001f609",
    ],
)
def test_a_good_password_is_accepted_unchanged(password: str) -> None:
    assert checked_password(password, email="ann@example.com") == password


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("", "at least 10"),
        ("too short", "at least 10"),
        ("e\u0301" * (MIN_LENGTH - 1), "at least 10"),
        ("x" * MAX_LENGTH + "y", "at most 256"),
        ("\ufdfa" * 20, "at most 256"),
        ("y" * 1_000_000, "at most 256"),
        ("1234567890", "one of the first that others would try"),
        ("1Q2W3E4R5T", "one of the first"),
        ("Basketball", "one of the first"),
        ("\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19\uff10", "one of the first"),
        ("annabellasmith", "one of the first"),
        ("AnnabellaSmith@example.com", "one of the first"),
        ("aaaaaaaaaaaa", "one of the first"),
        ("lone \ud800 surrogate", "not valid text"),
    ],
)
def test_a_bad_password_is_refused_with_a_reason(password: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as refused:
        checked_password(password, email="annabellasmith@example.com")
    assert password == "" or password not in str(refused.value)


def test_a_password_matches_only_its_own_hash() -> None:
    assert known_hash().startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert not needs_rehash(known_hash())
    assert verify_password(PASSWORD, known_hash())
    assert not verify_password(PASSWORD + " ", known_hash())


def test_a_password_is_the_same_however_a_keyboard_composes_it() -> None:
    kept = hash_password("p\u00e4ssw\u00f6rt mit umlaut")
    assert verify_password("pa\u0308sswo\u0308rt mit umlaut", kept)


@pytest.mark.parametrize("kept", [None, "", "no hash", "$2b$12$abcdefghijklmnopqrstuv", "$argon2id$v=19$m=1"])
def test_an_invalid_hash_matches_no_password(kept: str | None) -> None:
    assert not verify_password(PASSWORD, kept)


@pytest.mark.parametrize("typed", ["", "x" * 100_000, "\ud800" * 20, "nul \x00 inside"])
def test_any_text_can_be_verified_without_an_error(typed: str) -> None:
    assert not verify_password(typed, known_hash())


def test_a_hash_with_old_parameters_needs_a_rehash() -> None:
    assert needs_rehash(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("x"))


def test_verifying_without_a_hash_takes_one_hash_with_the_same_parameters(hasher: CountingHasher) -> None:
    passwords._dummy_hash.cache_clear()
    for count in (1, 2):
        assert not verify_password(PASSWORD, None)
        assert hasher.count == count
    assert not needs_rehash(passwords._dummy_hash())


def test_a_sign_in_is_refused_while_too_many_wait(hasher: CountingHasher) -> None:
    places = [
        passwords._RUNNING_OR_WAITING for _ in range(100) if passwords._RUNNING_OR_WAITING.acquire(blocking=False)
    ]
    try:
        for ask in (lambda: verify_password(PASSWORD, None), lambda: hash_password(PASSWORD)):
            with pytest.raises(Busy, match="try again in a few seconds"):
                ask()
    finally:
        for place in places:
            place.release()
    assert hasher.count == 0
    assert not verify_password(PASSWORD, None)


def test_parallel_hashes_are_limited(hasher: CountingHasher) -> None:
    threads = [threading.Thread(target=verify_password, args=(PASSWORD, None)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hasher.count == 8
    assert hasher.most_at_once <= max(2, os.cpu_count() or 1)
