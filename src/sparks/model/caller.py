"""Caller of a request: anonymous, a guest with a link, or a member."""

from dataclasses import dataclass
from typing import Final, Literal

from sparks.model.account import User
from sparks.model.credential import KeyScope
from sparks.model.share import Guest, ShareLink, who_is_guest


@dataclass(frozen=True, slots=True)
class Anonymous:
    """A caller without credentials."""


@dataclass(frozen=True, slots=True)
class GuestCaller:
    """A guest who opened a link, with its password if it has one."""

    link: ShareLink
    guest: Guest


@dataclass(frozen=True, slots=True)
class Credential:
    """The credential of a member: the id of a session or key, or the subject of an issuer's token."""

    kind: Literal["session", "key", "token"]
    id: str


@dataclass(frozen=True, slots=True)
class Member:
    """A user as a caller. `scopes` are those of their API key; None where no key limits them."""

    user: User
    via: Credential
    scopes: frozenset[KeyScope] | None = None

    @property
    def email(self) -> str:
        return self.user.email


Caller = Anonymous | GuestCaller | Member

ANONYMOUS: Final = Anonymous()


def caller_name(caller: Caller) -> str:
    """The name of the caller in rows and logs: an e-mail, `guest:{id}`, or nothing."""
    match caller:
        case Member():
            return caller.email
        case GuestCaller():
            return who_is_guest(caller.guest.guest_id)
        case Anonymous():
            return ""
