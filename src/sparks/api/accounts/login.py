"""Sign-in of browsers: opens a session in a cookie, and ends it."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.api.accounts.responses import UserResponse, user_response
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator, address_of
from sparks.api.http.base_models import Email, NewPassword, RequestModel, ResponseModel
from sparks.api.http.openapi import NEW_SESSION
from sparks.auth.passwords import sign_in
from sparks.auth.sessions import SessionLifetime, end_session, open_session
from sparks.library.audit import AuditAction, audit_row
from sparks.model.access import Action
from sparks.model.account import User
from sparks.model.errors import BadInput
from sparks.model.secret import Secret, parse_secret
from sparks.table.port import Table


class BrowserLogin:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, lifetime: SessionLifetime) -> None:
        self._authenticator = authenticator
        self._table = table
        self._lifetime = lifetime

    def check(self, request: Request) -> None:
        """NotAllowed for a request over plain http, or from the page of another site."""
        self._authenticator.cookies.check(request)
        self._authenticator.check_origin(request)

    def start_session(self, user: User, request: Request, response: Response) -> None:
        """Opens a session of a user who is authenticated; the response sets the cookie."""
        at = self._authenticator.now()
        secret = open_session(
            user,
            span=self._lifetime,
            device=request.headers.get("user-agent"),
            replaces=_parse(self._authenticator.cookies.read(request)),
            also=(audit_row(AuditAction.SIGNED_IN, who=user.email, address=address_of(request), at=at),),
            at=at,
            table=self._table,
        )
        self._authenticator.cookies.set_session(response, secret.text)


def _parse(cookie: str | None) -> Secret | None:
    """The session of the cookie; None where it is no secret."""
    try:
        return None if cookie is None else parse_secret(cookie)
    except BadInput:
        return None


class SignInRequest(RequestModel):
    email: Email
    password: NewPassword


class SignOutResponse(ResponseModel):
    """`logoutUrl` signs out at the provider, too, where the user signed in with one."""

    logout_url: str | None = None


class SessionRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        login: BrowserLogin,
        table: Table,
        logout_url: Callable[[User], str | None],
    ) -> None:
        self._authenticator = authenticator
        self._login = login
        self._table = table
        self._logout_url = logout_url

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="sessions")
        path = "/api/session"
        options: dict[str, Any] = {"errors": (401, 403, 429), "responses": {200: NEW_SESSION}}
        routes.add("POST", path, Action.VISIT, self.create_session, **options)
        routes.add("DELETE", path, Action.SIGN_OUT, self.delete_session)
        return routes.router

    def create_session(self, body: SignInRequest, request: Request, response: Response) -> UserResponse:
        """Sign in with a password. The response sets the session cookie."""
        self._login.check(request)
        user = sign_in(
            body.email,
            body.password.get_secret_value(),
            address=address_of(request),
            rate_limiter=self._authenticator.rates,
            at=self._authenticator.now(),
            table=self._table,
        )
        self._login.start_session(user, request, response)
        return user_response(user)

    def delete_session(self, caller: CurrentMember, response: Response) -> SignOutResponse:
        """Sign out: ends the session of this browser."""
        note = audit_row(AuditAction.SIGNED_OUT, who=caller.email, at=self._authenticator.now())
        end_session(caller.email, caller.via.id, also=(note,), table=self._table)
        self._authenticator.cookies.clear_session(response)
        return SignOutResponse(logout_url=self._logout_url(caller.user))
