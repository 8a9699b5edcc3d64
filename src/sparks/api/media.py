"""The pictures and films themselves: renditions and the faces cut out of them at their signed addresses, and originals
for those who may download them.

A signature says whom an address was made for. Who that is by now, and whether they may see the photo, is asked at every
request: so an address closes with the session, key or link it was made for, and with the photo.

Where Sparks does not serve the blobs itself, a GET is sent on to an address that the store signs. Such an address is
good for a GET alone, so a HEAD is answered here.
"""

from typing import Annotated, Any, ClassVar, Final

from fastapi import APIRouter, Path, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Route

from sparks.api.answers import REVALIDATED, answer_with_blob, blob_headers
from sparks.api.downloads import attachment, safe_type
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.veiled import FarBlob, veiled
from sparks.auth.callers import Callers
from sparks.auth.signing import verify_media
from sparks.blobs.served import OpenBlob
from sparks.journey import Stores
from sparks.library import keys, objects
from sparks.library.access import photo_for
from sparks.library.records import from_item
from sparks.model.access import NOT_THERE, Action
from sparks.model.caller import GuestCaller, Who
from sparks.model.errors import BadInput, NotFound
from sparks.model.face import Face
from sparks.model.ids import checked_uuid
from sparks.model.photo import FILM, RENDITION_NAME, AssetType, Photo, ProcessingStatus, Rendition

SENT_ON_FOR: Final = 300  # seconds
FACE_KEPT: Final = 3600  # seconds: a face may be forgotten, and is cut out anew by another engine
SENT_ON_KEPT: Final = 240  # shorter, so that no browser keeps an address that is over
MADE_SOON: Final = "5"  # seconds
IN_WORK: Final = frozenset({ProcessingStatus.PENDING, ProcessingStatus.PROCESSING})

BYTES: Final = {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
ORIGINAL_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The file.", **BYTES},
    206: {"description": "The part of it that Range asked for.", **BYTES},
    304: {"description": "The caller has it already, as If-None-Match tells."},
    307: {"description": "The file is at this other address, for some minutes."},
}

ImageId = Annotated[str, Path(alias="imageId")]


class MediaRoute(Route):
    """Stands beside the gate: whoever calls is known by the signature."""

    action: ClassVar = Action.SEE_PHOTO


def router(*, gate: Gate, callers: Callers, stores: Stores) -> APIRouter:
    """The signed addresses are not in the OpenAPI document: nobody makes them but Sparks."""
    pictures = Pictures(stores)

    async def media(request: Request) -> Response:
        return await run_in_threadpool(see_size, request, *_checked(**request.path_params))

    async def face(request: Request) -> Response:
        return await run_in_threadpool(see_face, request, *_checked_face(**request.path_params))

    def see_size(request: Request, image_id: str, size: str) -> Response:
        """[Note: guests' films] Of a video without a film, members play the original, at its own address. Guests may
        have no way to that, and play it here.
        """
        photo, who, seconds = see(request, image_id)
        if size == FILM and isinstance(who, GuestCaller) and photo.is_own_film:
            return pictures.answer_own_film(request, photo, bare=not who.link.show_metadata)
        return pictures.answer_rendition(request, photo, size, seconds=seconds)

    def see_face(request: Request, image_id: str, face_id: str) -> Response:
        photo, _, seconds = see(request, image_id)
        return pictures.answer_face(request, photo, face_id, seconds=seconds)

    def see(request: Request, image_id: str) -> tuple[Photo, Who, int]:
        """The photo, who looks at it, and for how many seconds the address is good."""
        query = request.scope["query_string"].decode("latin-1")
        at = gate.now()
        grant = verify_media(image_id, query, now=at, keyring=stores.keyring)
        who = callers.by_viewer(grant.viewer, at=at)
        photo = photo_for(who, Action.SEE_PHOTO, grant.image_id, at=at, table=stores.table)
        return photo, who, int((grant.until - at).total_seconds())

    def read_original(image_id: ImageId, request: Request, who: Caller) -> Response:
        """The file as it was uploaded, with Range. Guests whose link hides metadata are given the same picture without
        place, camera and names; of a kind of file where these cannot be taken off, the largest rendition.
        """
        photo = photo_for(who, Action.DOWNLOAD_ORIGINAL, image_id, at=gate.now(), table=stores.table)
        if isinstance(who, GuestCaller) and not who.link.show_metadata:
            return pictures.answer_veiled(request, photo)
        return pictures.answer_original(request, photo)

    routes = Routes(gate, tag="photos")
    original = "/api/photos/{imageId}/original", Action.DOWNLOAD_ORIGINAL, read_original
    routes.add("GET", *original, errors=(404, 416), responses=ORIGINAL_ANSWERS, response_class=Response)
    routes.add("HEAD", *original, include_in_schema=False)
    for path, answer in (("/media/{image_id}/{size}", media), ("/media/{image_id}/faces/{face_id}", face)):
        routes.router.routes.append(MediaRoute(path, answer, methods=["GET", "HEAD"], include_in_schema=False))
    return routes.router


def _checked(*, image_id: str, size: str) -> tuple[str, str]:
    """What has not the form of an id is as little there as a photo that is not; and so it is with a size."""
    try:
        known = checked_uuid(image_id)
    except BadInput as error:
        raise NotFound(NOT_THERE.format("photo")) from error
    if RENDITION_NAME.fullmatch(size) is None:
        raise NotFound(NOT_THERE.format("photo"))
    return known, size


def _checked_face(*, image_id: str, face_id: str) -> tuple[str, str]:
    try:
        return checked_uuid(image_id), checked_uuid(face_id)
    except BadInput as error:
        raise NotFound(NOT_THERE.format("photo")) from error


