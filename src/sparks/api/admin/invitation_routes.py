"""Routes that create, list and revoke invitations."""

from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path

from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import (
    ByteCount,
    FutureTime,
    PhotoCount,
    RequestModel,
    ResponseModel,
    Time,
    UserName,
    Uses,
)
from sparks.auth.account_names import checked_username
from sparks.auth.invitations import invitations, make_invitation, revoke_invitation
from sparks.library.audit import AuditAction, audit_row
from sparks.model.access import Action, authorize_invitation
from sparks.model.account import Role
from sparks.model.credential import Invitation
from sparks.model.errors import NotFound
from sparks.table.port import Table

VALID_FOR: Final = timedelta(days=7)

InvitationId = Annotated[str, Path(alias="invitationId", max_length=200)]


class InvitationResponse(ResponseModel):
    """`usesLeft` is absent where the number of uses is not limited."""

    id: str
    role: Role
    note: str | None = None
    limit: int | None = None
    bytes_left: int | None = None
    uses_left: int | None = None
    created_by: str
    created_at: Time
    expires_at: Time | None = None


class NewInvitationResponse(InvitationResponse):
    """`url` is shown only once. `invitation` is the field of POST /api/register."""

    invitation: str
    url: str


class InvitationList(ResponseModel):
    invitations: list[InvitationResponse]


class NewInvitation(RequestModel):
    """By default valid for one use, within a week. `uses` 0: any number of uses."""

    role: Role = Role.MEMBER
    note: UserName | None = None
    limit: PhotoCount | None = None
    bytes_left: ByteCount | None = None
    uses: Uses = 1
    expires_at: FutureTime | None = None


class InvitationRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, public_url: str) -> None:
        self._authenticator = authenticator
        self._table = table
        self._public_url = public_url

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="invitations")
        manage = Action.MANAGE_INVITATIONS
        routes.add("GET", "/api/invitations", manage, self.read_invitations)
        routes.add("POST", "/api/invitations", manage, self.create_invitation, status=201)
        routes.add(
            "DELETE", "/api/invitations/{invitationId}", manage, self.delete_invitation, status=204, errors=(404,)
        )
        return routes.router

    def read_invitations(self) -> InvitationList:
        """List the invitations that are still valid, without their links."""
        found = sorted(invitations(at=self._authenticator.now(), table=self._table), key=lambda each: each.created_at)
        return InvitationList(invitations=[InvitationResponse(**_fields(invitation)) for invitation in found])

    def create_invitation(self, caller: CurrentMember, body: NewInvitation) -> NewInvitationResponse:
        """Create an invitation: a link by which its holder may register. It is shown only once."""
        authorize_invitation(caller, body.role)
        at = self._authenticator.now()
        invitation, secret = make_invitation(
            by=caller.user,
            role=body.role,
            note=None if body.note is None else checked_username(body.note),
            photos=body.limit,
            bytes=body.bytes_left,
            uses=body.uses or None,
            expires_at=body.expires_at or at + VALID_FOR,
            at=at,
            table=self._table,
        )
        url = f"{self._public_url}/register#{secret.text}"
        return NewInvitationResponse(**_fields(invitation), invitation=secret.text, url=url)

    def delete_invitation(self, caller: CurrentMember, invitation_id: InvitationId) -> None:
        """Revoke an invitation."""
        note = audit_row(
            AuditAction.INVITATION_REVOKED, who=caller.email, target=invitation_id, at=self._authenticator.now()
        )
        if not revoke_invitation(invitation_id, also=(note,), table=self._table):
            raise NotFound("there is no such invitation: it has expired or was revoked already")


def _fields(invitation: Invitation) -> dict[str, Any]:
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
