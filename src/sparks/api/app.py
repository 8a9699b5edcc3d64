"""The application: all routes, and what stands around them."""

from typing import Final

import msgspec
from fastapi import FastAPI, Request, Response

from sparks import __version__
from sparks.api import blobs, errors, health
from sparks.api.requests import Requests
from sparks.journey import Stores
from sparks.metrics import Metrics
from sparks.settings import Settings

PLACES: Final = {"api": "/openapi.json", "health": "/healthz", "ready": "/readyz", "metrics": "/metrics"}
PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sparks</title>
<body style="font: 1.1rem/1.6 system-ui; margin: 4rem auto; max-width: 34rem; padding: 0 1rem">
<h1>Sparks is running</h1>
<p>This is version {version}. It has no web pages yet; this is what there is:</p>
<ul>{links}</ul>
</html>
"""


def create_app(*, stores: Stores, settings: Settings, metrics: Metrics) -> FastAPI:
    # The pages that FastAPI has for its docs load from a CDN.
    app = FastAPI(title="Sparks", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    errors.install(app)
    app.add_middleware(Requests, metrics=metrics)
    app.include_router(health.router(stores=stores, metrics=metrics, settings=settings))
    if stores.served is not None:
        app.include_router(blobs.router(blobs=stores.served, keyring=stores.keyring))
    app.add_api_route("/", _front_page, methods=["GET", "HEAD"], include_in_schema=False)
    return app


async def _front_page(request: Request) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        links = "".join(f'<li><a href="{path}">{name}</a></li>' for name, path in PLACES.items())
        return Response(PAGE.format(version=__version__, links=links), media_type="text/html")
    return Response(
        msgspec.json.encode({"name": "Sparks", "version": __version__, **PLACES}), media_type="application/json"
    )
