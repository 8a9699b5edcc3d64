"""Invitations that create an account: create, find, use and revoke.

An invitation is valid only as long as its maker is an administrator.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.accounts.lifecycle import account_open_conditions
from sparks.library.accounts.users import find_user
from sparks.library.audit import AuditAction, audit_row
from sparks.library.records import from_item, key_of, to_item
from sparks.model.account import Role, User
from sparks.model.credential import Invitation
from sparks.model.errors import BadInput, NotAllowed
from sparks.model.secret import Secret, new_secret, parse_secret
from sparks.model.times import has_passed
from sparks.table.port import Add, AtLeast, Change, Check, Delete, Equals, Present, Put, Table, every

INVALID_INVITATION: Final = "this invitation is not valid (any more): ask the sender for a new one"


def make_invitation(
    by: User,
    *,
    role: Role = Role.MEMBER,
    photos: int | None = None,
    bytes: int | None = None,  # noqa: A002  as the limit calls them
    uses: int | None = 1,
    note: str | None = None,
    expires_at: datetime,
    at: datetime,
    table: Table,
) -> tuple[Invitation, Secret]:
    """Returns the row, and the secret for the link, which cannot be read again later. `uses` None: no limit."""
    if has_passed(expires_at, at=at):
        raise BadInput("an invitation must expire in the future: choose a later time")
    if uses is not None and uses < 1:
        raise BadInput("an invitation must allow at least one use")
    secret = new_secret()
    invitation = Invitation(
        invitation_id=secret.id,
        secret_hash=secret.hash,
        role=role,
        created_by=by.email,
        created_at=at,
        account_id=by.account_id,
        note=note,
        photos=photos,
        bytes=bytes,
        uses_left=uses,
        expires_at=expires_at,
        ttl=expires_at,
    )
    entry = audit_row(
        AuditAction.INVITATION_MADE, who=by.email, target=secret.id, role=role.value, uses=uses or 0, at=at
    )
    table.write(Put(to_item(invitation)), entry)
    return invitation, secret


def find_invitation(text: str, *, at: datetime, table: Table) -> Invitation:
    """The invitation of this secret. NotAllowed where it is unknown, used up, expired or revoked."""
    try:
        secret = parse_secret(text)
    except BadInput as error:
        raise NotAllowed(INVALID_INVITATION) from error
    item = table.get(keys.invitation(secret.id))
    if item is None:
        raise NotAllowed(INVALID_INVITATION)
    invitation = from_item(Invitation, item)
    if not secret.fits(invitation.secret_hash) or not _holds(invitation, at, table):
        raise NotAllowed(INVALID_INVITATION)
    return invitation


def use_invitation(invitation: Invitation) -> tuple[Change, Change]:
    """Changes for the transaction that creates the account. It fails where the last use is taken, or the maker of the
    invitation is not an administrator any more.
    """
    trusted = (*account_open_conditions(invitation.account_id), Equals("role", Role.ADMIN.value))
    used: Change = (
        Check(key_of(invitation), (Present(),))
        if invitation.uses_left is None
        else Add(key_of(invitation), {"usesLeft": -1}, when=(AtLeast("usesLeft", 1),))
    )
    return used, Check(keys.user(invitation.created_by), trusted)


def invitations(*, at: datetime, table: Table) -> Iterator[Invitation]:
    """All valid invitations."""
    for item in every(table, entity_types.INVITATIONS):
        invitation = from_item(Invitation, item)
        if _holds(invitation, at, table):
            yield invitation


def revoke_invitation(invitation_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Deletes the invitation. Returns whether there was one."""
    key = keys.invitation(invitation_id)
    if table.get(key) is None:
        return False
    table.write(Delete(key), *also)
    return True


def _holds(invitation: Invitation, at: datetime, table: Table) -> bool:
    if invitation.uses_left == 0 or has_passed(invitation.expires_at, at=at):
        return False
    maker = find_user(invitation.created_by, table=table)
    return maker is not None and maker.role is Role.ADMIN and maker.account_id == invitation.account_id
