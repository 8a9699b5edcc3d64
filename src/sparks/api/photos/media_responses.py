"""Responses with the bytes of photos: renditions, face crops, profile pictures and originals.

Where the store serves blobs itself, a GET is redirected to a URL that the store signs. That URL allows only GET, so a
HEAD is answered here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from fastapi import Request, Response
from starlette.exceptions import HTTPException

from sparks.api.http.blob_response import (
    REVALIDATED,
    attachment_disposition,
    blob_headers,
    blob_response,
    safe_content_type,
)
from sparks.blobs.port import BlobInfo, Blobs, OpenBlob
from sparks.library import blob_keys
from sparks.media.file_types import file_type_of_mime
from sparks.media.strip_metadata import PatchSet, patches_for
from sparks.model.access import NOT_THERE
from sparks.model.errors import NotFound
from sparks.model.face import Face
from sparks.model.photo import VIDEO, AssetType, Photo, ProcessingStatus, Rendition

STRIPPED_SUFFIX: Final = "-veiled"  # of an ETag, which browsers have stored
REDIRECT_SECONDS: Final = 300
REDIRECT_MAX_AGE: Final = 240  # seconds; shorter, so that no browser keeps a URL that has expired
FACE_MAX_AGE: Final = 3600  # seconds: a face may be erased, or cropped again by another engine
RETRY_AFTER: Final = "5"  # seconds
UNFINISHED: Final = frozenset({ProcessingStatus.PENDING, ProcessingStatus.PROCESSING})
NO_PHOTO: Final = NOT_THERE.format("photo")


@dataclass(frozen=True, slots=True)
class StrippedBlob:
    """An original whose metadata is overwritten while it is read. Its ETag differs from that of the original."""

    blob: OpenBlob
    patches: PatchSet

    @property
    def info(self) -> BlobInfo:
        return replace(self.blob.info, etag=self.blob.info.etag + STRIPPED_SUFFIX)

    def read(self, start: int, end: int) -> bytes:
        return self.patches.over(self.blob.read(start, end), start)

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        for chunk in self.blob.chunks(start, end):
            yield self.patches.over(chunk, start)
            start += len(chunk)

    def fileno(self) -> int | None:
        return None

    def close(self) -> None:
        self.blob.close()


def without_metadata(blob: OpenBlob, mime_type: str | None) -> StrippedBlob | None:
    """None for a type of file whose metadata cannot be stripped; the blob stays open then."""
    size = blob.info.size
    patches = patches_for(lambda start, end: blob.read(start, min(end, size)), size, file_type_of_mime(mime_type))
    return None if patches is None else StrippedBlob(blob, patches)


class MediaResponses:
    """Responses with the bytes of photos that the caller may see."""

    def __init__(self, *, blobs: Blobs) -> None:
        self._blobs = blobs

    def rendition(self, request: Request, photo: Photo, size: str, *, max_age: int) -> Response:
        """Browsers may cache it for `max_age` seconds."""
        key = _rendition_key(photo, size)
        if not self._blobs.is_local:
            return self._redirect(request, key, caching=f"private, max-age={min(max_age, REDIRECT_MAX_AGE)}")
        blob = self._blobs.open_blob(key)
        caching = f"private, max-age={max_age}, immutable"
        return blob_response(request, blob, caching=caching, content_type=safe_content_type(blob.info.content_type))

    def face_crop(self, request: Request, face: Face | None, *, max_age: int) -> Response:
        key = None if face is None else face.thumb_key
        if key is None or not key.startswith(blob_keys.FACE_THUMBS):
            raise NotFound(NO_PHOTO)
        if not self._blobs.is_local:
            return self._redirect(request, key, caching=f"private, max-age={min(max_age, REDIRECT_MAX_AGE)}")
        blob = self._blobs.open_blob(key)
        caching = f"private, max-age={min(max_age, FACE_MAX_AGE)}"
        return blob_response(request, blob, caching=caching, content_type=safe_content_type(blob.info.content_type))

    def profile_picture(self, request: Request, key: str) -> Response:
        """The URL stays the same when the user chooses another picture, so browsers revalidate it."""
        if not key.startswith(blob_keys.PROFILE_PICTURES):
            raise NotFound(NOT_THERE.format("picture"))
        if not self._blobs.is_local:
            return self._redirect(request, key, caching="no-store")
        blob = self._blobs.open_blob(key)
        return blob_response(request, blob, caching=REVALIDATED, content_type=safe_content_type(blob.info.content_type))

    def original(self, request: Request, photo: Photo) -> Response:
        """A download under the file name of the upload."""
        key = _original_key(photo)
        disposition = attachment_disposition(photo.original_filename, otherwise=key.rpartition("/")[2])
        kind = safe_content_type(photo.mime_type)
        if not self._blobs.is_local:
            return self._redirect(request, key, caching="no-store", content_type=kind, disposition=disposition)
        blob = self._blobs.open_blob(key)
        return blob_response(request, blob, caching=REVALIDATED, content_type=kind, disposition=disposition)

    def stripped_original(self, request: Request, photo: Photo) -> Response:
        """A download without metadata, under a neutral file name. Sparks sends it itself, also where the store serves
        blobs. Where metadata cannot be stripped, it is the largest rendition.
        """
        key = _original_key(photo)
        blob = self._open_stripped(photo)
        if blob is None:
            key = _largest_key(photo)
            blob = self._blobs.open_blob(key)
        disposition = attachment_disposition(None, otherwise=key.rpartition("/")[2])
        kind = safe_content_type(blob.info.content_type)
        return blob_response(request, blob, caching=REVALIDATED, content_type=kind, disposition=disposition)

    def own_video(self, request: Request, photo: Photo, *, stripped: bool) -> Response:
        """The original of a video, to be played. `stripped`: without metadata, or NotFound where that cannot be
        stripped. Browsers revalidate it, since a `video` rendition may be made later.
        """
        kind = safe_content_type(photo.mime_type)
        if not stripped and not self._blobs.is_local:
            return self._redirect(request, _original_key(photo), caching="no-store", content_type=kind)
        blob = self._open_stripped(photo) if stripped else self._blobs.open_blob(_original_key(photo))
        if blob is None:
            raise NotFound(f"this photo has no {VIDEO} rendition")
        return blob_response(request, blob, caching=REVALIDATED, content_type=kind)

    def _open_stripped(self, photo: Photo) -> OpenBlob | None:
        """The original without metadata; None where that cannot be stripped."""
        blob = self._blobs.open_blob(_original_key(photo))
        stripped: OpenBlob | None = None
        try:
            stripped = without_metadata(blob, photo.mime_type)
        finally:
            if stripped is None:
                blob.close()
        return stripped

    def _redirect(
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
        signed = self._blobs.sign_get(
            key, expires_in=REDIRECT_SECONDS, disposition=disposition, content_type=content_type
        )
        return Response(None, 307, {"Location": signed.url, "Cache-Control": caching})


def _original_key(photo: Photo) -> str:
    if photo.original_key is None:
        raise NotFound("this photo has no original yet: its upload is not complete")
    return photo.original_key


def _largest_key(photo: Photo) -> str:
    """The largest rendition; NotFound for a video without a `video` rendition."""
    if photo.asset_type is AssetType.VIDEO:
        return _rendition_key(photo, VIDEO)
    return _rendition_key(photo, Rendition.LARGE)


def _rendition_key(photo: Photo, size: str) -> str:
    """NotFound where the rendition does not exist; with a Retry-After while it is being made.

    Whatever the row holds, the key is never that of an original.
    """
    key = photo.renditions.keys.get(size) if photo.renditions is not None else None
    if key is not None and key.startswith(blob_keys.PROCESSED):
        return key
    if photo.processing_status in UNFINISHED:
        raise HTTPException(404, f"the {size} rendition is being made: try again soon", {"Retry-After": RETRY_AFTER})
    raise NotFound(f"this photo has no {size} rendition")
