"""Blobs that note their changes during a migration between engines, and change over to the other store.

[Note: blobs and the change-over] A blob and its entry in the outbox are not one transaction. So an entry announces the
change, and another one replaces it when the change is made. Between the two the library may move to the other store:
then the blob is carried over before the caller hears that it is stored. A process that is killed in between leaves the
first entry, which is copied like any other.

[Note: uploads begun before] A signed URL of a bucket stays good for an hour, and a multipart upload belongs to the
store in which it was created. So, after a change-over, uploads and their parts are also looked for at the other store.

[Note: signed URLs after a change-over] The pages that a server has sent allow the browser to connect to the origins of
its settings only. So a server that was started with a folder goes on to answer at signed URLs itself, with the bytes of
the bucket, until it is started with other settings.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain
from typing import TypeVar

from sparks.blobs.port import (
    DEFAULT_TYPE,
    BlobInfo,
    BlobPage,
    Blobs,
    IncomingBlob,
    MultipartUpload,
    OpenBlob,
    SignedUrl,
    UploadPart,
    has_blob,
)
from sparks.library.blob_keys import UPLOADS
from sparks.library.records import key_of
from sparks.migrate.engines import outbox
from sparks.migrate.engines.copy_blob import copy_blob
from sparks.migrate.engines.switch import EngineSwitch, View
from sparks.model.engine_migration import EngineOutboxEntry
from sparks.model.errors import NotFound
from sparks.table.port import Delete

T = TypeVar("T")


class SwitchedBlobs:
    def __init__(self, switch: EngineSwitch) -> None:
        self._switch = switch

    @property
    def is_local(self) -> bool:
        return self._signer.is_local

    # -- Changes

    def put(
        self,
        key: str,
        chunks: Iterable[bytes],
        *,
        size: int | None = None,
        sha256: str | None = None,
        content_type: str = DEFAULT_TYPE,
        if_absent: bool = False,
    ) -> BlobInfo:
        def store(blobs: Blobs) -> BlobInfo:
            return blobs.put(key, chunks, size=size, sha256=sha256, content_type=content_type, if_absent=if_absent)

        return self.change(key, store)

    def receive(
        self, key: str, *, size: int | None, sha256: str | None, content_type: str, if_absent: bool
    ) -> IncomingBlob[BlobInfo]:
        blobs = self._current
        incoming = blobs.receive(key, size=size, sha256=sha256, content_type=content_type, if_absent=if_absent)
        return _SwitchedIncoming(key, incoming, blobs, self)

    def copy(self, source: str, target: str) -> BlobInfo:
        self._fetch_upload(source)
        return self.change(target, lambda blobs: blobs.copy(source, target))

    def delete(self, key: str) -> None:
        self.change(key, lambda blobs: blobs.delete(key))

    def complete_upload(
        self, key: str, upload_id: str, parts: Sequence[UploadPart], *, if_absent: bool = False
    ) -> BlobInfo:
        origin = self._store_of(key, upload_id)

        def join(blobs: Blobs) -> BlobInfo:
            info = origin.complete_upload(key, upload_id, parts, if_absent=if_absent)
            if blobs is not origin:
                copy_blob(key, origin=origin, to=blobs)
            return info

        return self.change(key, join)

    def change(self, key: str, make: Callable[[Blobs], T]) -> T:
        """The result of `make`, which changes the blob in the store that it gets: see [Note: blobs and the
        change-over].
        """
        while True:
            view = self._switch.writable()
            blobs = view.stores.blobs
            if not view.moves_blobs:
                result = make(blobs)
                if self._switch.is_late(view):
                    self._carry_over(key, blobs)
                return result
            pending = outbox.new_entry(blobs=(key,), pending=True)
            if self._switch.note(view, pending):
                result = make(blobs)
                if not self._replace(view, pending):
                    self._carry_over(key, blobs)
                return result

    def _replace(self, view: View, pending: EngineOutboxEntry) -> bool:
        """Notes that the change is made; False where the library has left this store."""
        entry = outbox.new_entry(blobs=pending.blobs)
        while (fresh := self._switch.writable()).stores.blobs is view.stores.blobs:
            if not fresh.moves_blobs:
                return True
            if self._switch.note(fresh, entry, Delete(key_of(pending))):
                return True
        return False

    def _carry_over(self, key: str, origin: Blobs) -> None:
        """Makes the store in use agree with the one in which the blob was changed."""
        self.change(key, lambda blobs: 0 if blobs is origin else copy_blob(key, origin=origin, to=blobs))

    # -- Reads

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        return self._read(key, lambda blobs: blobs.open(key, start=start, end=end))

    def open_blob(self, key: str) -> OpenBlob:
        return self._read(key, lambda blobs: blobs.open_blob(key))

    def head(self, key: str) -> BlobInfo:
        return self._read(key, lambda blobs: blobs.head(key))

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        return self._current.list(prefix, limit=limit, after=after)

    def _read(self, key: str, read: Callable[[Blobs], T]) -> T:
        """A blob that is not there may have been stored at the other side since this process looked at the state."""
        view = self._switch.view()
        try:
            return read(view.stores.blobs)
        except NotFound:
            if view.migration is None:
                raise
        self._fetch_upload(key)
        return read(self._switch.look_again().stores.blobs)

    def _fetch_upload(self, key: str) -> None:
        """Carries an upload over that was sent to the store which the library has left."""
        view = self._switch.view()
        if view.passive is None or not view.moves_blobs or not key.startswith(UPLOADS):
            return
        if not has_blob(key, blobs=view.stores.blobs) and has_blob(key, blobs=view.passive.blobs):
            self._carry_over(key, view.passive.blobs)

    # -- Multipart uploads

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE) -> str:
        return self._switch.writable().stores.blobs.create_upload(key, content_type=content_type)

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> UploadPart:
        return self._store_of(key, upload_id).put_part(key, upload_id, number, chunks, size=size)

    def receive_part(self, key: str, upload_id: str, number: int, *, size: int) -> IncomingBlob[UploadPart]:
        return self._store_of(key, upload_id).receive_part(key, upload_id, number, size=size)

    def sign_part(self, key: str, upload_id: str, number: int, *, size: int, expires_in: int) -> SignedUrl:
        signer = self._signer if self.is_local else self._store_of(key, upload_id)
        return signer.sign_part(key, upload_id, number, size=size, expires_in=expires_in)

    def list_parts(self, key: str, upload_id: str) -> Sequence[UploadPart]:
        return self._store_of(key, upload_id).list_parts(key, upload_id)

    def abort_upload(self, key: str, upload_id: str) -> None:
        self._store_of(key, upload_id).abort_upload(key, upload_id)

    def list_uploads(self, *, started_before: datetime) -> Iterator[MultipartUpload]:
        view = self._switch.view()
        stores = [view.stores.blobs, *([view.passive.blobs] if view.passive and view.moves_blobs else [])]
        return chain.from_iterable(blobs.list_uploads(started_before=started_before) for blobs in stores)

    def _store_of(self, key: str, upload_id: str) -> Blobs:
        """The store in which the upload was created: see [Note: uploads begun before]."""
        view = self._switch.view()
        if view.passive is None or not view.moves_blobs:
            return view.stores.blobs
        with suppress(NotFound):
            view.stores.blobs.list_parts(key, upload_id)
            return view.stores.blobs
        with suppress(NotFound):
            view.passive.blobs.list_parts(key, upload_id)
            return view.passive.blobs
        return view.stores.blobs

    # -- Signed URLs and the store itself

    def sign_get(
        self, key: str, *, expires_in: int, disposition: str | None = None, content_type: str | None = None
    ) -> SignedUrl:
        return self._signer.sign_get(key, expires_in=expires_in, disposition=disposition, content_type=content_type)

    def sign_put(
        self,
        key: str,
        *,
        size: int,
        content_type: str = DEFAULT_TYPE,
        expires_in: int,
        sha256: str | None = None,
        if_absent: bool = False,
    ) -> SignedUrl:
        return self._signer.sign_put(
            key,
            size=size,
            content_type=content_type,
            expires_in=expires_in,
            sha256=sha256,
            if_absent=if_absent,
        )

    def check(self) -> None:
        self._current.check()

    def close(self) -> None:
        self._current.close()

    @property
    def _current(self) -> Blobs:
        return self._switch.view().stores.blobs

    @property
    def _signer(self) -> Blobs:
        """See [Note: signed URLs after a change-over]."""
        home = self._switch.home.blobs
        return home if home.is_local else self._current


class _SwitchedIncoming:
    """Bytes that arrive at the store which was in use when the first of them came."""

    def __init__(self, key: str, incoming: IncomingBlob[BlobInfo], origin: Blobs, blobs: SwitchedBlobs) -> None:
        self._key = key
        self._incoming = incoming
        self._origin = origin
        self._blobs = blobs

    def write(self, chunk: bytes) -> None:
        self._incoming.write(chunk)

    def commit(self) -> BlobInfo:
        def store(blobs: Blobs) -> BlobInfo:
            info = self._incoming.commit()
            if blobs is not self._origin:
                copy_blob(self._key, origin=self._origin, to=blobs)
            return info

        return self._blobs.change(self._key, store)

    def drop(self) -> None:
        self._incoming.drop()
