"""Account of a user: role, password, identities and upload limit."""

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.errors import BadInput
from sparks.model.share import guest_of
from sparks.model.stored import Stored

MAX_EMAIL_LENGTH: Final = 254

_EMAIL: Final = re.compile(r"[^\s@]+@[^\s@#]+")


def account_email(text: str) -> str:
    """The address as its account is keyed: trimmed, lower-case, NFC. BadInput for text that no key can hold.

    It has one `@` with text on both sides, no space or control character, no `#` behind the `@`, and does not look like
    a guest. Registration checks whether it is a usable address.
    """
    email = _readable(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.strip()).lower()))
    if len(email) > MAX_EMAIL_LENGTH or not email.isprintable() or _EMAIL.fullmatch(email) is None:
        raise BadInput("that is not an e-mail address like ann@example.com")
    if guest_of(email) is not None:
        raise BadInput("an e-mail address cannot begin with guest:")
    return email


def _readable(email: str) -> str:
    """The address with its domain decoded from Punycode, so that it has one form."""
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
    """`email` never changes. A session with an earlier `session_epoch` has ended.

    `account_id` tells the account from an earlier or later one of the same address: every credential names it.
    `person_id` is the person that the user is in photos; `claimed_person_id` is the person that they claim to be, until
    that is confirmed. `identities` are the OIDC identities of the user, each `{iss}#{sub}`. From `removed_at` on the
    account is being removed with all that it owns: it is hidden and cannot be signed in to.
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
    source_id: str | None = None  # in the service from which the account was migrated
    removed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Password(Stored):
    email: str
    password_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity(Stored):
    """An OIDC identity, `sub` at the issuer `iss`, of the user `email`. An e-mail claim is never used instead."""

    iss: str
    sub: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadLimit(Stored):
    """The photos and bytes that the user may still upload and those that were granted: the difference is in use.

    Every row that Sparks writes has all four; an imported one may have `photos_left` alone.
    """

    email: str
    photos_left: int
    bytes_left: int | None = None
    photos_given: int | None = None
    bytes_given: int | None = None

    @property
    def used(self) -> int | None:
        """The photos that the user owns or is uploading; None where the granted number is unknown."""
        return None if self.photos_given is None else self.photos_given - self.photos_left

    @property
    def bytes_used(self) -> int | None:
        return None if self.bytes_given is None or self.bytes_left is None else self.bytes_given - self.bytes_left


@dataclass(frozen=True, slots=True, kw_only=True)
class Administrators(Stored):
    """The number of administrators. It moves in the same transaction as a role, so that the last one stays."""

    count: int = 0
