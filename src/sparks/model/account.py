"""An account: who somebody is, how they prove it, and how much they may still upload."""

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.errors import BadInput
from sparks.model.share import guest_of
from sparks.model.stored import Stored

MOST_EMAIL_CHARACTERS: Final = 254

_EMAIL: Final = re.compile(r"[^\s@]+@[^\s@#]+")


def account_email(text: str) -> str:
    """The address as its account is keyed: trimmed, lower-case, NFC. BadInput for what no key could hold.

    Whether it is a good address is for those to say who register it. Here it has one `@` with text on both sides, no
    space or control character, no `#` behind the `@`, and does not look like a guest.
    """
    email = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.strip()).lower())
    if len(email) > MOST_EMAIL_CHARACTERS or not email.isprintable() or _EMAIL.fullmatch(email) is None:
        raise BadInput("that is not an e-mail address")
    if guest_of(email) is not None:
        raise BadInput("an e-mail address does not begin with guest:")
    return email


class Role(StrEnum):
    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Stored):
    """`email` never changes. Sessions of an earlier `session_epoch` are over."""

    email: str
    username: str
    role: Role = Role.MEMBER
    profile_picture: str | None = None
    person_id: str | None = None
    created_at: datetime | None = None
    session_epoch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Password(Stored):
    email: str
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity(Stored):
    """An OIDC identity, `sub` at the issuer `iss`, is the user `email`. No e-mail claim is believed instead."""

    iss: str
    sub: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadLimit(Stored):
    """What the user may still upload; `bytes_left` is None where only photos are counted."""

    email: str
    photos_left: int
    bytes_left: int | None = None
