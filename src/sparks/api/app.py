"""FastAPI application: puts the routes of all packages and the middleware together."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from fastapi import FastAPI

from sparks import __version__
from sparks.actions.face_lookup import FaceLookup
from sparks.actions.outbox import Outbox
from sparks.api import accounts, admin, albums, archives, guests, people, photos, search, uploads, web
from sparks.api.accounts.oidc_routes import connect_provider
from sparks.api.http import blob_routes, errors
from sparks.api.http.authentication import RequestAuthenticator, refuse_undeclared
from sparks.api.http.cookies import Cookies
from sparks.api.http.event_routes import EventRoutes
from sparks.api.http.middleware import add_middleware
from sparks.api.http.openapi_route import openapi_route
from sparks.api.photos.responses import ImageResponses
from sparks.auth.callers import CallerResolver
from sparks.auth.rate_limits import RateLimiter
from sparks.auth.setup_token import SetupToken
from sparks.feed.timeline import Timeline
from sparks.journey import Journey, Stores
from sparks.metrics import Metrics
from sparks.model import times
from sparks.model.photo import MOTION, VIDEO, Rendition, Visibility
from sparks.settings import Settings
from sparks.uploads.upload_urls import check_expected


def create_app(
    *,
    stores: Stores,
    settings: Settings,
    metrics: Metrics,
    journey: Journey | None = None,
    setup: SetupToken | None = None,
    stopping: asyncio.Event | None = None,
    clock: Callable[[], datetime] = times.now,
) -> FastAPI:
    """`setup` creates the first administrator; event streams end when `stopping` is set. TypeError for a route that
    declares no action.
    """
    # The documentation pages of FastAPI load from a CDN, and its route for the document declares no action.
    app = FastAPI(
        title="Sparks", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False
    )
    errors.install(app)
    table, blobs, keyring, url = stores.table, stores.blobs, stores.keyring, settings.public_url
    provider = connect_provider(settings, table=table, keyring=keyring, clock=clock)
    callers = CallerResolver(
        table=table,
        idle=timedelta(days=settings.session_days),
        token_member=None if provider is None else provider.bearer.member,
        subject_member=None if provider is None else provider.bearer.member_of_subject,
    )
    cookies = Cookies(public_url=url, allow_http=settings.allow_http, days=settings.session_days_most)
    auth = RequestAuthenticator(
        caller_resolver=callers, rate_limiter=RateLimiter(), cookies=cookies, public_url=url, clock=clock
    )
    outbox = Outbox(journey=journey or Journey(), jobs=stores.jobs)
    images = ImageResponses(sizes=(*Rendition, VIDEO, MOTION, *settings.extra_sizes), table=table, keyring=keyring)
    timeline = Timeline(table=table, blobs=blobs, keyring=keyring)
    events = EventRoutes(authenticator=auth, table=table, keyring=keyring, stopping=stopping or asyncio.Event())
    faces = FaceLookup(
        table=table,
        blobs=blobs,
        renderer=stores.renderer,
        engine=stores.engine,
        index=stores.index,
        pipeline=stores.pipeline,
        rate_limiter=auth.rates,
    )
    shared: dict[str, Any] = {
        "authenticator": auth,
        "images": images,
        "outbox": outbox,
        "table": table,
        "blobs": blobs,
        "keyring": keyring,
    }

    # The order is that of the OpenAPI document. Of two routes for the same path, the first one counts.
    routes = admin.health_routes(stores=stores, metrics=metrics, settings=settings)
    if blobs.is_local:
        routes += blob_routes.router(
            blobs=blobs, keyring=keyring, check_expected=lambda key: check_expected(key, at=clock(), table=table)
        ).routes
    routes += archives.routes(authenticator=auth, caller_resolver=callers, stores=stores)
    routes += events.router().routes
    routes += photos.routes(caller_resolver=callers, timeline=timeline, **shared)
    routes += search.routes(authenticator=auth, stores=stores, images=images)
    routes += albums.routes(timeline=timeline, wake=events.wake, **shared)
    routes += uploads.routes(
        default_visibility=Visibility(settings.default_visibility), max_bytes=settings.upload_max_bytes, **shared
    )
    routes += guests.routes(wake=events.wake, public_url=url, **shared)
    routes += people.routes(authenticator=auth, stores=stores, outbox=outbox, images=images, face_lookup=faces)
    routes += accounts.routes(
        authenticator=auth,
        stores=stores,
        settings=settings,
        outbox=outbox,
        face_lookup=faces,
        provider=provider,
        setup=setup,
    )
    routes += admin.routes(authenticator=auth, stores=stores, settings=settings, outbox=outbox, setup=setup)
    routes += [openapi_route(cookies), *web.routes(cookie=cookies.name)]

    refuse_undeclared(routes)
    app.router.routes.extend(routes)
    add_middleware(app, settings=settings, metrics=metrics)
    return app
