"""Routes that create, list and revoke one's own API keys."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import FutureTime, RequestModel, ResponseModel, Time, UserName
from sparks.auth.api_keys import keys_of, make_key, revoke_key
from sparks.library.audit import AuditAction, audit_row
from sparks.model.access import Action
from sparks.model.credential import ApiKey, KeyScope
from sparks.model.errors import NotFound
from sparks.table.port import Table

KeyId = Annotated[str, Path(alias="keyId", max_length=200)]


class ApiKeyResponse(ResponseModel):
    id: str
    name: str
    scopes: list[KeyScope]
    created_at: Time
    last_used_at: Time | None = None
    expires_at: Time | None = None


class NewApiKeyResponse(ApiKeyResponse):
    """`key` is the secret. It is shown only once."""

    key: str


class ApiKeyList(ResponseModel):
    keys: list[ApiKeyResponse]


class NewApiKeyRequest(RequestModel):
    """Without `scopes`, the key has every scope that your role allows."""

    name: UserName
    scopes: Annotated[list[KeyScope], Field(max_length=len(KeyScope))] | None = None
    expires_at: FutureTime | None = None


class ApiKeyRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table) -> None:
        self._authenticator = authenticator
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="keys")
        credentials = Action.MANAGE_OWN_CREDENTIALS
        routes.add("GET", "/api/me/keys", credentials, self.read_keys)
        routes.add("POST", "/api/me/keys", credentials, self.create_key, status=201)
        routes.add("DELETE", "/api/me/keys/{keyId}", credentials, self.delete_key, status=204, errors=(404,))
        return routes.router

    def read_keys(self, caller: CurrentMember) -> ApiKeyList:
        """List your API keys, without their secrets."""
        found = keys_of(caller.email, at=self._authenticator.now(), table=self._table)
        oldest_first = sorted(found, key=lambda key: key.created_at)
        return ApiKeyList(keys=[ApiKeyResponse(**_fields(key)) for key in oldest_first])

    def create_key(self, caller: CurrentMember, body: NewApiKeyRequest) -> NewApiKeyResponse:
        """Create an API key for a script or a program. Store the secret: it is shown only once."""
        at = self._authenticator.now()
        key, text = make_key(
            caller.user,
            name=body.name,
            scopes=body.scopes,
            expires_at=body.expires_at,
            at=at,
            table=self._table,
        )
        return NewApiKeyResponse(**_fields(key), key=text)

    def delete_key(self, caller: CurrentMember, key_id: KeyId) -> None:
        """Revoke an API key."""
        note = audit_row(AuditAction.KEY_REVOKED, who=caller.email, target=key_id, at=self._authenticator.now())
        if not revoke_key(caller.email, key_id, also=(note,), table=self._table):
            raise NotFound("you have no such API key: it has expired or was revoked already")


def _fields(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.key_id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "created_at": key.created_at,
        "last_used_at": key.last_used_at,
        "expires_at": key.expires_at,
    }
