"""Signing in and out."""

from collections.abc import Callable

from fastapi import APIRouter, Request, Response

from sparks.api.document import NEW_SESSION
from sparks.api.entrance import Entrance
from sparks.api.gate import Gate, MemberCaller, Routes, address_of
from sparks.api.shapes import Answer, Email, NewPassword, Wish
from sparks.api.users import UserAnswer, user_answer
from sparks.auth.sessions import end_session
from sparks.auth.sign_in import sign_in
from sparks.library.audit import Deed, audit
from sparks.model.access import Action
from sparks.model.account import User
from sparks.table.port import Table


class SignIn(Wish):
    email: Email
    password: NewPassword


class SignedOut(Answer):
    """`logoutUrl` is where to go to be signed out of the provider too."""

    logout_url: str | None = None


class SessionRoutes:
    def __init__(
        self, *, gate: Gate, entrance: Entrance, table: Table, logout_url: Callable[[User], str | None]
    ) -> None:
        self._gate = gate
        self._entrance = entrance
        self._table = table
        self._logout_url = logout_url

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="sessions")
        here = "/api/session"
        errors, signed_in = (401, 403, 429), {200: NEW_SESSION}
        routes.add("POST", here, Action.VISIT, self.create_session, errors=errors, responses=signed_in)
        routes.add("DELETE", here, Action.SIGN_OUT, self.delete_session)
        return routes.router

    def create_session(self, wish: SignIn, request: Request, response: Response) -> UserAnswer:
        """Sign in with a password. The answer sets the session cookie."""
        self._entrance.check(request)
        user = sign_in(
            wish.email,
            wish.password.get_secret_value(),
            address=address_of(request),
            rates=self._gate.rates,
            at=self._gate.now(),
            table=self._table,
        )
        self._entrance.let_in(user, request, response)
        return user_answer(user)

    def delete_session(self, who: MemberCaller, response: Response) -> SignedOut:
        """Sign out: the session of this browser is over at once."""
        note = audit(Deed.SIGNED_OUT, who=who.email, at=self._gate.now())
        end_session(who.email, who.via.id, also=(note,), table=self._table)
        self._gate.cookies.take_back(response)
        return SignedOut(logout_url=self._logout_url(who.user))
