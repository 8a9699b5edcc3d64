"""How accounts come to be by the hand of those who will have them: the first administrator, and those who register."""

from collections.abc import Callable, Collection

from fastapi import APIRouter, Request, Response

from sparks.api.document import NEW_SESSION
from sparks.api.entrance import Entrance
from sparks.api.gate import Gate, Routes, address_of
from sparks.api.shapes import Email, NewPassword, SecretText, UserName, Wish
from sparks.api.users import UserAnswer, user_answer
from sparks.auth.rates import Rate
from sparks.auth.registration import Allowance, Newcomer, register
from sparks.auth.setup import SetupToken, set_up
from sparks.model.access import Action
from sparks.table.port import Table


class Setup(Wish):
    token: SecretText
    email: Email
    username: UserName | None = None
    password: NewPassword


class Registration(Wish):
    invitation: SecretText | None = None
    email: Email
    username: UserName | None = None
    password: NewPassword


class NewcomerRoutes:
    def __init__(
        self,
        *,
        gate: Gate,
        entrance: Entrance,
        table: Table,
        allowance: Allowance,
        is_open: bool,
        token: SetupToken | None,
    ) -> None:
        """`token` lets the first administrator in; None where nobody was shown one."""
        self._gate = gate
        self._entrance = entrance
        self._table = table
        self._allowance = allowance
        self._is_open = is_open
        self._token = token

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="newcomers")
        self._add(routes, "/api/setup", self.create_administrator, errors=(403, 404, 409, 429))
        self._add(routes, "/api/register", self.create_account, errors=(403, 409, 429))
        return routes.router

    def _add(self, routes: Routes, path: str, endpoint: Callable[..., UserAnswer], *, errors: Collection[int]) -> None:
        signed_in = {201: NEW_SESSION}
        routes.add("POST", path, Action.VISIT, endpoint, status=201, errors=errors, responses=signed_in)

    def create_administrator(self, wish: Setup, request: Request, response: Response) -> UserAnswer:
        """Make the first administrator, with the token of the link that `sparks serve` printed."""
        self._entrance.check(request)
        with self._gate.rates.failures(Rate.SETUP, address_of(request)):
            user = set_up(
                Newcomer.called(wish.email, wish.password.get_secret_value(), wish.username),
                wish.token,
                expected=self._token,
                allowance=self._allowance,
                at=self._gate.now(),
                table=self._table,
            )
        self._entrance.let_in(user, request, response)
        return user_answer(user)

    def create_account(self, wish: Registration, request: Request, response: Response) -> UserAnswer:
        """Register, with an invitation or, where registration is open, without one."""
        self._entrance.check(request)
        with self._gate.rates.failures(Rate.PASSWORDS, address_of(request)):
            user = register(
                Newcomer.called(wish.email, wish.password.get_secret_value(), wish.username),
                invitation=wish.invitation,
                is_open=self._is_open,
                allowance=self._allowance,
                at=self._gate.now(),
                table=self._table,
            )
        self._entrance.let_in(user, request, response)
        return user_answer(user)
