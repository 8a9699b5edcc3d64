"""Routes of photo search."""

from starlette.routing import BaseRoute

from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.photos.responses import ImageResponses
from sparks.api.search.routes import SearchRoutes
from sparks.journey import Stores


def routes(*, authenticator: RequestAuthenticator, stores: Stores, images: ImageResponses) -> list[BaseRoute]:
    search = SearchRoutes(
        authenticator=authenticator,
        images=images,
        index=stores.search,
        table=stores.table,
        keyring=stores.keyring,
    )
    return search.router().routes
