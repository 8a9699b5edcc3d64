"""Routes of uploads, resumable and in one request."""

from starlette.routing import BaseRoute

from sparks.actions.album_photo_changes import AlbumPhotoChanges
from sparks.actions.direct_upload import DirectUploads
from sparks.actions.outbox import Outbox
from sparks.actions.upload_photo import UploadPolicy, Uploads
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.photos.responses import ImageResponses
from sparks.api.uploads.direct_upload_routes import DirectUploadRoutes
from sparks.api.uploads.responses import UploadResponses
from sparks.api.uploads.routes import UploadRoutes
from sparks.blobs.port import Blobs
from sparks.model.keyring import Keyring
from sparks.model.photo import Visibility
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    images: ImageResponses,
    album_photo_changes: AlbumPhotoChanges,
    outbox: Outbox,
    default_visibility: Visibility,
    max_bytes: int,
    table: Table,
    blobs: Blobs,
    keyring: Keyring,
) -> list[BaseRoute]:
    """`max_bytes` is the most that one file may have."""
    clock = authenticator.now
    policy = UploadPolicy(
        rate_limiter=authenticator.rates, table=table, default_visibility=default_visibility, clock=clock
    )
    uploads = Uploads(
        policy=policy,
        album_photos=album_photo_changes,
        outbox=outbox,
        table=table,
        blobs=blobs,
        keyring=keyring,
        max_bytes=max_bytes,
        clock=clock,
    )
    direct = DirectUploads(policy=policy, outbox=outbox, table=table, blobs=blobs, max_bytes=max_bytes, clock=clock)
    responses = UploadResponses(images=images, blobs=blobs)
    resources = (
        UploadRoutes(authenticator=authenticator, uploads=uploads, responses=responses, blobs=blobs),
        DirectUploadRoutes(authenticator=authenticator, uploads=direct, responses=responses),
    )
    return [route for resource in resources for route in resource.router().routes]
