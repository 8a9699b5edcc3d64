"""Sign-in with the provider: the browser goes there, and comes back."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from sparks.api.entrance import Entrance
from sparks.api.errors import answer_to, code_of
from sparks.api.gate import Gate, Routes, address_of
from sparks.auth.oidc import accounts
from sparks.auth.oidc.accounts import Welcome, account_for, link_account
from sparks.auth.oidc.client import CALLBACK, Client
from sparks.auth.oidc.connection import Connection, connect
from sparks.auth.oidc.flow import GAVE_UP, CameBack, Finished
from sparks.auth.oidc.state import BEGIN_AGAIN, GOOD_FOR, LONGEST_NEXT
from sparks.auth.rates import Rate
from sparks.auth.registration import Allowance
from sparks.model import times
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import NotAllowed, NotFound, SparksError
from sparks.model.keyring import Keyring
from sparks.settings import Settings
from sparks.table.port import Table

COOKIE: Final = "sparks_oidc"
SIGN_IN_PAGE: Final = "/signin"
NOT_SET_UP: Final = (
    "sign-in with a provider is not set up here: an administrator can do so with SPARKS_OIDC_ISSUER and "
    "SPARKS_OIDC_CLIENT_ID"
)
OTHER_SESSION: Final = "only the browser session that began it can link an identity: sign in, and begin again"
CODES: Final = {  # what the sign-in page is told where the kind of the error is not enough
    BEGIN_AGAIN: "BEGIN_AGAIN",
    GAVE_UP: "GAVE_UP",
    accounts.NO_EMAIL: "NO_EMAIL",
    accounts.UNVERIFIED: "EMAIL_NOT_VERIFIED",
    accounts.EMAIL_TAKEN: "EMAIL_TAKEN",
    accounts.BY_INVITATION: "BY_INVITATION",
    accounts.BEING_REMOVED: "BEING_REMOVED",
}

Next = Annotated[str, Query(max_length=LONGEST_NEXT, description="Path of this site to go to afterwards.")]
Told = Annotated[str | None, Query(max_length=4096)]


def connect_provider(
    settings: Settings, *, table: Table, keyring: Keyring, clock: Callable[[], datetime] = times.now
) -> Connection | None:
    """The provider that the settings name, if they name one."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    secret = settings.oidc_client_secret
    client = Client(
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=None if secret is None else secret.get_secret_value(),
        public_url=settings.public_url,
    )
    welcome = Welcome(
        sign_up=settings.oidc_sign_up,
        trust_email=settings.oidc_trust_email,
        allowance=Allowance(settings.upload_limit, settings.upload_limit_bytes),
    )
    return connect(client, welcome=welcome, table=table, keyring=keyring, clock=clock)


def present(connection: Connection | None) -> Connection:
    """Where no provider is set, the routes are there all the same and say so."""
    if connection is None:
        raise NotFound(NOT_SET_UP)
    return connection


class StateCookie:
    """What the browser carries there and back."""

    def __init__(self, *, secure: bool) -> None:
        self._secure = secure
        self._name = f"__Host-{COOKIE}" if secure else COOKIE

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self._name)

    def give(self, response: Response, state: str) -> None:
        response.set_cookie(
            self._name, state, max_age=GOOD_FOR, path="/", secure=self._secure, httponly=True, samesite="lax"
        )

    def take_back(self, response: Response) -> None:
        response.delete_cookie(self._name, path="/", secure=self._secure, httponly=True, samesite="lax")


class OidcRoutes:
    def __init__(self, *, gate: Gate, entrance: Entrance, table: Table, connection: Connection | None) -> None:
        self._gate = gate
        self._entrance = entrance
        self._table = table
        self._connection = connection
        self._cookie = StateCookie(secure=gate.cookies.secure)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="sign-in with a provider")
        routes.add(
            "GET",
            "/api/oidc/login",
            Action.VISIT,
            self.begin_sign_in,
            status=302,
            errors=(403, 404),
            response_class=RedirectResponse,
            responses={
                302: {"description": "To the provider."},
                303: {"description": "A browser goes back to the sign-in page, with an `error`."},
            },
        )
        routes.add(
            "GET",
            CALLBACK,
            Action.VISIT,
            self.finish_sign_in,
            status=303,
            errors=(401, 403, 404, 409, 429),
            response_class=RedirectResponse,
            responses={303: {"description": "To `next`; or, in a browser, to the sign-in page with an `error`."}},
        )
        return routes.router

    def begin_sign_in(self, request: Request, next: Next = "/") -> Response:  # noqa: A002  as the query calls it
        """Go to the provider to sign in there, and come back to `next`."""
        try:
            self._gate.cookies.check(request)
            begun = present(self._connection).flow.begin(next)
        except SparksError as error:
            return _failed(request, error)
        response = RedirectResponse(begun.url, 302)
        self._cookie.give(response, begun.cookie)
        return response

    def finish_sign_in(
        self, request: Request, state: Told = None, code: Told = None, error: Told = None, iss: Told = None
    ) -> Response:
        """Where the provider sends the browser back to. It is signed in from now on, and goes on to where it was."""
        came_back = CameBack(state=state or "", code=code, error=error, iss=iss)
        try:
            with self._gate.rates.failures(Rate.PASSWORDS, address_of(request)):
                response = self._arrive(came_back, request)
        except SparksError as failure:
            response = _failed(request, failure)
        self._cookie.take_back(response)
        return response

    def _arrive(self, came_back: CameBack, request: Request) -> Response:
        connection = present(self._connection)
        finished = connection.flow.finish(came_back, self._cookie.read(request))
        response = RedirectResponse(finished.next, 303)
        if finished.link_to is None:
            user = account_for(finished.claims, welcome=connection.welcome, at=self._gate.now(), table=self._table)
            self._entrance.let_in(user, request, response)
        else:
            self._link(finished, finished.link_to, request)
        return response

    def _link(self, finished: Finished, email: str, request: Request) -> None:
        """Only if the browser is still signed in to the account that it began with."""
        who = self._gate.caller(request, Action.MANAGE_OWN_DOORS)
        if not isinstance(who, Member) or who.email != email:
            raise NotAllowed(OTHER_SESSION)
        link_account(finished.claims, email, at=self._gate.now(), table=self._table)


def _failed(request: Request, error: SparksError) -> Response:
    """A browser goes to the sign-in page, which knows what to say about the code; anything else is told in JSON."""
    answer = answer_to(error)
    if "text/html" not in request.headers.get("accept", ""):
        return answer
    return RedirectResponse(f"{SIGN_IN_PAGE}?error={CODES.get(str(error), code_of(error))}", 303)
