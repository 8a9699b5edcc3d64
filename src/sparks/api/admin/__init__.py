"""Routes for administrators and operators: storage, jobs, rebuild, invitations, audit log, health and metrics."""

from starlette.routing import BaseRoute

from sparks.actions.outbox import Outbox
from sparks.api.admin.invitation_routes import InvitationRoutes
from sparks.api.admin.job_routes import JobRoutes
from sparks.api.admin.migration_routes import MigrationRoutes
from sparks.api.admin.rebuild_routes import RebuildRoutes
from sparks.api.admin.routes import AuditRoutes, StorageRoutes
from sparks.api.admin.server_routes import AboutRoutes
from sparks.api.http.authentication import RequestAuthenticator
from sparks.auth.setup_token import SetupToken
from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library.face_index import FaceIndex
from sparks.model.keyring import Keyring
from sparks.model.pipeline_settings import PipelineSettings
from sparks.settings import Settings
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    setup: SetupToken | None,
    settings: Settings,
    pipeline: PipelineSettings,
    index: FaceIndex | None,
    outbox: Outbox,
    table: Table,
    blobs: Blobs,
    jobs: Jobs,
    keyring: Keyring,
) -> list[BaseRoute]:
    resources = (
        AboutRoutes(authenticator=authenticator, table=table, settings=settings, token=setup),
        JobRoutes(authenticator=authenticator, table=table, jobs=jobs),
        StorageRoutes(authenticator=authenticator, table=table, faces=pipeline.faces, settings=settings),
        RebuildRoutes(
            authenticator=authenticator,
            outbox=outbox,
            table=table,
            blobs=blobs,
            index=index,
            pipeline=pipeline,
        ),
        InvitationRoutes(authenticator=authenticator, table=table, public_url=settings.public_url),
        AuditRoutes(authenticator=authenticator, table=table, keyring=keyring),
        MigrationRoutes(authenticator=authenticator, table=table, keyring=keyring),
    )
    return [route for resource in resources for route in resource.router().routes]
