"""Routes for administrators and operators: storage, jobs, rebuild, invitations, audit log, health and metrics."""

from starlette.routing import BaseRoute

from sparks.actions.outbox import Outbox
from sparks.api.admin.invitation_routes import InvitationRoutes
from sparks.api.admin.job_routes import JobRoutes
from sparks.api.admin.migration_routes import MigrationRoutes
from sparks.api.admin.rebuild_routes import RebuildRoutes
from sparks.api.admin.routes import AuditRoutes, StorageRoutes
from sparks.api.admin.server_routes import AboutRoutes, health_router
from sparks.api.http.authentication import RequestAuthenticator
from sparks.auth.setup_token import SetupToken
from sparks.journey import Stores
from sparks.metrics import Metrics
from sparks.settings import Settings


def health_routes(*, stores: Stores, metrics: Metrics, settings: Settings) -> list[BaseRoute]:
    """Health, readiness and metrics."""
    return health_router(
        table=stores.table, blobs=stores.blobs, jobs=stores.jobs, metrics=metrics, settings=settings
    ).routes


def routes(
    *,
    authenticator: RequestAuthenticator,
    stores: Stores,
    settings: Settings,
    outbox: Outbox,
    setup: SetupToken | None,
) -> list[BaseRoute]:
    table, pipeline = stores.table, stores.pipeline
    resources = (
        AboutRoutes(authenticator=authenticator, table=table, settings=settings, token=setup),
        JobRoutes(authenticator=authenticator, table=table, jobs=stores.jobs),
        StorageRoutes(authenticator=authenticator, table=table, faces=pipeline.faces, settings=settings),
        RebuildRoutes(
            authenticator=authenticator,
            outbox=outbox,
            table=table,
            blobs=stores.blobs,
            index=stores.index,
            pipeline=pipeline,
        ),
        InvitationRoutes(authenticator=authenticator, table=table, public_url=settings.public_url),
        AuditRoutes(authenticator=authenticator, table=table, keyring=stores.keyring),
        MigrationRoutes(authenticator=authenticator, table=table, keyring=stores.keyring),
    )
    return [route for resource in resources for route in resource.router().routes]
