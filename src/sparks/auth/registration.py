"""Newcomers: the first administrator, those who are invited, and those who find the door open."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sparks.auth.invitations import NOT_GOOD, find_invitation, using
from sparks.auth.names import checked_name, name_from, new_email
from sparks.auth.passwords import checked_password, hash_password
from sparks.library.accounts import TAKEN, create_user
from sparks.library.audit import Deed, audit
from sparks.model.account import Role, User
from sparks.model.errors import AlreadyThere, ConditionFailed, NotAllowed
from sparks.model.ids import random_id
from sparks.table.port import Change, Table


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much a new account may upload, where nobody says otherwise."""

    photos: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What somebody says of themselves. Checked when it is made: BadInput says what is wrong."""

    email: str
    password: str | None = field(repr=False)
    username: str

    @classmethod
    def called(cls, email: str, password: str | None, username: str | None = None) -> "Newcomer":
        address = new_email(email)
        name = checked_name(username) if username is not None else name_from(address)
        return cls(address, None if password is None else checked_password(password, email=address), name)

    def user(self, role: Role, at: datetime) -> User:
        return User(email=self.email, username=self.username, account_id=random_id(), role=role, created_at=at)


def add_user(
    newcomer: Newcomer,
    *,
    role: Role = Role.MEMBER,
    allowance: Allowance,
    by: str,
    first_administrator: bool = False,
    deed: Deed = Deed.USER_MADE,
    invitation: str | None = None,
    also: Sequence[Change] = (),
    at: datetime,
    table: Table,
) -> User:
    """The account, written down in the audit trail as made `by` somebody."""
    user = newcomer.user(role, at)
    create_user(
        user,
        photos=allowance.photos,
        bytes=allowance.bytes,
        password_hash=None if newcomer.password is None else hash_password(newcomer.password),
        first_administrator=first_administrator,
        also=(audit(deed, who=by, target=user.email, role=role.value, invitation=invitation, at=at), *also),
        table=table,
    )
    return user


def register(
    newcomer: Newcomer, *, invitation: str | None, is_open: bool, allowance: Allowance, at: datetime, table: Table
) -> User:
    """An account for whoever brings a good invitation, or for everyone where registration is open."""
    if invitation is None:
        if not is_open:
            raise NotAllowed("registration is by invitation here: ask an administrator for one")
        return add_user(newcomer, allowance=allowance, by=newcomer.email, at=at, table=table)
    found = find_invitation(invitation, at=at, table=table)
    if newcomer.email == found.created_by:
        raise AlreadyThere(TAKEN)
    given = Allowance(
        allowance.photos if found.photos is None else found.photos,
        allowance.bytes if found.bytes is None else found.bytes,
    )
    try:
        return add_user(
            newcomer,
            role=found.role,
            allowance=given,
            by=newcomer.email,
            invitation=found.invitation_id,
            also=using(found),
            at=at,
            table=table,
        )
    except ConditionFailed as error:
        raise NotAllowed(NOT_GOOD) from error