class Pictures:
    """Answers with the bytes of photos that the caller may see."""

    def __init__(self, stores: Stores) -> None:
        self._table = stores.table
        self._blobs = stores.blobs
        self._served = stores.served

    def answer_rendition(self, request: Request, photo: Photo, size: str, *, seconds: int) -> Response:
        """For the browser to keep, for at most so long."""
        key = _rendition_key(photo, size)
        if self._served is None:
            return self._send_on(request, key, caching=f"private, max-age={min(seconds, SENT_ON_KEPT)}")
        blob = self._served.open_blob(key)
        caching = f"private, max-age={seconds}, immutable"
        return answer_with_blob(request, blob, caching=caching, content_type=safe_type(blob.info.content_type))

    def answer_face(self, request: Request, photo: Photo, face_id: str, *, seconds: int) -> Response:
        """A face of this photo, alone."""
        item = self._table.get(keys.face(photo.image_id, face_id))
        key = None if item is None else from_item(Face, item).thumb_key
        if key is None or not key.startswith(objects.FACE_THUMBS):
            raise NotFound(NOT_THERE.format("photo"))
        if self._served is None:
            return self._send_on(request, key, caching=f"private, max-age={min(seconds, SENT_ON_KEPT)}")
        blob = self._served.open_blob(key)
        caching = f"private, max-age={min(seconds, FACE_KEPT)}"
        return answer_with_blob(request, blob, caching=caching, content_type=safe_type(blob.info.content_type))

    def answer_profile_picture(self, request: Request, key: str) -> Response:
        """Under the address of its user, who may have another one soon: so the browser asks each time."""
        if not key.startswith(objects.PROFILE_PICTURES):
            raise NotFound(NOT_THERE.format("picture"))
        if self._served is None:
            return self._send_on(request, key, caching="no-store")
        blob = self._served.open_blob(key)
        return answer_with_blob(request, blob, caching=REVALIDATED, content_type=safe_type(blob.info.content_type))

    def answer_original(self, request: Request, photo: Photo) -> Response:
        """For the caller to save, under the name that it came with."""
        key = _original_key(photo)
        disposition = attachment(photo.original_filename, otherwise=key.rpartition("/")[2])
        kind = safe_type(photo.mime_type)
        if self._served is None:
            return self._send_on(request, key, caching="no-store", content_type=kind, disposition=disposition)
        blob = self._served.open_blob(key)
        return answer_with_blob(request, blob, caching=REVALIDATED, content_type=kind, disposition=disposition)

    def answer_veiled(self, request: Request, photo: Photo) -> Response:
        """The picture and nothing else, under a name that tells nothing either. It is sent by Sparks itself, wherever
        blobs are kept.
        """
        key = _original_key(photo)
        shown = self._veiled(photo)
        if shown is None:
            key = _largest_key(photo)
            shown = self._opened(key)
        disposition = attachment(None, otherwise=key.rpartition("/")[2])
        kind = safe_type(shown.info.content_type)
        return answer_with_blob(request, shown, caching=REVALIDATED, content_type=kind, disposition=disposition)

    def answer_own_film(self, request: Request, photo: Photo, *, bare: bool) -> Response:
        """The original of a video, to be played; `bare`: with the veil over it, or NotFound where there is none.
        Browsers ask each time: a film may be made of it yet.
        """
        kind = safe_type(photo.mime_type)
        if not bare and self._served is None:
            return self._send_on(request, _original_key(photo), caching="no-store", content_type=kind)
        shown = self._veiled(photo) if bare else self._opened(_original_key(photo))
        if shown is None:
            raise NotFound(f"this photo has no {FILM} rendition")
        return answer_with_blob(request, shown, caching=REVALIDATED, content_type=kind)

    def _veiled(self, photo: Photo) -> OpenBlob | None:
        """The original with the veil over it. None where nobody can veil it."""
        blob = self._opened(_original_key(photo))
        shown: OpenBlob | None = None
        try:
            shown = veiled(blob, photo.mime_type)
        finally:
            if shown is None:
                blob.close()
        return shown

    def _opened(self, key: str) -> OpenBlob:
        return FarBlob(key, self._blobs) if self._served is None else self._served.open_blob(key)

    def _send_on(
        self,
        request: Request,
        key: str,
        *,
        caching: str,
        content_type: str | None = None,
        disposition: str | None = None,
    ) -> Response:
        if request.method == "HEAD":
            info = self._blobs.head(key)
            headers = blob_headers(info, caching=caching, content_type=content_type, disposition=disposition)
            return Response(None, 200, {**headers, "Content-Length": str(info.size)})
        signed = self._blobs.sign_get(key, expires_in=SENT_ON_FOR, disposition=disposition, content_type=content_type)
        return Response(None, 307, {"Location": signed.url, "Cache-Control": caching})


def _original_key(photo: Photo) -> str:
    if photo.original_key is None:
        raise NotFound("this photo has no original yet: its upload is not complete")
    return photo.original_key


def _largest_key(photo: Photo) -> str:
    """Of what Sparks has made itself. NotFound of a video of which no film was made (yet)."""
    if photo.asset_type is AssetType.VIDEO:
        return _rendition_key(photo, FILM)
    return _rendition_key(photo, Rendition.LARGE)


def _rendition_key(photo: Photo, size: str) -> str:
    """NotFound where it was not made; while it is being made, with a Retry-After.

    [Note: never the original] Whatever the row says, this leads to what was made as a rendition.
    """
    key = photo.renditions.keys.get(size) if photo.renditions is not None else None
    if key is not None and key.startswith(objects.PROCESSED):
        return key
    if photo.processing_status in IN_WORK:
        raise HTTPException(404, f"the {size} rendition is being made: try again soon", {"Retry-After": MADE_SOON})
    raise NotFound(f"this photo has no {size} rendition")
