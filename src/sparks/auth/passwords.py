"""Passwords: argon2id hashes, sign-in, and change of one's own.

Each hash takes 19 MiB, so only as many run at once as there are cores, and a few more wait. Further requests are
refused: waiting, they would hold threads that other requests need.

An unknown account and a wrong password get the same answer, after the same amount of work.
"""

import os
import threading
import unicodedata
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.library.accounts.users import change_password, find_user_and_password, replace_hash
from sparks.library.audit import UNKNOWN, AuditAction, audit_row
from sparks.model.account import Password, User, account_email
from sparks.model.errors import BadInput, Busy, NotAllowed, NotSignedIn
from sparks.table.port import Table

MIN_LENGTH: Final = 10
MAX_LENGTH: Final = 256
WRONG_CREDENTIALS: Final = (
    "the e-mail address or the password is wrong: check both, or ask an administrator to set a new password for you"
)
NO_EMAIL: Final = "nobody@nowhere.invalid"
MISSING_OLD: Final = "send the old password, too"
WRONG_OLD: Final = "the old password is wrong: try again, or ask an administrator to set a new one"

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_RUNNING: Final = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))
_RUNNING_OR_WAITING: Final = threading.BoundedSemaphore(16)


def checked_password(password: str, *, email: str = "") -> str:
    """The password itself. BadInput, with the reason, where it is too short, too long or too common."""
    text = _normal(password)
    if len(text) < MIN_LENGTH:
        raise BadInput(f"a password has at least {MIN_LENGTH} characters: a few words in a row make a good one")
    if len(password) > MAX_LENGTH or len(text) > MAX_LENGTH:
        raise BadInput(f"a password has at most {MAX_LENGTH} characters")
    if any(unicodedata.category(letter) == "Cs" for letter in text):
        raise BadInput("this password is not valid text: use letters, digits and signs")
    if text.lower() in _common_passwords() or text.lower() in (email, email.partition("@")[0]) or len(set(text)) == 1:
        raise BadInput("this password is one of the first that others would try: choose another")
    return password


def hash_password(password: str) -> str:
    with _hashing_slot():
        return _HASHER.hash(_bytes(password))


def verify_password(password: str, kept_hash: str | None) -> bool:
    """Whether the password has this hash. Without a hash the answer is no, after the same amount of work."""
    with _hashing_slot():
        try:
            _HASHER.verify(kept_hash or _dummy_hash(), _bytes(password))
        except (VerificationError, InvalidHashError):
            return False
    return kept_hash is not None


def needs_rehash(kept_hash: str) -> bool:
    """Whether the parameters of the hash are not those of today."""
    return _HASHER.check_needs_rehash(kept_hash)


@contextmanager
def _hashing_slot() -> Iterator[None]:
    if not _RUNNING_OR_WAITING.acquire(blocking=False):
        raise Busy("too many people are signing in at this moment: try again in a few seconds")
    try:
        with _RUNNING:
            yield
    finally:
        _RUNNING_OR_WAITING.release()


@cache
def _dummy_hash() -> str:
    """A hash that no password has, and that takes as long to verify. Made without hashing, so the first use is not
    slower.
    """
    salt, digest = (b64encode(os.urandom(size)).rstrip(b"=").decode() for size in (_HASHER.salt_len, _HASHER.hash_len))
    costs = f"m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}"
    return f"$argon2id$v=19${costs}${salt}${digest}"


@cache
def _common_passwords() -> frozenset[str]:
    """All words of zxcvbn's lists that are long enough to be chosen. The lists are large, and read when first needed.

    Each word is in one list only: the list of passwords lacks those that are also words or names, so all are used.
    """
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(word for words in FREQUENCY_LISTS.values() for word in words if len(word) >= MIN_LENGTH)


def _bytes(password: str) -> bytes:
    return _normal(password).encode(errors="surrogatepass")


def _normal(password: str) -> str:
    """The same text however the keyboard composes its letters."""
    return unicodedata.normalize("NFKC", password[: MAX_LENGTH + 1])


def sign_in(text: str, password: str, *, address: str, rate_limiter: RateLimiter, at: datetime, table: Table) -> User:
    """The user with this e-mail address and password. NotSignedIn where either is wrong, TooManyTries after many
    failures.
    """
    email = _email(text)
    counted = address if email == NO_EMAIL else email
    with rate_limiter.failures(RateLimit.PASSWORDS, address):
        rate_limiter.count(RateLimit.ACCOUNT, counted)
        user, kept = find_user_and_password(email, table=table)
        fits = verify_password(password, None if kept is None else kept.password_hash)
        if user is None or kept is None or not fits:
            _note_failure(email, user, address, at, table)
            raise NotSignedIn(WRONG_CREDENTIALS)
    rate_limiter.reset(RateLimit.ACCOUNT, counted)
    _rehash(kept, password, table)
    return user


def _email(text: str) -> str:
    """The e-mail address, or for other texts one that no account can have, since `.invalid` cannot be registered."""
    try:
        return account_email(text)
    except BadInput:
        return NO_EMAIL


def _note_failure(email: str, user: User | None, address: str, at: datetime, table: Table) -> None:
    """Writes an entry for unknown accounts too, so that it takes as long. The text that was typed is not stored unless
    it is an account: it may be a password in the wrong field.
    """
    known = email if user is not None else None
    table.write(audit_row(AuditAction.SIGN_IN_FAILED, who=UNKNOWN, target=known, address=address, at=at))


def _rehash(kept: Password, password: str, table: Table) -> None:
    if needs_rehash(kept.password_hash):
        replace_hash(kept, hash_password(password), table=table)


def change_own_password(
    user: User, *, old: str | None, new: str, rate_limiter: RateLimiter, at: datetime, table: Table
) -> User:
    """Returns the user with the new password. All earlier sessions end.

    NotAllowed where the old password is missing or wrong; Conflict where the password was reset meanwhile, or this
    session ended.
    """
    _, kept = find_user_and_password(user.email, table=table)
    if kept is not None:
        _check_old(old, kept, user, rate_limiter)
    return change_password(
        user.email,
        hash_password(checked_password(new, email=user.email)),
        before=kept,
        session_epoch=user.session_epoch,
        also=(audit_row(AuditAction.PASSWORD_CHANGED, who=user.email, at=at),),
        table=table,
    )


def _check_old(old: str | None, kept: Password, user: User, rate_limiter: RateLimiter) -> None:
    if old is None:
        raise NotAllowed(MISSING_OLD)
    rate_limiter.count(RateLimit.OLD_PASSWORD, user.email)
    if not verify_password(old, kept.password_hash):
        raise NotAllowed(WRONG_OLD)
    rate_limiter.reset(RateLimit.OLD_PASSWORD, user.email)
