"""What people may be called: the address they register with, and the name that others see."""

import unicodedata
from typing import Final

import email_validator

from sparks.model.account import account_email
from sparks.model.errors import BadInput

LONGEST_NAME: Final = 60

_HOME_DOMAINS: Final = frozenset({"local", "localhost", "test"})

# Nobody writes to these addresses: a home server may well have users at its own, made-up domain.
email_validator.SPECIAL_USE_DOMAIN_NAMES[:] = [
    name for name in email_validator.SPECIAL_USE_DOMAIN_NAMES if name not in _HOME_DOMAINS
]


def new_email(text: str) -> str:
    """The address as a new account is keyed; BadInput, saying why, where it is no good one."""
    email = account_email(text)
    try:
        email_validator.validate_email(email, check_deliverability=False, globally_deliverable=False)
    except email_validator.EmailNotValidError as error:
        raise BadInput(f"that is not an e-mail address: {error}") from error
    if "/" in email:
        raise BadInput("an e-mail address with a / cannot be used here: use another one")
    return email


def checked_name(text: str) -> str:
    """A name that can be shown in a line; BadInput otherwise."""
    name = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadInput(f"a name has 1 to {LONGEST_NAME} characters that can be seen, in one line")
    return name


def name_from(email: str) -> str:
    """What to call somebody who did not say."""
    return email.partition("@")[0][:LONGEST_NAME]
