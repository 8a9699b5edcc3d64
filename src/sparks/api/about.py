"""What anybody may know of this Sparks before they are in: its version, and which doors it has."""

from fastapi import APIRouter

from sparks import __version__
from sparks.api.gate import Gate, Routes
from sparks.api.shapes import Answer
from sparks.auth.setup import SetupToken
from sparks.library.accounts import has_administrator
from sparks.model.access import Action
from sparks.model.photo import Visibility
from sparks.settings import Settings
from sparks.table.port import Table


class About(Answer):
    """`setup`: the first administrator is to be made. `provider`: what one may sign in with besides a password.
    `defaultVisibility`: who sees an upload that does not say.
    """

    name: str = "Sparks"
    version: str = __version__
    setup: bool
    registration: str
    provider: str | None = None
    default_visibility: Visibility


class AboutRoutes:
    def __init__(self, *, gate: Gate, table: Table, settings: Settings, token: SetupToken | None) -> None:
        self._gate = gate
        self._table = table
        self._settings = settings
        self._token = token

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="about")
        routes.add("GET", "/api/about", Action.VISIT, self.read_about)
        return routes.router

    def read_about(self) -> About:
        """The version, and which ways in there are."""
        return About(
            setup=self._token is not None and not has_administrator(table=self._table),
            registration=self._settings.registration,
            default_visibility=Visibility(self._settings.default_visibility),
            provider=None if self._settings.oidc_issuer is None else self._settings.oidc_name,
        )
