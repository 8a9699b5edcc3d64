"""Invitations: a link that makes an account, with a role and a limit, once or many times, until it expires.

An invitation is the word of an administrator: it holds no longer than they are one.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.accounts import find_user, is_open
from sparks.library.audit import Deed, audit
from sparks.library.records import from_item, key_of, to_item
from sparks.model.account import Role, User
from sparks.model.credential import Invitation
from sparks.model.errors import BadInput, NotAllowed
from sparks.model.secret import Secret, new_secret, parse_secret
from sparks.model.times import has_passed
from sparks.table.port import Add, AtLeast, Change, Check, Delete, Equals, Present, Put, Table, every

NOT_GOOD: Final = "this invitation is not good (any more): ask whoever sent it for a new one"


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
    """The row, and the secret that the link carries, which nobody can tell later. `uses` None: as many as like."""
    if has_passed(expires_at, at=at):
        raise BadInput("an invitation must expire in the future: choose a later time")
    if uses is not None and uses < 1:
        raise BadInput("an invitation can be used once at least")
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
    entry = audit(Deed.INVITATION_MADE, who=by.email, target=secret.id, role=role.value, uses=uses or 0, at=at)
    table.write(Put(to_item(invitation)), entry)
    return invitation, secret


def find_invitation(text: str, *, at: datetime, table: Table) -> Invitation:
    """The invitation whose secret this is; NotAllowed where it is none, used up, over or revoked."""
    try:
        secret = parse_secret(text)
    except BadInput as error:
        raise NotAllowed(NOT_GOOD) from error
    item = table.get(keys.invitation(secret.id))
    if item is None:
        raise NotAllowed(NOT_GOOD)
    invitation = from_item(Invitation, item)
    if not secret.fits(invitation.secret_hash) or not _holds(invitation, at, table):
        raise NotAllowed(NOT_GOOD)
    return invitation


def using(invitation: Invitation) -> tuple[Change, Change]:
    """Part of the transaction that makes the account: it fails for whoever comes second to the last use, and where the
    maker is no administrator any more.
    """
    trusted = (*is_open(invitation.account_id), Equals("role", Role.ADMIN.value))
    used: Change = (
        Check(key_of(invitation), (Present(),))
        if invitation.uses_left is None
        else Add(key_of(invitation), {"usesLeft": -1}, when=(AtLeast("usesLeft", 1),))
    )
    return used, Check(keys.user(invitation.created_by), trusted)


def invitations(*, at: datetime, table: Table) -> Iterator[Invitation]:
    """Those that still hold."""
    for item in every(table, entity_types.INVITATIONS):
        invitation = from_item(Invitation, item)
        if _holds(invitation, at, table):
            yield invitation


def revoke_invitation(invitation_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Whether there was such an invitation."""
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
