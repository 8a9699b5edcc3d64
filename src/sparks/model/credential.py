"""Credentials of an account: session, API key and invitation, each with a secret's hash."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sparks.model.account import Role
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Stored):
    """A browser that is signed in. It ends at `expires_at`, or when the user's `session_epoch` rises.

    Every use moves `expires_at` on, but never past `ends_at`.
    """

    session_id: str
    email: str
    secret_hash: str = field(repr=False)
    created_at: datetime
    expires_at: datetime
    ends_at: datetime | None = None
    account_id: str | None = None
    session_epoch: int = 0
    last_used_at: datetime | None = None
    device: str | None = None  # as the browser calls itself
    ttl: datetime | None = None


class KeyScope(StrEnum):
    READ = "read"
    UPLOAD = "upload"
    EDIT = "edit"
    PEOPLE = "people"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Stored):
    key_id: str
    email: str
    name: str
    secret_hash: str = field(repr=False)
    scopes: frozenset[KeyScope]
    created_at: datetime
    account_id: str | None = None
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation(Stored):
    """Creates accounts with this role and limit. `uses_left` is None where the number of uses is not limited."""

    invitation_id: str
    secret_hash: str = field(repr=False)
    role: Role
    created_by: str
    created_at: datetime
    account_id: str | None = None  # of its creator
    note: str | None = None  # names the invited
    photos: int | None = None
    bytes: int | None = None
    uses_left: int | None = None
    expires_at: datetime | None = None
    ttl: datetime | None = None
