"""Routes of albums: members, photos, persons and comments."""

from collections.abc import Callable

from starlette.routing import BaseRoute

from sparks.actions.album_changes import AlbumChanges
from sparks.actions.album_photo_changes import AlbumPhotoChanges
from sparks.actions.comment_changes import CommentChanges
from sparks.actions.outbox import Outbox
from sparks.api.albums.album_person_routes import AlbumPersonRoutes
from sparks.api.albums.album_photo_routes import AlbumPhotoRoutes, WallRoutes
from sparks.api.albums.comment_routes import CommentRoutes
from sparks.api.albums.routes import AlbumRoutes
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.photos.responses import ImageResponses
from sparks.feed.timeline import Timeline
from sparks.model.keyring import Keyring
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    images: ImageResponses,
    timeline: Timeline,
    album_photo_changes: AlbumPhotoChanges,
    outbox: Outbox,
    wake: Callable[[], None],
    table: Table,
    keyring: Keyring,
) -> list[BaseRoute]:
    """`wake` sends the live events that were written to open pages at once."""
    clock = authenticator.now
    albums = AlbumChanges(table=table, outbox=outbox, wake=wake, clock=clock)
    comments = CommentChanges(table=table, keyring=keyring, rate_limiter=authenticator.rates, clock=clock)
    resources = (
        AlbumRoutes(authenticator=authenticator, changes=albums, table=table, keyring=keyring),
        AlbumPhotoRoutes(
            authenticator=authenticator,
            changes=album_photo_changes,
            images=images,
            timeline=timeline,
            table=table,
            keyring=keyring,
        ),
        AlbumPersonRoutes(authenticator=authenticator, images=images, table=table, keyring=keyring),
        CommentRoutes(authenticator=authenticator, changes=comments, table=table, keyring=keyring),
        WallRoutes(authenticator=authenticator, images=images, table=table),
    )
    return [route for resource in resources for route in resource.router().routes]
