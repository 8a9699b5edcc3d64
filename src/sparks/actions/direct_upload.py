"""Actions of an upload in one request: reserve and receive, finish, abandon."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from sparks.actions.outbox import Outbox
from sparks.actions.upload_photo import UploadPolicy, UploadResult, accepted_types, finish_upload
from sparks.blobs.port import Blobs
from sparks.library.upload_limits.account_limit import read_limit
from sparks.model.caller import Caller
from sparks.model.errors import Conflict, UploadLimitReached
from sparks.model.photo import Photo
from sparks.table.port import Table
from sparks.uploads.finalize import finalize_upload
from sparks.uploads.receive import IncomingOriginal
from sparks.uploads.reservations import cancel_upload, reserve_upload
from sparks.uploads.upload_request import PhotoAttributes, check_size


class DirectUploads:
    def __init__(
        self,
        *,
        policy: UploadPolicy,
        outbox: Outbox,
        table: Table,
        blobs: Blobs,
        max_bytes: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._policy = policy
        self._outbox = outbox
        self._table = table
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._now = clock

    def receive(self, caller: Caller, attributes: PhotoAttributes) -> tuple[Photo, IncomingOriginal]:
        """A reservation, and the receiver of its bytes. The bytes are not reserved where their number is unknown."""
        if attributes.size is not None:
            check_size(attributes.size, most=self._max_bytes)
        plan = self._policy.plan(caller, attributes)
        photo = reserve_upload(plan.request, into=plan.into, guest=plan.guest, at=self._now(), table=self._table)
        incoming = IncomingOriginal(
            photo,
            check=self._size_check(plan.request.owner, reserved=attributes.size is not None),
            accept=accepted_types(caller),
            blobs=self._blobs,
        )
        return photo, incoming

    def finish(self, photo: Photo, incoming: IncomingOriginal) -> UploadResult:
        """Makes the photo of the received bytes."""
        original = incoming.commit()
        return finish_upload(
            finalize_upload(photo, original, at=self._now(), table=self._table, blobs=self._blobs), outbox=self._outbox
        )

    def abandon(self, photo: Photo) -> None:
        """Gives the reservation back; nothing happens where the photo was made before the request failed."""
        with suppress(Conflict):
            cancel_upload(photo, table=self._table, blobs=self._blobs)

    def _size_check(self, owner: str, *, reserved: bool) -> Callable[[int], None]:
        """Raises TooLarge or, where the bytes are not reserved, UploadLimitReached."""
        limit = None if reserved else read_limit(owner, table=self._table)

        def check(size: int) -> None:
            check_size(size, most=self._max_bytes)
            if limit is not None and limit.bytes_left is not None and size > limit.bytes_left:
                message = f"only {limit.bytes_left:,} bytes are left, and the file has more: ask an administrator"
                raise UploadLimitReached(message, photos_left=limit.photos_left, bytes_left=limit.bytes_left)

        return check
