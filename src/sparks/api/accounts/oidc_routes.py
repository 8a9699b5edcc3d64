"""Routes of sign-in with an OpenID Connect provider, and of linked identities."""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from sparks.api.accounts.login import BrowserLogin
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator, address_of
from sparks.api.http.base_models import RequestModel, ResponseModel
from sparks.api.http.errors import error_code, response_for
from sparks.auth.account_creation import UploadAllowance
from sparks.auth.oidc import account_linking
from sparks.auth.oidc.account_linking import NewAccountPolicy, account_for, link_account, unlink_account
from sparks.auth.oidc.client_config import CALLBACK, ClientConfig
from sparks.auth.oidc.code_flow import BEGIN_AGAIN, GAVE_UP, GOOD_FOR, LONGEST_NEXT, CallbackParameters, LoginResult
from sparks.auth.oidc.connection import OidcConnection, connect_oidc
from sparks.auth.rate_limits import RateLimit
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
OTHER_SESSION: Final = "an identity is linked by the browser session that began it: sign in, and begin again"
CODES: Final = {  # error codes for the sign-in page, more precise than the kind of the error
    BEGIN_AGAIN: "BEGIN_AGAIN",
    GAVE_UP: "GAVE_UP",
    account_linking.NO_EMAIL: "NO_EMAIL",
    account_linking.UNVERIFIED: "EMAIL_NOT_VERIFIED",
    account_linking.EMAIL_TAKEN: "EMAIL_TAKEN",
    account_linking.BY_INVITATION: "BY_INVITATION",
    account_linking.BEING_REMOVED: "BEING_REMOVED",
}

Next = Annotated[str, Query(max_length=LONGEST_NEXT, description="Path of this site to go to after sign-in.")]
ProviderReply = Annotated[str | None, Query(max_length=4096)]
IdentityId = Annotated[str, Path(alias="identityId", max_length=200)]


