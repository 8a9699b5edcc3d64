"""Creation of accounts: by invitation, open registration, or an administrator."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sparks.auth.account_names import checked_email, checked_username, username_from_email
from sparks.auth.invitations import INVALID_INVITATION, find_invitation, use_invitation
from sparks.auth.passwords import checked_password, hash_password
from sparks.library.accounts.lifecycle import TAKEN, create_user
from sparks.library.audit import AuditAction, audit_row
from sparks.model.account import Role, User
from sparks.model.errors import AlreadyThere, ConditionFailed, NotAllowed
from sparks.model.ids import random_id
from sparks.table.port import Change, Table


@dataclass(frozen=True, slots=True)
class UploadAllowance:
    """The upload limit of a new account, unless an invitation or an administrator sets another one."""

    photos: int
    bytes: int


@dataclass(frozen=True, slots=True)
class NewAccount:
    """The data of a new account. `called` checks it; its BadInput says what is wrong."""

    email: str
    password: str | None = field(repr=False)
    username: str

    @classmethod
    def called(cls, email: str, password: str | None, username: str | None = None) -> "NewAccount":
        address = checked_email(email)
        name = checked_username(username) if username is not None else username_from_email(address)
        return cls(address, None if password is None else checked_password(password, email=address), name)

    def user(self, role: Role, at: datetime) -> User:
        return User(email=self.email, username=self.username, account_id=random_id(), role=role, created_at=at)


def add_user(
    account: NewAccount,
    *,
    role: Role = Role.MEMBER,
    allowance: UploadAllowance,
    by: str,
    first_administrator: bool = False,
    action: AuditAction = AuditAction.USER_MADE,
    invitation: str | None = None,
    also: Sequence[Change] = (),
    at: datetime,
    table: Table,
) -> User:
    """Creates the account, with an entry in the audit log that `by` created it."""
    user = account.user(role, at)
    create_user(
        user,
        photos=allowance.photos,
        bytes=allowance.bytes,
        password_hash=None if account.password is None else hash_password(account.password),
        first_administrator=first_administrator,
        also=(audit_row(action, who=by, target=user.email, role=role.value, invitation=invitation, at=at), *also),
        table=table,
    )
    return user


def register(
    account: NewAccount,
    *,
    invitation: str | None,
    is_open: bool,
    allowance: UploadAllowance,
    at: datetime,
    table: Table,
) -> User:
    """Creates an account by a valid invitation, or without one where registration is open. NotAllowed otherwise."""
    if invitation is None:
        if not is_open:
            raise NotAllowed("registration is by invitation here: ask an administrator for one")
        return add_user(account, allowance=allowance, by=account.email, at=at, table=table)
    found = find_invitation(invitation, at=at, table=table)
    if account.email == found.created_by:
        raise AlreadyThere(TAKEN)
    invited = UploadAllowance(
        allowance.photos if found.photos is None else found.photos,
        allowance.bytes if found.bytes is None else found.bytes,
    )
    try:
        return add_user(
            account,
            role=found.role,
            allowance=invited,
            by=account.email,
            invitation=found.invitation_id,
            also=use_invitation(found),
            at=at,
            table=table,
        )
    except ConditionFailed as error:
        raise NotAllowed(INVALID_INVITATION) from error
