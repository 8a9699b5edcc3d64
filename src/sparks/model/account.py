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
    email = _readable(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.strip()).lower()))
    if len(email) > MOST_EMAIL_CHARACTERS or not email.isprintable() or _EMAIL.fullmatch(email) is None:
        raise BadInput("that is not an e-mail address like ann@example.com")
    if guest_of(email) is not None:
        raise BadInput("an e-mail address does not begin with guest:")
    return email


def _readable(email: str) -> str:
    """With its domain in letters rather than in Punycode, so that it has one form."""
    name, _, domain = email.rpartition("@")
    if "xn--" not in domain or not domain.isascii():
        return email
    try:
        return f"{name}@{unicodedata.normalize('NFC', domain.encode().decode('idna').lower())}"
    except UnicodeError:
        return email


class Role(StrEnum):
    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Stored):
    """`email` never changes. Sessions of an earlier `session_epoch` are over.

    `account_id` tells it from an earlier or later account of the same address: what lets somebody in names it.
    `person_id` is who they are in the photos; `claimed_person_id` who they say that they are, until somebody confirms.
    `identities` are the OIDC identities that are this user, each `{iss}#{sub}`. From `removed_at` on the account is
    being removed, with all it owns: nobody signs in to it or sees it.
    """

    email: str
    username: str
    account_id: str | None = None
    role: Role = Role.MEMBER
    profile_picture: str | None = None
    person_id: str | None = None
    claimed_person_id: str | None = None
    created_at: datetime | None = None
    session_epoch: int = 0
    identities: tuple[str, ...] = ()
    removed_at: datetime | None = None


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
    """What the user may still upload, and what they were given: the difference is what they own or are uploading.

    Every row that Sparks writes has all four; one from elsewhere may have `photos_left` alone.
    """

    email: str
    photos_left: int
    bytes_left: int | None = None
    photos_given: int | None = None
    bytes_given: int | None = None

    @property
    def used(self) -> int | None:
        """The photos that they own or are uploading; None where nobody knows what was given."""
        return None if self.photos_given is None else self.photos_given - self.photos_left

    @property
    def bytes_used(self) -> int | None:
        return None if self.bytes_given is None or self.bytes_left is None else self.bytes_given - self.bytes_left


@dataclass(frozen=True, slots=True, kw_only=True)
class Administrators(Stored):
    """How many there are. Moves in the same transaction as a role, so that the last one stays."""

    count: int = 0
