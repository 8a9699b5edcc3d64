"""Validation of e-mail addresses and display names."""

import unicodedata
from typing import Final

import email_validator

from sparks.model.account import account_email
from sparks.model.errors import BadInput

MAX_NAME_LENGTH: Final = 60

_HOME_DOMAINS: Final = frozenset({"local", "localhost", "test"})

# Sparks sends no mail, and a home server may have users at a made-up domain of its own.
email_validator.SPECIAL_USE_DOMAIN_NAMES[:] = [
    name for name in email_validator.SPECIAL_USE_DOMAIN_NAMES if name not in _HOME_DOMAINS
]


def checked_email(text: str) -> str:
    """The address in the form that keys a new account. BadInput, with the reason, for an invalid one."""
    email = account_email(text)
    try:
        email_validator.validate_email(email, check_deliverability=False, globally_deliverable=False)
    except email_validator.EmailNotValidError as error:
        raise BadInput(f"that is not an e-mail address: {error}") from error
    if "/" in email:
        raise BadInput("an e-mail address with a / cannot be used here: use another one")
    return email


def checked_username(text: str) -> str:
    """The name without surrounding spaces. BadInput unless it can be shown in one line."""
    name = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise BadInput(f"a name has 1 to {MAX_NAME_LENGTH} characters that can be seen, in one line")
    return name


def username_from_email(email: str) -> str:
    """The name of a user who has not chosen one."""
    return email.partition("@")[0][:MAX_NAME_LENGTH]
