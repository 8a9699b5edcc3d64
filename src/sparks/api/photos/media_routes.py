"""Routes for renditions, face crops and originals: served here or redirected to the store.

A signed URL names the viewer for whom it was made. Every request resolves that viewer again and checks that they may
see the photo. So a URL ends with the session, key or link that it was made for, and with the photo.
"""

from typing import Any, ClassVar, Final

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route

from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.openapi import BYTES
from sparks.api.http.parameters import ImageId
from sparks.api.photos.media_responses import NO_PHOTO, MediaResponses
from sparks.auth.callers import CallerResolver
from sparks.auth.signed_media_urls import verify_media
from sparks.blobs.port import Blobs
from sparks.library.authorized_reads import photo_for
from sparks.library.people.photo_faces import find_face_in_photo
from sparks.model.access import Action
from sparks.model.caller import Caller, GuestCaller
from sparks.model.errors import BadInput, NotFound
from sparks.model.ids import checked_uuid
from sparks.model.keyring import Keyring
from sparks.model.photo import RENDITION_NAME, VIDEO, Photo
from sparks.table.port import Table

ORIGINAL_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The file.", **BYTES},
    206: {"description": "The range of the file that Range names.", **BYTES},
    304: {"description": "Unchanged since the response that If-None-Match names."},
    307: {"description": "The file is at this other URL, for some minutes."},
}


class SignedMediaRoute(Route):
    """A route without authentication by cookie or token: the signature names the caller."""

    action: ClassVar = Action.SEE_PHOTO


def router(
    *,
    authenticator: RequestAuthenticator,
    caller_resolver: CallerResolver,
    table: Table,
    blobs: Blobs,
    keyring: Keyring,
) -> APIRouter:
    """The signed URLs are not in the OpenAPI document, since clients do not build them."""
    responses = MediaResponses(blobs=blobs)

    async def media(request: Request) -> Response:
        return await run_in_threadpool(read_rendition, request, *_checked(**request.path_params))

    async def face(request: Request) -> Response:
        return await run_in_threadpool(read_face, request, *_checked_face(**request.path_params))

    def read_rendition(request: Request, image_id: str, size: str) -> Response:
        """Members play a video without a `video` rendition from the URL of its original. Guests may not be allowed to
        download that, and play it here.
        """
        photo, caller, seconds = verify(request, image_id)
        if size == VIDEO and isinstance(caller, GuestCaller) and photo.is_own_film:
            return responses.own_video(request, photo, stripped=not caller.link.show_metadata)
        return responses.rendition(request, photo, size, max_age=seconds)

    def read_face(request: Request, image_id: str, face_id: str) -> Response:
        photo, _, seconds = verify(request, image_id)
        crop = find_face_in_photo(photo.image_id, face_id, table=table)
        return responses.face_crop(request, crop, max_age=seconds)

    def verify(request: Request, image_id: str) -> tuple[Photo, Caller, int]:
        """The photo, the caller, and the number of seconds until the URL expires."""
        query = request.scope["query_string"].decode("latin-1")
        at = authenticator.now()
        grant = verify_media(image_id, query, now=at, keyring=keyring)
        caller = caller_resolver.by_viewer(grant.viewer, at=at)
        photo = photo_for(caller, Action.SEE_PHOTO, grant.image_id, at=at, table=table)
        return photo, caller, int((grant.until - at).total_seconds())

    def read_original(image_id: ImageId, request: Request, caller: CurrentCaller) -> Response:
        """Download the original file, whole or by Range. Guests whose link hides metadata get it without place, camera
        and names; if the type of file does not allow that, they get the largest rendition.
        """
        photo = photo_for(caller, Action.DOWNLOAD_ORIGINAL, image_id, at=authenticator.now(), table=table)
        if isinstance(caller, GuestCaller) and not caller.link.show_metadata:
            return responses.stripped_original(request, photo)
        return responses.original(request, photo)

    routes = ActionRouter(authenticator, tag="photos")
    original = "/api/photos/{imageId}/original", Action.DOWNLOAD_ORIGINAL, read_original
    routes.add("GET", *original, errors=(404, 416), responses=ORIGINAL_RESPONSES, response_class=Response)
    routes.add("HEAD", *original, include_in_schema=False)
    for path, endpoint in (("/media/{image_id}/{size}", media), ("/media/{image_id}/faces/{face_id}", face)):
        routes.router.routes.append(SignedMediaRoute(path, endpoint, methods=["GET", "HEAD"], include_in_schema=False))
    return routes.router


def _checked(*, image_id: str, size: str) -> tuple[str, str]:
    """NotFound for a malformed id or size, as for a photo that does not exist."""
    try:
        checked_id = checked_uuid(image_id)
    except BadInput as error:
        raise NotFound(NO_PHOTO) from error
    if RENDITION_NAME.fullmatch(size) is None:
        raise NotFound(NO_PHOTO)
    return checked_id, size


def _checked_face(*, image_id: str, face_id: str) -> tuple[str, str]:
    try:
        return checked_uuid(image_id), checked_uuid(face_id)
    except BadInput as error:
        raise NotFound(NO_PHOTO) from error
