"""Routes that create the first administrator and register new users."""

from collections.abc import Callable, Collection

from fastapi import APIRouter, Request, Response

from sparks.api.accounts.login import BrowserLogin
from sparks.api.accounts.responses import UserResponse, user_response
from sparks.api.http.authentication import ActionRouter, RequestAuthenticator, address_of
from sparks.api.http.base_models import Email, NewPassword, RequestModel, SecretText, UserName
from sparks.api.http.openapi import NEW_SESSION
from sparks.auth.account_creation import NewAccount, UploadAllowance, register
from sparks.auth.rate_limits import RateLimit
from sparks.auth.setup_token import SetupToken, create_first_admin
from sparks.model.access import Action
from sparks.table.port import Table


class SetupRequest(RequestModel):
    token: SecretText
    email: Email
    username: UserName | None = None
    password: NewPassword


class RegistrationRequest(RequestModel):
    invitation: SecretText | None = None
    email: Email
    username: UserName | None = None
    password: NewPassword


class RegistrationRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        login: BrowserLogin,
        table: Table,
        allowance: UploadAllowance,
        is_open: bool,
        token: SetupToken | None,
    ) -> None:
        """`token` creates the first administrator; None where this process printed none."""
        self._authenticator = authenticator
        self._login = login
        self._table = table
        self._allowance = allowance
        self._is_open = is_open
        self._token = token

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="newcomers")
        self._add(routes, "/api/setup", self.create_administrator, errors=(403, 404, 409, 429))
        self._add(routes, "/api/register", self.create_account, errors=(403, 409, 429))
        return routes.router

    def _add(
        self, routes: ActionRouter, path: str, endpoint: Callable[..., UserResponse], *, errors: Collection[int]
    ) -> None:
        routes.add("POST", path, Action.VISIT, endpoint, status=201, errors=errors, responses={201: NEW_SESSION})

    def create_administrator(self, body: SetupRequest, request: Request, response: Response) -> UserResponse:
        """Create the first administrator, with the token of the link that `sparks serve` printed."""
        self._login.check(request)
        with self._authenticator.rates.failures(RateLimit.SETUP, address_of(request)):
            user = create_first_admin(
                NewAccount.called(body.email, body.password.get_secret_value(), body.username),
                body.token,
                expected=self._token,
                allowance=self._allowance,
                at=self._authenticator.now(),
                table=self._table,
            )
        self._login.start_session(user, request, response)
        return user_response(user)

    def create_account(self, body: RegistrationRequest, request: Request, response: Response) -> UserResponse:
        """Register with an invitation; without one, only where registration is open."""
        self._login.check(request)
        with self._authenticator.rates.failures(RateLimit.PASSWORDS, address_of(request)):
            user = register(
                NewAccount.called(body.email, body.password.get_secret_value(), body.username),
                invitation=body.invitation,
                is_open=self._is_open,
                allowance=self._allowance,
                at=self._authenticator.now(),
                table=self._table,
            )
        self._login.start_session(user, request, response)
        return user_response(user)
