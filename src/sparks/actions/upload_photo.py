"""Actions that upload a photo by signed URLs: reserve, complete and cancel; and the policy of all uploads.

Each action may be repeated: with an idempotency key, a repeat gets the result of the first request.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from sparks.actions.album_photo_changes import AlbumPhotoChanges
from sparks.actions.outbox import Outbox
from sparks.auth.rate_limits import RateLimit, RateLimiter
from sparks.blobs.port import Blobs
from sparks.library.albums.album_details import check_sortable
from sparks.library.albums.album_lookup import NO_ALBUM
from sparks.library.albums.album_photos import AlbumPlacement
from sparks.library.authorized_reads import album_for, photo_for
from sparks.library.duplicates import find_existing_photo
from sparks.library.photos.photo_rows import find_photo
from sparks.media.file_types import FileType
from sparks.model.access import SIGN_IN, Action
from sparks.model.album import Album
from sparks.model.caller import Caller, GuestCaller, Member, caller_name
from sparks.model.errors import BadInput, ConditionFailed, Conflict, NotFound, NotSignedIn, UnsupportedType
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.share import LinkCaps
from sparks.table.port import Table
from sparks.uploads.complete import complete_upload
from sparks.uploads.finalize import FinalizedUpload, no_extra_changes
from sparks.uploads.idempotency import KEY_REUSED, IdempotentRequest
from sparks.uploads.reservations import cancel_upload, reserve_upload
from sparks.uploads.upload_request import (
    AcceptType,
    PhotoAttributes,
    UploadRequest,
    accept_any,
    check_size,
    check_type,
)

COMPLETE: Final = "this upload is complete: it is a photo by now"
CANCELED: Final = "this upload was canceled just now: try again in a minute"
FOR_MEMBERS: Final = "guests cannot set visibility, expiry or tags of a photo: leave them out"
NO_LENGTH: Final = "the size of the file is missing: send it with a Content-Length"
NOT_ACCEPTED: Final = "this link accepts only {}, and this file is {}"

# -- Policy: owner, album, visibility and accepted types for each caller


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """The photo to reserve, the album to which it is added, and the guest who uploads it, if any."""

    request: UploadRequest
    into: AlbumPlacement | None
    guest: GuestCaller | None = None


class UploadPolicy:
    def __init__(
        self,
        *,
        rate_limiter: RateLimiter,
        table: Table,
        default_visibility: Visibility,
        clock: Callable[[], datetime],
    ) -> None:
        self._rates = rate_limiter
        self._table = table
        self._default_visibility = default_visibility
        self._now = clock

    def plan(self, caller: Caller, attributes: PhotoAttributes) -> UploadPlan:
        """NotFound or NotAllowed where the caller may not upload to the album; BadInput for what guests may not say."""
        match caller:
            case Member():
                return self._plan_for_member(caller, attributes)
            case GuestCaller():
                return self._plan_for_guest(caller, attributes)
        raise NotSignedIn(SIGN_IN)

    def _plan_for_member(self, caller: Member, attributes: PhotoAttributes) -> UploadPlan:
        request = attributes.upload_request(caller.email, default_visibility=self._default_visibility)
        if attributes.album_id is None:
            return UploadPlan(request, into=None)
        album = self._album(caller, attributes.album_id)
        return UploadPlan(request, AlbumPlacement(album_id=album.album_id, by=caller_name(caller), at=self._now()))

    def _plan_for_guest(self, caller: GuestCaller, attributes: PhotoAttributes) -> UploadPlan:
        """A guest's photo is private, belongs to the album's owner, and is added to the album of the link."""
        link, guest = caller.link, caller.guest
        if attributes.visibility is not None or attributes.expires_at is not None or attributes.tags:
            raise BadInput(FOR_MEMBERS)
        if attributes.size is None:
            raise BadInput(NO_LENGTH)
        if attributes.album_id not in (None, link.album_id):
            raise NotFound(NO_ALBUM)
        _check_declared_type(link.caps, attributes.mime_type)
        self._rates.count_guest(caller, RateLimit.GUEST_UPLOADS, RateLimit.LINK_UPLOADS)
        album = self._album(caller, link.album_id)
        request = attributes.upload_request(
            album.owner,
            default_visibility=Visibility.PRIVATE,
            guest_id=guest.guest_id,
            uploader_tag=guest.name,
        )
        into = AlbumPlacement(
            album_id=album.album_id, by=caller_name(caller), at=self._now(), approved=not link.moderated
        )
        return UploadPlan(request, into, caller)

    def _album(self, caller: Caller, album_id: str) -> Album:
        album = album_for(caller, Action.UPLOAD_PHOTO, album_id, at=self._now(), table=self._table).album
        check_sortable(album, more=1)
        return album


def accepted_types(caller: Caller) -> AcceptType:
    """Check of the file types that this caller may upload, of those that Sparks supports."""
    if not isinstance(caller, GuestCaller) or caller.link.caps is None:
        return accept_any
    caps = caller.link.caps
    return lambda kind: _check_accepted(caps, kind)


def _check_accepted(caps: LinkCaps, kind: FileType) -> None:
    if not caps.takes(kind.mime):
        raise UnsupportedType(NOT_ACCEPTED.format(", ".join(caps.types), kind.mime))


def _check_declared_type(caps: LinkCaps | None, mime_type: str | None) -> None:
    """Refuses a file early by the type that the uploader declares; its bytes are checked later."""
    declared = (mime_type or "").lower()
    if caps is not None and declared.startswith(("image/", "video/")) and not caps.takes(declared):
        raise UnsupportedType(NOT_ACCEPTED.format(", ".join(caps.types), declared[:100]))


# -- Actions


@dataclass(frozen=True, slots=True)
class UploadResult:
    """A finished upload. `photo` is the new photo; None for a duplicate, whose `image_id` is that of the photo that the
    uploader has already.
    """

    image_id: str
    photo: Photo | None = None


class Uploads:
    """Each raises NotFound for a reservation that is not the caller's."""

    def __init__(
        self,
        *,
        policy: UploadPolicy,
        album_photos: AlbumPhotoChanges,
        outbox: Outbox,
        table: Table,
        blobs: Blobs,
        keyring: Keyring,
        max_bytes: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._policy = policy
        self._album_photos = album_photos
        self._outbox = outbox
        self._table = table
        self._blobs = blobs
        self._keyring = keyring
        self._max_bytes = max_bytes
        self._now = clock

    def reserve(self, caller: Caller, attributes: PhotoAttributes, *, idempotency_key: str | None) -> Photo:
        """A new reservation; the photo itself where the caller has uploaded the same bytes before, or where this
        repeats a request whose upload is complete.
        """
        check_type(attributes.mime_type)
        check_size(attributes.size or 0, most=self._max_bytes)
        plan = self._policy.plan(caller, attributes)
        existing = self._existing(caller, plan)
        return existing or self._reserve(caller, plan, idempotency_key)

    def find(self, caller: Caller, image_id: str) -> Photo:
        """The reservation, or the photo that it has become."""
        return photo_for(caller, Action.UPLOAD_PHOTO, image_id, at=self._now(), table=self._table)

    def find_reservation(self, caller: Caller, image_id: str) -> Photo:
        """Conflict where it has become a photo."""
        photo = self.find(caller, image_id)
        if photo.state is not PhotoState.RESERVED:
            raise Conflict(COMPLETE)
        return photo

    def cancel(self, caller: Caller, image_id: str) -> None:
        """Gives the reservation back, and deletes the bytes that have arrived. Conflict where it is complete."""
        photo = self.find_reservation(caller, image_id)
        try:
            cancel_upload(photo, table=self._table, blobs=self._blobs)
        except Conflict as error:
            raise Conflict(COMPLETE) from error

    def complete(self, caller: Caller, image_id: str, *, idempotency_key: str | None) -> UploadResult:
        """Makes the photo of a reservation whose bytes have arrived. Conflict while bytes are missing."""
        repeated = self._repeated_completion(caller, image_id, idempotency_key)
        if (earlier := _earlier_duplicate(repeated)) is not None:
            return earlier
        try:
            finalized = self._complete(caller, image_id, repeated)
        except NotFound:
            # The reservation of a duplicate is gone as soon as another request with the same key has completed it.
            earlier = _earlier_duplicate(self._repeated_completion(caller, image_id, idempotency_key))
            if earlier is None:
                raise
            return earlier
        return finish_upload(finalized, outbox=self._outbox)

    def _existing(self, caller: Caller, plan: UploadPlan) -> Photo | None:
        """The photo of the same bytes, if this caller has uploaded it; it is added to the album. A guest's stays where
        the host has put it. Uploads of others are not compared, so that no response reveals them to a guest.
        """
        request = plan.request
        if request.sha256 is None:
            return None
        until = request.expires_at
        existing = find_existing_photo(
            caller_name(caller), request.sha256, at=self._now(), until=until, table=self._table
        )
        if existing is None:
            return None
        if plan.into is not None and plan.guest is None:
            self._album_photos.add_allowed(existing.photo, plan.into)
        if existing.follows is not None:
            self._outbox.send(existing.follows)
        return existing.photo

    def _reserve(self, caller: Caller, plan: UploadPlan, idempotency_key: str | None) -> Photo:
        """A new reservation or, where this repeats a request, what has become of the first one."""
        request, at = plan.request, self._now()
        reserve = partial(
            reserve_upload, request, into=plan.into, guest=plan.guest, at=at, table=self._table, blobs=self._blobs
        )
        if idempotency_key is None:
            return reserve()
        repeated = self._idempotent(caller, idempotency_key, f"reserve {request.size} {request.filename}")
        image_id = repeated.place(table=self._table)
        if (photo := find_photo(image_id, table=self._table)) is None:
            reserve(image_id=image_id)
            photo = find_photo(image_id, table=self._table)
        if photo is None or photo.state is PhotoState.DELETING:
            raise Conflict(CANCELED)
        return photo

    def _complete(self, caller: Caller, image_id: str, repeated: IdempotentRequest | None) -> FinalizedUpload:
        photo = self.find(caller, image_id)
        if photo.state is not PhotoState.RESERVED:
            return FinalizedUpload(photo, duplicate=False, follows=None)
        try:
            return complete_upload(
                photo,
                accept=accepted_types(caller),
                at=self._now(),
                table=self._table,
                blobs=self._blobs,
                also=no_extra_changes if repeated is None else repeated.note,
            )
        except ConditionFailed as error:
            raise Conflict(KEY_REUSED) from error

    def _repeated_completion(self, caller: Caller, image_id: str, key: str | None) -> IdempotentRequest | None:
        return None if key is None else self._idempotent(caller, key, f"complete {image_id}")

    def _idempotent(self, caller: Caller, key: str, request: str) -> IdempotentRequest:
        return IdempotentRequest(
            key, who=caller_name(caller), request=request, at=self._now(), table=self._table, keyring=self._keyring
        )


def _earlier_duplicate(repeated: IdempotentRequest | None) -> UploadResult | None:
    """The result of the first request with the same key, where that found a duplicate."""
    earlier = None if repeated is None else repeated.answered()
    return UploadResult(earlier.image_id) if earlier is not None and earlier.duplicate else None


def finish_upload(finalized: FinalizedUpload, *, outbox: Outbox) -> UploadResult:
    """Sends the photo to be processed. The outbox need not recheck it: lost jobs are found by the photo's state."""
    if finalized.follows is not None:
        outbox.send(finalized.follows)
    photo = finalized.photo
    return UploadResult(photo.image_id, None if finalized.duplicate else photo)
