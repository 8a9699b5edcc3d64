"""Which account somebody is who was let in by the provider: found, linked or made.

`(iss, sub)` is the identity. An e-mail address opens an account that is there already only where the administrator
trusts the provider with that, and makes a new one only if the provider has verified it: otherwise anybody could take
somebody else's address there, and with it their account or their name here.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.auth.names import name_from, new_email
from sparks.auth.oidc.claims import Claims
from sparks.auth.registration import Allowance
from sparks.library import keys
from sparks.library.accounts import (
    create_user,
    find_identity,
    find_user,
    find_user_and_password,
    identity_name,
    identity_of,
    link_identity,
    unlink_identity,
)
from sparks.library.audit import Deed, audit
from sparks.library.records import key_of
from sparks.model.account import Identity, Role, User
from sparks.model.errors import AlreadyThere, Conflict, NotAllowed, NotFound, NotSignedIn
from sparks.model.ids import random_id
from sparks.table.port import Check, Present, Table

NO_EMAIL: Final = (
    "nobody has signed in with this identity yet, and the provider tells no e-mail address with it: sign in once in "
    "the browser, or send the ID token instead of the access token"
)
UNVERIFIED: Final = (
    "the provider has not verified your e-mail address: verify it there and sign in again, or, if you have a password "
    "here, sign in with that and link the provider in your account"
)
EMAIL_TAKEN: Final = (
    "there is an account with your e-mail address already, and it is not linked to the provider: sign in with your "
    "password and link it in your account"
)
BY_INVITATION: Final = "there is no account for you here yet: ask an administrator for an invitation"
BEING_REMOVED: Final = "this account is being removed: nobody can sign in to it"
ONLY_WAY_IN: Final = "this is the only way in that you have: set a password first, or link another identity"
TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Welcome:
    """What the settings say about people who are new here. `allowance` is what a new account may upload."""

    sign_up: bool
    trust_email: bool
    allowance: Allowance


def account_for(claims: Claims, *, welcome: Welcome, at: datetime, table: Table) -> User:
    """The account; however many first sign-ins of somebody run at once, it is one and the same.

    NotSignedIn where it is being removed, NotAllowed where there is none and none is made.
    """
    for _ in range(TRIES):
        user = find_account(claims.iss, claims.sub, table=table)
        if user is not None:
            return user
        email = _verified_email(claims)
        try:
            if find_user(email, table=table) is None:
                return _make_account(claims, email, welcome, at, table)
            return _link_account(claims, email, welcome, at, table)
        except AlreadyThere:
            continue  # somebody was faster: it is there now
    raise NotSignedIn(BEING_REMOVED)


def find_account(iss: str, sub: str, *, table: Table) -> User | None:
    """Whose identity it is, None where it is nobody's. NotSignedIn where that account is being removed."""
    identity = find_identity(iss, sub, table=table)
    if identity is None:
        return None
    user = find_user(identity.email, table=table)
    if user is None or identity_name(identity) not in user.identities:
        raise NotSignedIn(BEING_REMOVED)
    return user


def link_account(claims: Claims, email: str, *, at: datetime, table: Table) -> User:
    """The identity is that account's from now on. AlreadyThere where it is another's."""
    entry = audit(Deed.IDENTITY_LINKED, who=email, target=email, issuer=claims.iss, at=at)
    return link_identity(email, claims.iss, claims.sub, also=(entry,), table=table)


def unlink_account(user: User, name: str, *, issuer: str | None, at: datetime, table: Table) -> None:
    """The identity of that name is nobody's from now on. NotFound where it is not the user's.

    Conflict where it is the only way in: no password, and no other identity at the provider that is set. [Note: both at
    once] Whichever way in is left is checked to be there in the same transaction, so that two who each take the other
    one's away cannot both succeed.
    """
    if name not in user.identities:
        raise NotFound("there is no such identity in your account")
    _, password = find_user_and_password(user.email, table=table)
    others = [each for each in user.identities if each != name and identity_of(each, user.email).iss == issuer]
    if password is None and not others:
        raise Conflict(ONLY_WAY_IN)
    way_in = keys.password(user.email) if password is not None else key_of(identity_of(others[0], user.email))
    entry = audit(Deed.IDENTITY_UNLINKED, who=user.email, target=user.email, issuer=name.partition("#")[0], at=at)
    unlink_identity(user.email, name, also=(Check(way_in, (Present(),)), entry), table=table)


def _verified_email(claims: Claims) -> str:
    if claims.email is None:
        raise NotAllowed(NO_EMAIL)
    if not claims.email_verified:
        raise NotAllowed(UNVERIFIED)
    return claims.email


def _link_account(claims: Claims, email: str, welcome: Welcome, at: datetime, table: Table) -> User:
    """[Note: taken beforehand] Nobody has proved that the address is theirs when the account was made. So whoever made
    it, if they are somebody else, must not stay in it beside its rightful owner.
    """
    if not welcome.trust_email:
        raise NotAllowed(EMAIL_TAKEN)
    entry = audit(Deed.IDENTITY_LINKED, who=email, target=email, issuer=claims.iss, alone=True, at=at)
    return link_identity(email, claims.iss, claims.sub, alone=True, also=(entry,), table=table)


def _make_account(claims: Claims, email: str, welcome: Welcome, at: datetime, table: Table) -> User:
    if not welcome.sign_up:
        raise NotAllowed(BY_INVITATION)
    identity = Identity(iss=claims.iss, sub=claims.sub, email=new_email(email))
    user = User(
        email=identity.email,
        username=claims.name or name_from(email),
        account_id=random_id(),
        created_at=at,
        identities=(identity_name(identity),),
    )
    create_user(
        user,
        photos=welcome.allowance.photos,
        bytes=welcome.allowance.bytes,
        identity=identity,
        also=(audit(Deed.USER_MADE, who=email, target=email, role=Role.MEMBER.value, issuer=claims.iss, at=at),),
        table=table,
    )
    return user
