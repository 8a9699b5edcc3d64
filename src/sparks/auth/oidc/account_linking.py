"""Account of an OIDC identity: found, linked, unlinked or created.

`(iss, sub)` is the identity. An e-mail address counts only if the provider has verified it, and gives access to an
existing account only where the administrator trusts the provider with that. Otherwise a user of the provider could
enter another user's address there, and take over their account or name here.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.auth.account_creation import UploadAllowance
from sparks.auth.account_names import checked_email, username_from_email
from sparks.auth.oidc.claims import Claims
from sparks.library import keys
from sparks.library.accounts.identities import identity_name, identity_of, link_identity, unlink_identity
from sparks.library.accounts.lifecycle import create_user
from sparks.library.accounts.users import find_identity, find_user, find_user_and_password
from sparks.library.audit import AuditAction, audit_row
from sparks.library.records import key_of
from sparks.model.account import Identity, Role, User
from sparks.model.errors import AlreadyThere, Conflict, NotAllowed, NotFound, NotSignedIn
from sparks.model.ids import random_id
from sparks.table.port import Check, Present, Table

NO_EMAIL: Final = (
    "this identity has no account yet, and the token holds no e-mail address to create one: sign in once in "
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
BEING_REMOVED: Final = "this account is being removed: you cannot sign in to it"
ONLY_WAY_IN: Final = "this is your only way to sign in: set a password first, or link another identity"
TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class NewAccountPolicy:
    """The settings for identities without an account. `allowance` is the upload limit of a new account."""

    sign_up: bool
    trust_email: bool
    allowance: UploadAllowance


def account_for(claims: Claims, *, policy: NewAccountPolicy, at: datetime, table: Table) -> User:
    """The account of the identity, found, linked or created. Parallel first sign-ins get the same account.

    NotSignedIn where it is being removed, NotAllowed where there is none and none may be created.
    """
    for _ in range(TRIES):
        user = find_account(claims.iss, claims.sub, table=table)
        if user is not None:
            return user
        email = _verified_email(claims)
        try:
            if find_user(email, table=table) is None:
                return _make_account(claims, email, policy, at, table)
            return _link_account(claims, email, policy, at, table)
        except AlreadyThere:
            continue  # another request was faster: the account is there now
    raise NotSignedIn(BEING_REMOVED)


def find_account(iss: str, sub: str, *, table: Table) -> User | None:
    """The account of the identity, or None. NotSignedIn where that account is being removed."""
    identity = find_identity(iss, sub, table=table)
    if identity is None:
        return None
    user = find_user(identity.email, table=table)
    if user is None or identity_name(identity) not in user.identities:
        raise NotSignedIn(BEING_REMOVED)
    return user


def link_account(claims: Claims, email: str, *, at: datetime, table: Table) -> User:
    """Links the identity to the account. AlreadyThere where it belongs to another account."""
    entry = audit_row(AuditAction.IDENTITY_LINKED, who=email, target=email, issuer=claims.iss, at=at)
    return link_identity(email, claims.iss, claims.sub, also=(entry,), table=table)


def unlink_account(user: User, name: str, *, issuer: str | None, at: datetime, table: Table) -> None:
    """Unlinks the identity of that name. NotFound where the user has no such identity.

    Conflict where it is the only way to sign in: no password, and no other identity at the configured provider. The
    same transaction checks that the remaining way is still there, so that two parallel requests cannot remove both.
    """
    if name not in user.identities:
        raise NotFound("there is no such identity in your account")
    _, password = find_user_and_password(user.email, table=table)
    others = [each for each in user.identities if each != name and identity_of(each, user.email).iss == issuer]
    if password is None and not others:
        raise Conflict(ONLY_WAY_IN)
    way_in = keys.password(user.email) if password is not None else key_of(identity_of(others[0], user.email))
    entry = audit_row(
        AuditAction.IDENTITY_UNLINKED, who=user.email, target=user.email, issuer=name.partition("#")[0], at=at
    )
    unlink_identity(user.email, name, also=(Check(way_in, (Present(),)), entry), table=table)


def _verified_email(claims: Claims) -> str:
    if claims.email is None:
        raise NotAllowed(NO_EMAIL)
    if not claims.email_verified:
        raise NotAllowed(UNVERIFIED)
    return claims.email


def _link_account(claims: Claims, email: str, policy: NewAccountPolicy, at: datetime, table: Table) -> User:
    """Links the identity, and ends all other credentials of the account. The address was not proved when the account
    was created, so it may have been created by another user, who must not keep access.
    """
    if not policy.trust_email:
        raise NotAllowed(EMAIL_TAKEN)
    entry = audit_row(AuditAction.IDENTITY_LINKED, who=email, target=email, issuer=claims.iss, alone=True, at=at)
    return link_identity(email, claims.iss, claims.sub, alone=True, also=(entry,), table=table)


def _make_account(claims: Claims, email: str, policy: NewAccountPolicy, at: datetime, table: Table) -> User:
    if not policy.sign_up:
        raise NotAllowed(BY_INVITATION)
    identity = Identity(iss=claims.iss, sub=claims.sub, email=checked_email(email))
    user = User(
        email=identity.email,
        username=claims.name or username_from_email(email),
        account_id=random_id(),
        created_at=at,
        identities=(identity_name(identity),),
    )
    create_user(
        user,
        photos=policy.allowance.photos,
        bytes=policy.allowance.bytes,
        identity=identity,
        also=(
            audit_row(AuditAction.USER_MADE, who=email, target=email, role=Role.MEMBER.value, issuer=claims.iss, at=at),
        ),
        table=table,
    )
    return user
