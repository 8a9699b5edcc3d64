"""One's own API keys."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.shapes import Answer, FutureTime, Time, UserName, Wish
from sparks.auth.api_keys import keys_of, make_key, revoke_key
from sparks.library.audit import Deed, audit
from sparks.model.access import Action
from sparks.model.credential import ApiKey, KeyScope
from sparks.model.errors import NotFound
from sparks.table.port import Table

KeyId = Annotated[str, Path(alias="keyId", max_length=200)]


class KeyAnswer(Answer):
    id: str
    name: str
    scopes: list[KeyScope]
    created_at: Time
    last_used_at: Time | None = None
    expires_at: Time | None = None


class NewKeyAnswer(KeyAnswer):
    """`key` is shown here and never again."""

    key: str


class KeyList(Answer):
    keys: list[KeyAnswer]


class NewKey(Wish):
    """Without scopes, the key has all that your role allows."""

    name: UserName
    scopes: Annotated[list[KeyScope], Field(max_length=len(KeyScope))] | None = None
    expires_at: FutureTime | None = None


class KeyRoutes:
    def __init__(self, *, gate: Gate, table: Table) -> None:
        self._gate = gate
        self._table = table

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="keys")
        doors = Action.MANAGE_OWN_DOORS
        routes.add("GET", "/api/me/keys", doors, self.read_keys)
        routes.add("POST", "/api/me/keys", doors, self.create_key, status=201)
        routes.add("DELETE", "/api/me/keys/{keyId}", doors, self.delete_key, status=204, errors=(404,))
        return routes.router

    def read_keys(self, who: MemberCaller) -> KeyList:
        """Your keys; not the secrets, which nobody can tell any more."""
        found = sorted(keys_of(who.email, at=self._gate.now(), table=self._table), key=lambda key: key.created_at)
        return KeyList(keys=[KeyAnswer(**_told(key)) for key in found])

    def create_key(self, who: MemberCaller, wish: NewKey) -> NewKeyAnswer:
        """Make a key for a script or a program. Keep what is answered: it is shown once."""
        at = self._gate.now()
        key, text = make_key(
            who.user,
            name=wish.name,
            scopes=wish.scopes,
            expires_at=wish.expires_at,
            at=at,
            table=self._table,
        )
        return NewKeyAnswer(**_told(key), key=text)

    def delete_key(self, who: MemberCaller, key_id: KeyId) -> None:
        """Revoke a key: nobody can use it from now on."""
        note = audit(Deed.KEY_REVOKED, who=who.email, target=key_id, at=self._gate.now())
        if not revoke_key(who.email, key_id, also=(note,), table=self._table):
            raise NotFound("you have no such key: it has expired or was revoked already")


def _told(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.key_id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "created_at": key.created_at,
        "last_used_at": key.last_used_at,
        "expires_at": key.expires_at,
    }
