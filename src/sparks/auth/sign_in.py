"""Signing in with a password. An unknown account and a wrong password are one answer, and one amount of work."""

from datetime import datetime
from typing import Final

from sparks.auth.passwords import hash_password, is_outdated, password_fits
from sparks.auth.rates import Rate, Rates
from sparks.library.accounts import find_user_and_password, replace_hash
from sparks.library.audit import UNKNOWN, Deed, audit
from sparks.model.account import Password, User, account_email
from sparks.model.errors import BadInput, NotSignedIn
from sparks.table.port import Table

WRONG: Final = (
    "the e-mail address or the password is wrong: check both, or ask an administrator to set a new password for you"
)
NOBODY: Final = "nobody@nowhere.invalid"


def sign_in(text: str, password: str, *, address: str, rates: Rates, at: datetime, table: Table) -> User:
    """Who they are; NotSignedIn where they are not, and TooManyTries where they were not too often."""
    email = _email(text)
    counted = address if email == NOBODY else email
    with rates.failures(Rate.PASSWORDS, address):
        rates.count(Rate.ACCOUNT, counted)
        user, kept = find_user_and_password(email, table=table)
        fits = password_fits(password, None if kept is None else kept.password_hash)
        if user is None or kept is None or not fits:
            _note_failure(email, user, address, at, table)
            raise NotSignedIn(WRONG)
    rates.forget(Rate.ACCOUNT, counted)
    _improve(kept, password, table)
    return user


def _email(text: str) -> str:
    """What is no address is nobody's: no account has that one, since nobody can register at `.invalid`."""
    try:
        return account_email(text)
    except BadInput:
        return NOBODY


def _note_failure(email: str, user: User | None, address: str, at: datetime, table: Table) -> None:
    """Written down whoever it was, so that it takes as long. Whoever mistypes may have typed their password instead of
    their name: what is no account is not kept.
    """
    known = email if user is not None else None
    table.write(audit(Deed.SIGN_IN_FAILED, who=UNKNOWN, target=known, address=address, at=at))


def _improve(kept: Password, password: str, table: Table) -> None:
    if is_outdated(kept.password_hash):
        replace_hash(kept, hash_password(password), table=table)
