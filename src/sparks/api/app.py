"""The application: all routes, and what stands around them."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.routing import BaseRoute

from sparks import __version__
from sparks.api import blobs, errors, health, media, web
from sparks.api.about import AboutRoutes
from sparks.api.album_changes import AlbumChanges
from sparks.api.album_people import AlbumPeopleRoutes
from sparks.api.album_photos import AlbumPhotoRoutes
from sparks.api.albums import AlbumRoutes
from sparks.api.appearances import AppearanceRoutes
from sparks.api.archives import ArchiveRoutes
from sparks.api.audit import AuditRoutes
from sparks.api.biometrics import BiometricsRoutes
from sparks.api.bulk import BulkRoutes
from sparks.api.changes import Changes
from sparks.api.claims import ClaimRoutes
from sparks.api.consent import ConsentRoutes
from sparks.api.cookies import Cookies
from sparks.api.deciding import Deciding
from sparks.api.decisions import DecisionRoutes
from sparks.api.document import document_of
from sparks.api.drawing import DrawingRoutes
from sparks.api.edits import EditRoutes
from sparks.api.entrance import Entrance
from sparks.api.events import EventRoutes
from sparks.api.frame import add_frame
from sparks.api.gate import Gate, OpenRoute, refuse_undeclared
from sparks.api.guest import GuestRoutes
from sparks.api.history import HistoryRoutes
from sparks.api.identities import IdentityRoutes
from sparks.api.images import Images
from sparks.api.invitations import InvitationRoutes
from sparks.api.jobs import JobRoutes
from sparks.api.keys import KeyRoutes
from sparks.api.links import LinkRoutes
from sparks.api.marks import Marks
from sparks.api.me import MeRoutes
from sparks.api.me_person import MePersonRoutes
from sparks.api.mirror import Mirror
from sparks.api.newcomers import NewcomerRoutes
from sparks.api.oidc import OidcRoutes, connect_provider
from sparks.api.opening import OpeningRoutes
from sparks.api.persons import PersonRoutes
from sparks.api.photos import PhotoRoutes
from sparks.api.posting import PostingRoutes
from sparks.api.profile_picture import ProfilePictureRoutes
from sparks.api.queue import QueueRoutes
from sparks.api.rebuild import RebuildRoutes
from sparks.api.receipts import Receipts
from sparks.api.search import SearchRoutes
from sparks.api.selfie import SelfieRoutes
from sparks.api.session import SessionRoutes
from sparks.api.storage import StorageRoutes
from sparks.api.suggestions import SuggestionRoutes
from sparks.api.tags import TagRoutes
from sparks.api.talk import TalkRoutes
from sparks.api.timeline import TimelineRoutes
from sparks.api.uploaders import Uploaders
from sparks.api.uploads import UploadRoutes
from sparks.api.users import UserRoutes
from sparks.api.wall import WallRoutes
from sparks.auth.callers import Callers
from sparks.auth.oidc.connection import Connection
from sparks.auth.rates import Rates
from sparks.auth.registration import Allowance
from sparks.auth.sessions import Span
from sparks.auth.setup import SetupToken
from sparks.feed.timeline import Timeline
from sparks.journey import Journey, Stores
from sparks.metrics import Metrics
from sparks.model import times
from sparks.model.photo import FILM, MOTION, Rendition, Visibility
from sparks.settings import Settings
from sparks.table.port import Table
from sparks.upload.addresses import check_awaited


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
    """`setup` lets the first administrator in; streams end when `stopping` is set. TypeError where a route does not say
    who may use it.
    """
    # The pages that FastAPI has for its docs load from a CDN, and its route for the document declares no action.
    app = FastAPI(
        title="Sparks", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False
    )
    errors.install(app)
    provider = connect_provider(settings, table=stores.table, keyring=stores.keyring, clock=clock)
    callers = _callers(provider, stores, settings)
    gate = _gate(callers, settings, clock)
    routes = [*health.router(stores=stores, metrics=metrics, settings=settings).routes]
    if stores.served is not None:
        awaited = partial(_check_awaited, stores.table, clock)
        routes += blobs.router(blobs=stores.served, keyring=stores.keyring, check_awaited=awaited).routes
    routes += media.router(gate=gate, callers=callers, stores=stores).routes
    routes += ArchiveRoutes(gate=gate, callers=callers, stores=stores).router().routes
    events = EventRoutes(gate=gate, stores=stores, stopping=stopping or asyncio.Event())
    routes += events.router().routes
    routes += _photo_routes(gate, stores, settings, journey or Journey(), events)
    routes += _link_routes(gate, stores, settings, events)
    routes += _decision_routes(gate, stores, journey or Journey())
    routes += _people_routes(gate, stores, settings, journey or Journey())
    routes += _account_routes(gate, stores, settings, journey or Journey(), setup, provider)
    routes += [_document_route(gate.cookies), *web.routes(cookie=gate.cookies.name)]
    refuse_undeclared(routes)
    app.router.routes.extend(routes)
    add_frame(app, settings=settings, metrics=metrics)
    return app


def _check_awaited(table: Table, clock: Callable[[], datetime], key: str) -> None:
    check_awaited(key, at=clock(), table=table)


def _callers(provider: Connection | None, stores: Stores, settings: Settings) -> Callers:
    return Callers(
        table=stores.table,
        idle=timedelta(days=settings.session_days),
        token_member=None if provider is None else provider.bearer.member,
        subject_member=None if provider is None else provider.bearer.member_of_subject,
    )


def _gate(callers: Callers, settings: Settings, clock: Callable[[], datetime]) -> Gate:
    cookies = Cookies(public_url=settings.public_url, allow_http=settings.allow_http, days=settings.session_days_most)
    return Gate(callers=callers, rates=Rates(), cookies=cookies, public_url=settings.public_url, clock=clock)


def _account_routes(
    gate: Gate,
    stores: Stores,
    settings: Settings,
    journey: Journey,
    setup: SetupToken | None,
    provider: Connection | None,
) -> list[BaseRoute]:
    table = stores.table
    allowance = Allowance(photos=settings.upload_limit, bytes=settings.upload_limit_bytes)
    span = Span(idle=timedelta(days=settings.session_days), most=timedelta(days=settings.session_days_most))
    entrance = Entrance(gate=gate, table=table, span=span)
    resources = (
        AboutRoutes(gate=gate, table=table, settings=settings, token=setup),
        SessionRoutes(
            gate=gate,
            entrance=entrance,
            table=table,
            logout_url=lambda user: None if provider is None else provider.logout_url(user),
        ),
        OidcRoutes(gate=gate, entrance=entrance, table=table, connection=provider),
        IdentityRoutes(gate=gate, table=table, connection=provider),
        NewcomerRoutes(
            gate=gate,
            entrance=entrance,
            table=table,
            allowance=allowance,
            is_open=settings.registration == "open",
            token=setup,
        ),
        MeRoutes(gate=gate, entrance=entrance, table=table),
        KeyRoutes(gate=gate, table=table),
        UserRoutes(gate=gate, stores=stores, journey=journey, allowance=allowance),
        InvitationRoutes(gate=gate, table=table, public_url=settings.public_url),
        AuditRoutes(gate=gate, table=table, keyring=stores.keyring),
    )
    return [route for resource in resources for route in resource.router().routes]


def _photo_routes(
    gate: Gate, stores: Stores, settings: Settings, journey: Journey, events: EventRoutes
) -> list[BaseRoute]:
    images = _images(stores, settings)
    changes = Changes(stores=stores, journey=journey, clock=gate.now)
    marks = Marks(table=stores.table, clock=gate.now)
    receipts = Receipts(stores=stores, journey=journey, images=images)
    timeline = Timeline(table=stores.table, blobs=stores.blobs, keyring=stores.keyring)
    album_changes = AlbumChanges(stores=stores, journey=journey, clock=gate.now)
    visibility = Visibility(settings.default_visibility)
    upload: dict[str, Any] = {
        "gate": gate,
        "stores": stores,
        "receipts": receipts,
        "uploaders": Uploaders(gate=gate, albums=album_changes, table=stores.table, visibility=visibility),
        "most_bytes": settings.upload_max_bytes,
    }
    resources = (
        PhotoRoutes(gate=gate, stores=stores, images=images, marks=marks),
        EditRoutes(gate=gate, changes=changes, images=images),
        BulkRoutes(gate=gate, changes=changes, marks=marks, table=stores.table),
        TimelineRoutes(gate=gate, stores=stores, timeline=timeline),
        TagRoutes(gate=gate, stores=stores, journey=journey, images=images),
        SearchRoutes(gate=gate, stores=stores, images=images),
        AlbumRoutes(gate=gate, stores=stores, journey=journey, hasten=events.hasten),
        AlbumPhotoRoutes(gate=gate, stores=stores, images=images, changes=album_changes, timeline=timeline),
        AlbumPeopleRoutes(gate=gate, stores=stores, images=images),
        TalkRoutes(gate=gate, stores=stores),
        QueueRoutes(gate=gate, stores=stores, images=images, changes=changes, albums=album_changes),
        WallRoutes(gate=gate, stores=stores, images=images),
        UploadRoutes(albums=album_changes, **upload),
        PostingRoutes(**upload),
    )
    return [route for resource in resources for route in resource.router().routes]


def _link_routes(gate: Gate, stores: Stores, settings: Settings, events: EventRoutes) -> list[BaseRoute]:
    resources = (
        LinkRoutes(gate=gate, stores=stores, public_url=settings.public_url, hasten=events.hasten),
        OpeningRoutes(gate=gate, stores=stores),
        GuestRoutes(gate=gate, stores=stores, images=_images(stores, settings)),
    )
    return [route for resource in resources for route in resource.router().routes]


def _decision_routes(gate: Gate, stores: Stores, journey: Journey) -> list[BaseRoute]:
    deciding = Deciding(stores=stores, journey=journey, clock=gate.now)
    resources = (
        SuggestionRoutes(gate=gate, stores=stores, deciding=deciding),
        DecisionRoutes(gate=gate, stores=stores, deciding=deciding),
        DrawingRoutes(gate=gate, stores=stores, deciding=deciding),
        HistoryRoutes(gate=gate, stores=stores, deciding=deciding),
    )
    return [route for resource in resources for route in resource.router().routes]


def _people_routes(gate: Gate, stores: Stores, settings: Settings, journey: Journey) -> list[BaseRoute]:
    images = _images(stores, settings)
    mirror = Mirror(stores=stores, rates=gate.rates)
    resources = (
        PersonRoutes(gate=gate, stores=stores),
        AppearanceRoutes(gate=gate, stores=stores, images=images),
        SelfieRoutes(gate=gate, stores=stores, mirror=mirror),
        ProfilePictureRoutes(gate=gate, stores=stores, mirror=mirror),
        MePersonRoutes(gate=gate, stores=stores, mirror=mirror),
        ClaimRoutes(gate=gate, stores=stores),
        JobRoutes(gate=gate, stores=stores),
        StorageRoutes(gate=gate, stores=stores, settings=settings),
        RebuildRoutes(gate=gate, stores=stores, journey=journey),
        ConsentRoutes(gate=gate, stores=stores, journey=journey),
        BiometricsRoutes(gate=gate, stores=stores, journey=journey),
    )
    return [route for resource in resources for route in resource.router().routes]


def _images(stores: Stores, settings: Settings) -> Images:
    return Images(stores, (*Rendition, FILM, MOTION, *settings.extra_sizes))


def _document_route(cookies: Cookies) -> BaseRoute:
    """What the routes are, what they take and what they answer: put together when it is first asked for."""

    @cache
    def encoded(app: FastAPI) -> bytes:
        return msgspec.json.encode(document_of(app, cookie=cookies.name, guest_cookie=cookies.guest_name))

    async def read_document(request: Request) -> Response:
        return Response(encoded(request.app), media_type="application/json")

    return OpenRoute("/openapi.json", read_document)
