"""Whoever is asking: nobody that we know, a guest with a link, or a member with an account."""

from dataclasses import dataclass
from typing import Final, Literal

from sparks.model.account import User
from sparks.model.credential import KeyScope
from sparks.model.share import Guest, ShareLink, who_is_guest


@dataclass(frozen=True, slots=True)
class Anonymous:
    """Nobody that we know."""


@dataclass(frozen=True, slots=True)
class GuestCaller:
    """Somebody who came through a link, past its password if it has one."""

    link: ShareLink
    guest: Guest


@dataclass(frozen=True, slots=True)
class Credential:
    """What let a member in: the id of a session or key, or the subject of an issuer's token."""

    kind: Literal["session", "key", "token"]
    id: str


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with an account. `scopes` is what their key allows; None where no key limits them."""

    user: User
    via: Credential
    scopes: frozenset[KeyScope] | None = None

    @property
    def email(self) -> str:
        return self.user.email


Who = Anonymous | GuestCaller | Member

ANONYMOUS: Final = Anonymous()


def name_of(who: Who) -> str:
    """How rows and ledgers call them: an e-mail, `guest:{id}`, or nothing."""
    match who:
        case Member():
            return who.email
        case GuestCaller():
            return who_is_guest(who.guest.guest_id)
        case Anonymous():
            return ""
