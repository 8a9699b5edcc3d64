"""Routes of photos: lists, edits, media files, timelines and tags."""

from starlette.routing import BaseRoute

from sparks.actions.outbox import Outbox
from sparks.actions.photo_changes import PhotoChanges
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.photos import media_routes
from sparks.api.photos.responses import ImageResponses
from sparks.api.photos.routes import BulkPhotoRoutes, PhotoEditRoutes, PhotoRoutes
from sparks.api.photos.tag_routes import TagRoutes
from sparks.api.photos.timeline_routes import TimelineRoutes
from sparks.auth.callers import CallerResolver
from sparks.blobs.port import Blobs
from sparks.feed.timeline import Timeline
from sparks.model.keyring import Keyring
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    caller_resolver: CallerResolver,
    images: ImageResponses,
    timeline: Timeline,
    photo_changes: PhotoChanges,
    outbox: Outbox,
    table: Table,
    blobs: Blobs,
    keyring: Keyring,
) -> list[BaseRoute]:
    media = media_routes.router(
        authenticator=authenticator,
        caller_resolver=caller_resolver,
        table=table,
        blobs=blobs,
        keyring=keyring,
    )
    resources = (
        PhotoRoutes(authenticator=authenticator, images=images, table=table, keyring=keyring),
        PhotoEditRoutes(authenticator=authenticator, changes=photo_changes, images=images),
        BulkPhotoRoutes(authenticator=authenticator, changes=photo_changes),
        TimelineRoutes(authenticator=authenticator, timeline=timeline, table=table, keyring=keyring),
        TagRoutes(authenticator=authenticator, images=images, outbox=outbox, table=table, keyring=keyring),
    )
    return [*media.routes, *(route for resource in resources for route in resource.router().routes)]
