"""What a provider says about somebody."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sparks.auth.names import checked_name
from sparks.model.account import account_email
from sparks.model.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """`(iss, sub)` is who they are. An e-mail address is worth something only if it is verified."""

    iss: str
    sub: str = field(repr=False)
    email: str | None = field(default=None, repr=False)
    email_verified: bool = False
    name: str | None = field(default=None, repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The claims that one may do without: what is odd is taken for not told."""

    email: str | None
    email_verified: bool
    name: str | None


def read_profile(told: Mapping[str, Any]) -> Profile:
    """[Note: verified] Cognito writes the word "true" at times; no other word, number or list means it."""
    email, verified = _email(told.get("email")), told.get("email_verified")
    return Profile(
        email=email,
        email_verified=email is not None and (verified is True or verified == "true"),
        name=_name(told.get("name")),
    )


def _email(told: object) -> str | None:
    """As accounts have it. [Note: look-alikes] The sign of a Kelvin becomes a k in small letters: an address that turns
    into another one like that was not verified as the other one.
    """
    if not isinstance(told, str):
        return None
    try:
        email = account_email(told)
    except BadInput:
        return None
    return email if email.isascii() == told.isascii() else None


def _name(told: object) -> str | None:
    try:
        return checked_name(told) if isinstance(told, str) else None
    except BadInput:
        return None
