"""Routes of photo search."""

from starlette.routing import BaseRoute

from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.photos.responses import ImageResponses
from sparks.api.search.routes import SearchRoutes
from sparks.library.search.search_index import SearchIndex
from sparks.model.keyring import Keyring
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    images: ImageResponses,
    search: SearchIndex | None,
    table: Table,
    keyring: Keyring,
) -> list[BaseRoute]:
    resource = SearchRoutes(authenticator=authenticator, images=images, index=search, table=table, keyring=keyring)
    return resource.router().routes
