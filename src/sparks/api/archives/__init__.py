"""Routes of zip archives."""

from starlette.routing import BaseRoute

from sparks.actions.archive_sources import ArchiveSources
from sparks.api.archives.responses import ArchiveResponses
from sparks.api.archives.routes import ArchiveRoutes
from sparks.api.http.authentication import RequestAuthenticator
from sparks.auth.callers import CallerResolver
from sparks.journey import Stores


def routes(*, authenticator: RequestAuthenticator, caller_resolver: CallerResolver, stores: Stores) -> list[BaseRoute]:
    table, keyring, clock = stores.table, stores.keyring, authenticator.now
    sources = ArchiveSources(table=table, blobs=stores.blobs, keyring=keyring, search=stores.search, clock=clock)
    responses = ArchiveResponses(
        sources=sources,
        caller_resolver=caller_resolver,
        table=table,
        blobs=stores.blobs,
        keyring=keyring,
        clock=clock,
    )
    archives = ArchiveRoutes(
        authenticator=authenticator,
        caller_resolver=caller_resolver,
        sources=sources,
        responses=responses,
        table=table,
        keyring=keyring,
    )
    return archives.router().routes
