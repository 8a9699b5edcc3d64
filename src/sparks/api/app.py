"""FastAPI application: puts the routes of all packages and the middleware together."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from fastapi import FastAPI

from sparks import __version__
from sparks.actions.album_photo_changes import AlbumPhotoChanges
from sparks.actions.face_lookup import FaceLookup
from sparks.actions.outbox import Outbox
from sparks.actions.photo_changes import PhotoChanges
from sparks.api import accounts, admin, albums, archives, guests, people, photos, search, uploads, web
from sparks.api.accounts.oidc_routes import connect_provider
from sparks.api.admin.server_routes import health_router
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
    face_stores: dict[str, Any] = {"index": stores.index, "pipeline": stores.pipeline}
    faces = FaceLookup(
        renderer=stores.renderer, engine=stores.engine, rate_limiter=auth.rates, table=table, blobs=blobs, **face_stores
    )
    shared: dict[str, Any] = {"authenticator": auth, "table": table, "keyring": keyring}
    writing: dict[str, Any] = {**shared, "blobs": blobs, "outbox": outbox}
    photo_changes = PhotoChanges(table=table, blobs=blobs, keyring=keyring, outbox=outbox, clock=clock)
    album_photos = AlbumPhotoChanges(table=table, blobs=blobs, keyring=keyring, outbox=outbox, clock=clock)

    # The order is that of the OpenAPI document. Of two routes for the same path, the first one counts.
    routes = health_router(table=table, blobs=blobs, jobs=stores.jobs, metrics=metrics, settings=settings).routes
    # Also where blobs are elsewhere: the library may move to this machine while the server runs.
    routes += blob_routes.router(
        blobs=blobs, keyring=keyring, check_expected=lambda key: check_expected(key, at=clock(), table=table)
    ).routes
    routes += archives.routes(caller_resolver=callers, search=stores.search, blobs=blobs, **shared)
    routes += events.router().routes
    routes += photos.routes(
        caller_resolver=callers, images=images, timeline=timeline, photo_changes=photo_changes, **writing
    )
    routes += search.routes(images=images, search=stores.search, **shared)
    routes += albums.routes(
        images=images, timeline=timeline, album_photo_changes=album_photos, outbox=outbox, wake=events.wake, **shared
    )
    routes += uploads.routes(
        images=images,
        album_photo_changes=album_photos,
        default_visibility=Visibility(settings.default_visibility),
        max_bytes=settings.upload_max_bytes,
        **writing,
    )
    routes += guests.routes(
        images=images,
        photo_changes=photo_changes,
        album_photo_changes=album_photos,
        wake=events.wake,
        public_url=url,
        **shared,
    )
    routes += people.routes(images=images, face_lookup=faces, engine=stores.engine, **face_stores, **writing)
    routes += accounts.routes(face_lookup=faces, provider=provider, setup=setup, settings=settings, **writing)
    routes += admin.routes(setup=setup, settings=settings, jobs=stores.jobs, **face_stores, **writing)
    routes += [openapi_route(cookies), *web.routes(cookie=cookies.name)]

    refuse_undeclared(routes)
    app.router.routes.extend(routes)
    add_middleware(app, settings=settings, metrics=metrics)
    return app