def connect_provider(
    settings: Settings, *, table: Table, keyring: Keyring, clock: Callable[[], datetime] = times.now
) -> OidcConnection | None:
    """The provider of the settings; None where they name none."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    secret = settings.oidc_client_secret
    client = ClientConfig(
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=None if secret is None else secret.get_secret_value(),
        public_url=settings.public_url,
    )
    policy = NewAccountPolicy(
        sign_up=settings.oidc_sign_up,
        trust_email=settings.oidc_trust_email,
        allowance=UploadAllowance(settings.upload_limit, settings.upload_limit_bytes),
    )
    return connect_oidc(client, policy=policy, table=table, keyring=keyring, clock=clock)


def require_provider(connection: OidcConnection | None) -> OidcConnection:
    """NotFound where no provider is set: the routes exist all the same."""
    if connection is None:
        raise NotFound(NOT_SET_UP)
    return connection


class LoginStateCookie:
    """The cookie that holds the state of a sign-in while the browser is at the provider."""

    def __init__(self, *, secure: bool) -> None:
        self._secure = secure
        self._name = f"__Host-{COOKIE}" if secure else COOKIE

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self._name)

    def set(self, response: Response, state: str) -> None:
        response.set_cookie(
            self._name, state, max_age=GOOD_FOR, path="/", secure=self._secure, httponly=True, samesite="lax"
        )

    def clear(self, response: Response) -> None:
        response.delete_cookie(self._name, path="/", secure=self._secure, httponly=True, samesite="lax")


class OidcRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        login: BrowserLogin,
        table: Table,
        connection: OidcConnection | None,
    ) -> None:
        self._authenticator = authenticator
        self._login = login
        self._table = table
        self._connection = connection
        self._cookie = LoginStateCookie(secure=authenticator.cookies.secure)

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="sign-in with a provider")
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
                303: {"description": "In a browser: back to the sign-in page, with an `error`."},
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
        """Sign in with the provider, and return to `next`."""
        try:
            self._authenticator.cookies.check(request)
            begun = require_provider(self._connection).flow.begin(next)
        except SparksError as error:
            return _failed(request, error)
        response = RedirectResponse(begun.url, 302)
        self._cookie.set(response, begun.cookie)
        return response

    def finish_sign_in(
        self,
        request: Request,
        state: ProviderReply = None,
        code: ProviderReply = None,
        error: ProviderReply = None,
        iss: ProviderReply = None,
    ) -> Response:
        """Finish the sign-in: the provider redirects the browser here. The response signs in and leads to `next`."""
        parameters = CallbackParameters(state=state or "", code=code, error=error, iss=iss)
        try:
            with self._authenticator.rates.failures(RateLimit.PASSWORDS, address_of(request)):
                response = self._finish(parameters, request)
        except SparksError as failure:
            response = _failed(request, failure)
        self._cookie.clear(response)
        return response

    def _finish(self, parameters: CallbackParameters, request: Request) -> Response:
        connection = require_provider(self._connection)
        finished = connection.flow.finish(parameters, self._cookie.read(request))
        response = RedirectResponse(finished.next, 303)
        if finished.link_to is None:
            user = account_for(
                finished.claims, policy=connection.welcome, at=self._authenticator.now(), table=self._table
            )
            self._login.start_session(user, request, response)
        else:
            self._link(finished, finished.link_to, request)
        return response

    def _link(self, finished: LoginResult, email: str, request: Request) -> None:
        """NotAllowed unless the browser is still signed in to the account that it began with."""
        caller = self._authenticator.caller(request, Action.MANAGE_OWN_CREDENTIALS)
        if not isinstance(caller, Member) or caller.email != email:
            raise NotAllowed(OTHER_SESSION)
        link_account(finished.claims, email, at=self._authenticator.now(), table=self._table)


def _failed(request: Request, error: SparksError) -> Response:
    """A browser is redirected to the sign-in page, which explains the code; other clients get JSON."""
    response = response_for(error)
    if "text/html" not in request.headers.get("accept", ""):
        return response
    return RedirectResponse(f"{SIGN_IN_PAGE}?error={CODES.get(str(error), error_code(error))}", 303)


class LinkIdentityRequest(RequestModel):
    """`next` is the path of this site to go to after the identity is linked."""

    next: Annotated[str, Field(max_length=LONGEST_NEXT)] = "/"


class LinkIdentityResponse(ResponseModel):
    """`url` is the page of the provider at which the user proves the identity."""

    url: str


class IdentityResponse(ResponseModel):
    """`current`: the identity is of the provider that is set now, so that it can be used to sign in."""

    id: str
    issuer: str
    current: bool


class IdentityList(ResponseModel):
    identities: list[IdentityResponse]


class IdentityRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, connection: OidcConnection | None) -> None:
        self._authenticator = authenticator
        self._table = table
        self._connection = connection
        self._cookie = LoginStateCookie(secure=authenticator.cookies.secure)

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="me")
        path, credentials = "/api/me/identities", Action.MANAGE_OWN_CREDENTIALS
        routes.add("GET", path, credentials, self.read_identities)
        routes.add("POST", path, credentials, self.link_identity, errors=(404,))
        unlink = f"{path}/{{identityId}}", credentials, self.unlink_identity
        routes.add("DELETE", *unlink, status=204, errors=(404, 409))
        return routes.router

    def read_identities(self, caller: CurrentMember) -> IdentityList:
        """List the identities that are linked to your account."""
        return IdentityList(identities=[self._response(name) for name in caller.user.identities])

    def link_identity(
        self, caller: CurrentMember, body: LinkIdentityRequest, response: Response
    ) -> LinkIdentityResponse:
        """Begin to link an identity of the provider to your account: the browser goes to `url` next."""
        begun = require_provider(self._connection).flow.begin(body.next, link_to=caller.email)
        self._cookie.set(response, begun.cookie)
        return LinkIdentityResponse(url=begun.url)

    def unlink_identity(self, caller: CurrentMember, identity_id: IdentityId) -> None:
        """Unlink an identity; 409 where it is the only way to sign in."""
        name = next((name for name in caller.user.identities if _id(name) == identity_id), "")
        unlink_account(caller.user, name, issuer=self._issuer, at=self._authenticator.now(), table=self._table)

    @property
    def _issuer(self) -> str | None:
        return None if self._connection is None else self._connection.client.issuer

    def _response(self, name: str) -> IdentityResponse:
        issuer = name.partition("#")[0]
        return IdentityResponse(id=_id(name), issuer=issuer, current=issuer == self._issuer)


def _id(name: str) -> str:
    """The hash of a name, for use in a path: the name itself holds the issuer's URL and any text as the subject."""
    return sha256(name.encode()).hexdigest()[:32]
