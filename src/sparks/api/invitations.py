"""Invitations, made by administrators."""

from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path

from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.shapes import Answer, Bytes, FutureTime, Photos, Time, UserName, Uses, Wish
from sparks.auth.invitations import invitations, make_invitation, revoke_invitation
from sparks.auth.names import checked_name
from sparks.library.audit import Deed, audit
from sparks.model.access import Action
from sparks.model.account import Role
from sparks.model.credential import Invitation
from sparks.model.errors import NotAllowed, NotFound
from sparks.table.port import Table

GOOD_FOR: Final = timedelta(days=7)

InvitationId = Annotated[str, Path(alias="invitationId", max_length=200)]


class InvitationAnswer(Answer):
    """`usesLeft` is absent where as many may use it as like."""

    id: str
    role: Role
    note: str | None = None
    limit: int | None = None
    bytes_left: int | None = None
    uses_left: int | None = None
    created_by: str
    created_at: Time
    expires_at: Time | None = None


class NewInvitationAnswer(InvitationAnswer):
    """`url` is shown here and never again. `invitation` is what POST /api/register takes."""

    invitation: str
    url: str


class InvitationList(Answer):
    invitations: list[InvitationAnswer]


class NewInvitation(Wish):
    """For one use, within a week, unless it says otherwise. `uses` 0: as many as like."""

    role: Role = Role.MEMBER
    note: UserName | None = None
    limit: Photos | None = None
    bytes_left: Bytes | None = None
    uses: Uses = 1
    expires_at: FutureTime | None = None


class InvitationRoutes:
    def __init__(self, *, gate: Gate, table: Table, public_url: str) -> None:
        self._gate = gate
        self._table = table
        self._public_url = public_url

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="invitations")
        manage = Action.MANAGE_INVITATIONS
        routes.add("GET", "/api/invitations", manage, self.read_invitations)
        routes.add("POST", "/api/invitations", manage, self.create_invitation, status=201)
        routes.add(
            "DELETE", "/api/invitations/{invitationId}", manage, self.delete_invitation, status=204, errors=(404,)
        )
        return routes.router

    def read_invitations(self) -> InvitationList:
        """The invitations that are still good; not their links, which nobody can tell any more."""
        found = sorted(invitations(at=self._gate.now(), table=self._table), key=lambda each: each.created_at)
        return InvitationList(invitations=[InvitationAnswer(**_told(invitation)) for invitation in found])

    def create_invitation(self, who: MemberCaller, wish: NewInvitation) -> NewInvitationAnswer:
        """Make a link that whoever has it may register with. Send it on: it is shown once."""
        if wish.role is Role.ADMIN and who.via.kind != "session":
            raise NotAllowed("no API key or token may invite administrators: sign in in a browser")
        at = self._gate.now()
        invitation, secret = make_invitation(
            by=who.user,
            role=wish.role,
            note=None if wish.note is None else checked_name(wish.note),
            photos=wish.limit,
            bytes=wish.bytes_left,
            uses=wish.uses or None,
            expires_at=wish.expires_at or at + GOOD_FOR,
            at=at,
            table=self._table,
        )
        url = f"{self._public_url}/register#{secret.text}"
        return NewInvitationAnswer(**_told(invitation), invitation=secret.text, url=url)

    def delete_invitation(self, who: MemberCaller, invitation_id: InvitationId) -> None:
        """Revoke an invitation: nobody can use it from now on."""
        note = audit(Deed.INVITATION_REVOKED, who=who.email, target=invitation_id, at=self._gate.now())
        if not revoke_invitation(invitation_id, also=(note,), table=self._table):
            raise NotFound("there is no such invitation: it has expired or was revoked already")


def _told(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.invitation_id,
        "role": invitation.role,
        "note": invitation.note,
        "limit": invitation.photos,
        "bytes_left": invitation.bytes,
        "uses_left": invitation.uses_left,
        "created_by": invitation.created_by,
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
    }
