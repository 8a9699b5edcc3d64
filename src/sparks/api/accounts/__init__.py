"""Routes of accounts: sign-in, registration, profile, API keys and users."""

from datetime import timedelta

from starlette.routing import BaseRoute

from sparks.actions.face_lookup import FaceLookup
from sparks.actions.outbox import Outbox
from sparks.api.accounts.api_key_routes import ApiKeyRoutes
from sparks.api.accounts.login import BrowserLogin, SessionRoutes
from sparks.api.accounts.oidc_routes import IdentityRoutes, OidcRoutes
from sparks.api.accounts.profile_routes import ProfilePictureRoutes, ProfileRoutes
from sparks.api.accounts.registration_routes import RegistrationRoutes
from sparks.api.accounts.routes import UserRoutes
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.photos.media_responses import MediaResponses
from sparks.auth.account_creation import UploadAllowance
from sparks.auth.oidc.connection import OidcConnection
from sparks.auth.sessions import SessionLifetime
from sparks.auth.setup_token import SetupToken
from sparks.blobs.port import Blobs
from sparks.model.keyring import Keyring
from sparks.settings import Settings
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    face_lookup: FaceLookup,
    provider: OidcConnection | None,
    setup: SetupToken | None,
    settings: Settings,
    outbox: Outbox,
    table: Table,
    blobs: Blobs,
    keyring: Keyring,
) -> list[BaseRoute]:
    allowance = UploadAllowance(photos=settings.upload_limit, bytes=settings.upload_limit_bytes)
    lifetime = SessionLifetime(
        idle=timedelta(days=settings.session_days), most=timedelta(days=settings.session_days_most)
    )
    login = BrowserLogin(authenticator=authenticator, table=table, lifetime=lifetime)
    resources = (
        SessionRoutes(
            authenticator=authenticator,
            login=login,
            table=table,
            logout_url=lambda user: None if provider is None else provider.logout_url(user),
        ),
        OidcRoutes(authenticator=authenticator, login=login, table=table, connection=provider),
        IdentityRoutes(authenticator=authenticator, table=table, connection=provider),
        RegistrationRoutes(
            authenticator=authenticator,
            login=login,
            table=table,
            allowance=allowance,
            is_open=settings.registration == "open",
            token=setup,
        ),
        ProfileRoutes(authenticator=authenticator, login=login, table=table),
        ProfilePictureRoutes(
            authenticator=authenticator,
            face_lookup=face_lookup,
            media=MediaResponses(blobs=blobs),
            table=table,
            blobs=blobs,
        ),
        ApiKeyRoutes(authenticator=authenticator, table=table),
        UserRoutes(authenticator=authenticator, outbox=outbox, allowance=allowance, table=table, keyring=keyring),
    )
    return [route for resource in resources for route in resource.router().routes]
