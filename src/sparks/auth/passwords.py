"""Passwords: argon2id, and the same work whether or not there is an account.

[Note: memory] Each hash takes 19 MiB, so only as many run at once as there are cores; some others wait their turn.
Those who come when many wait are turned away: they would keep everyone else waiting who asks for something else.
"""

import os
import threading
import unicodedata
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sparks.model.errors import BadInput, Busy

SHORTEST: Final = 10
LONGEST: Final = 256

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_AT_ONCE: Final = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))
_IN_LINE: Final = threading.BoundedSemaphore(16)


def checked_password(password: str, *, email: str = "") -> str:
    """The password, if it is one to choose: BadInput, saying why, where it is too short, too long or too common."""
    text = _normal(password)
    if len(text) < SHORTEST:
        raise BadInput(f"a password has at least {SHORTEST} characters: a few words in a row make a good one")
    if len(password) > LONGEST or len(text) > LONGEST:
        raise BadInput(f"a password has at most {LONGEST} characters")
    if any(unicodedata.category(letter) == "Cs" for letter in text):
        raise BadInput("a password is made of letters, digits and signs: this holds bytes that are no text")
    if text.lower() in _commonest() or text.lower() in (email, email.partition("@")[0]) or len(set(text)) == 1:
        raise BadInput("this password is one of the first that others would try: choose another")
    return password


def hash_password(password: str) -> str:
    with _turn():
        return _HASHER.hash(_bytes(password))


def password_fits(password: str, kept_hash: str | None) -> bool:
    """Whether this is the password whose hash was kept. Without a hash to compare with it takes as long, and is not."""
    with _turn():
        try:
            _HASHER.verify(kept_hash or _nobodys_hash(), _bytes(password))
        except (VerificationError, InvalidHashError):
            return False
    return kept_hash is not None


def is_outdated(kept_hash: str) -> bool:
    """Whether it was hashed in a way that has been improved since."""
    return _HASHER.check_needs_rehash(kept_hash)


@contextmanager
def _turn() -> Iterator[None]:
    if not _IN_LINE.acquire(blocking=False):
        raise Busy("too many people sign in at this moment: try again in a few seconds")
    try:
        with _AT_ONCE:
            yield
    finally:
        _IN_LINE.release()


@cache
def _nobodys_hash() -> str:
    """Looks like a hash of ours, and is as much work to check. Made without hashing: the first try takes no longer."""
    salt, digest = (b64encode(os.urandom(size)).rstrip(b"=").decode() for size in (_HASHER.salt_len, _HASHER.hash_len))
    costs = f"m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}"
    return f"$argon2id$v=19${costs}${salt}${digest}"


@cache
def _commonest() -> frozenset[str]:
    """Of the lists that zxcvbn carries, what is long enough to be chosen. They are large: read when first needed.

    [Note: all lists] Each word is in one list only, so the one of passwords lacks those that are words or names too.
    """
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(word for words in FREQUENCY_LISTS.values() for word in words if len(word) >= SHORTEST)


def _bytes(password: str) -> bytes:
    return _normal(password).encode(errors="surrogatepass")


def _normal(password: str) -> str:
    """However a keyboard composes its letters, it is the same password."""
    return unicodedata.normalize("NFKC", password[: LONGEST + 1])
