"""Which identities of a provider an account has: linked from within it, and unlinked."""

from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.oidc import StateCookie, present
from sparks.api.shapes import Answer, Wish
from sparks.auth.oidc.accounts import unlink_account
from sparks.auth.oidc.connection import Connection
from sparks.auth.oidc.state import LONGEST_NEXT
from sparks.model.access import Action
from sparks.table.port import Table

IdentityId = Annotated[str, Path(alias="identityId", max_length=200)]


class LinkWish(Wish):
    """`next` is the path of this site to go to afterwards."""

    next: Annotated[str, Field(max_length=LONGEST_NEXT)] = "/"


class LinkAnswer(Answer):
    """Where the browser goes to prove whose identity it is."""

    url: str


class IdentityAnswer(Answer):
    """`current`: it is one of the provider that is set, so that one can sign in with it."""

    id: str
    issuer: str
    current: bool


class IdentityList(Answer):
    identities: list[IdentityAnswer]


class IdentityRoutes:
    def __init__(self, *, gate: Gate, table: Table, connection: Connection | None) -> None:
        self._gate = gate
        self._table = table
        self._connection = connection
        self._cookie = StateCookie(secure=gate.cookies.secure)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="me")
        here, doors = "/api/me/identities", Action.MANAGE_OWN_DOORS
        routes.add("GET", here, doors, self.read_identities)
        routes.add("POST", here, doors, self.link_identity, errors=(404,))
        routes.add("DELETE", f"{here}/{{identityId}}", doors, self.unlink_identity, status=204, errors=(404, 409))
        return routes.router

    def read_identities(self, who: MemberCaller) -> IdentityList:
        """The identities that belong to this account."""
        return IdentityList(identities=[self._answer(name) for name in who.user.identities])

    def link_identity(self, who: MemberCaller, wish: LinkWish, response: Response) -> LinkAnswer:
        """Begin to link an identity of the provider to this account: the browser goes to `url` next."""
        begun = present(self._connection).flow.begin(wish.next, link_to=who.email)
        self._cookie.give(response, begun.cookie)
        return LinkAnswer(url=begun.url)

    def unlink_identity(self, who: MemberCaller, identity_id: IdentityId) -> None:
        """Unlink an identity; 409 where it is the only way in."""
        name = next((name for name in who.user.identities if _id(name) == identity_id), "")
        unlink_account(who.user, name, issuer=self._issuer, at=self._gate.now(), table=self._table)

    @property
    def _issuer(self) -> str | None:
        return None if self._connection is None else self._connection.client.issuer

    def _answer(self, name: str) -> IdentityAnswer:
        issuer = name.partition("#")[0]
        return IdentityAnswer(id=_id(name), issuer=issuer, current=issuer == self._issuer)


def _id(name: str) -> str:
    """A name holds an address and whatever the provider calls somebody: in a path it goes by its hash."""
    return sha256(name.encode()).hexdigest()[:32]
