"""Routes of zip archives."""

from starlette.routing import BaseRoute

from sparks.actions.archive_sources import ArchiveSources
from sparks.api.archives.responses import ArchiveResponses
from sparks.api.archives.routes import ArchiveRoutes
from sparks.api.http.authentication import RequestAuthenticator
from sparks.auth.callers import CallerResolver
from sparks.blobs.port import Blobs
from sparks.library.search.search_index import SearchIndex
from sparks.model.keyring import Keyring
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    caller_resolver: CallerResolver,
    search: SearchIndex | None,
    table: Table,
    blobs: Blobs,
    keyring: Keyring,
) -> list[BaseRoute]:
    clock = authenticator.now
    sources = ArchiveSources(table=table, blobs=blobs, keyring=keyring, search=search, clock=clock)
    responses = ArchiveResponses(
        sources=sources,
        caller_resolver=caller_resolver,
        table=table,
        blobs=blobs,
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
