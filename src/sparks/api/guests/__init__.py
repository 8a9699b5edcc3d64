"""Routes of share links, guests and the moderation of their uploads."""

from collections.abc import Callable

from starlette.routing import BaseRoute

from sparks.actions.album_photo_changes import AlbumPhotoChanges
from sparks.actions.moderation import Moderation
from sparks.actions.photo_changes import PhotoChanges
from sparks.actions.share_link_changes import ShareLinkChanges
from sparks.api.guests.link_session_routes import LinkSessionRoutes
from sparks.api.guests.moderation_routes import ModerationRoutes
from sparks.api.guests.routes import GuestRoutes
from sparks.api.guests.share_link_routes import ShareLinkRoutes
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.photos.responses import ImageResponses
from sparks.model.keyring import Keyring
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    images: ImageResponses,
    photo_changes: PhotoChanges,
    album_photo_changes: AlbumPhotoChanges,
    wake: Callable[[], None],
    public_url: str,
    table: Table,
    keyring: Keyring,
) -> list[BaseRoute]:
    """`wake` sends the live events that were written to open pages at once."""
    clock = authenticator.now
    moderation = Moderation(photos=photo_changes, album_photos=album_photo_changes, table=table, clock=clock)
    links = ShareLinkChanges(table=table, wake=wake, clock=clock)
    resources = (
        ModerationRoutes(
            authenticator=authenticator, moderation=moderation, images=images, table=table, keyring=keyring
        ),
        ShareLinkRoutes(authenticator=authenticator, changes=links, public_url=public_url, table=table),
        LinkSessionRoutes(authenticator=authenticator, table=table),
        GuestRoutes(authenticator=authenticator, images=images, table=table, keyring=keyring),
    )
    return [route for resource in resources for route in resource.router().routes]
