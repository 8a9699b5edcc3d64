"""Claims of a token: identity, e-mail address and name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sparks.auth.account_names import checked_username
from sparks.model.account import account_email
from sparks.model.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """`(iss, sub)` is the identity. The e-mail address counts only if it is verified."""

    iss: str
    sub: str = field(repr=False)
    email: str | None = field(default=None, repr=False)
    email_verified: bool = False
    name: str | None = field(default=None, repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileClaims:
    """The optional claims. A malformed claim counts as absent."""

    email: str | None
    email_verified: bool
    name: str | None


def read_profile(claims: Mapping[str, Any]) -> ProfileClaims:
    """Cognito sometimes writes `email_verified` as the string "true". No other string, number or list is true."""
    email, verified = _email(claims.get("email")), claims.get("email_verified")
    return ProfileClaims(
        email=email,
        email_verified=email is not None and (verified is True or verified == "true"),
        name=_name(claims.get("name")),
    )


def _email(claim: object) -> str | None:
    """The address as accounts are keyed. None where that form is another address than the verified one: in lower case
    the Kelvin sign becomes the letter k.
    """
    if not isinstance(claim, str):
        return None
    try:
        email = account_email(claim)
    except BadInput:
        return None
    return email if email.isascii() == claim.isascii() else None


def _name(claim: object) -> str | None:
    try:
        return checked_username(claim) if isinstance(claim, str) else None
    except BadInput:
        return None
