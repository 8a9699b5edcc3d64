"""Blobs in memory: the reference adapter, also used by tests."""

import hashlib
import secrets
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Generic, TypeVar

from sparks.blobs.checks import (
    check_arrived,
    check_sizes,
    checked_content_type,
    checked_limit,
    checked_order,
    checked_part_number,
    checked_sha256,
    checked_size,
    cut_range,
    no_more_than,
    plain_etag,
)
from sparks.blobs.port import (
    DEFAULT_TYPE,
    MAX_CHUNK,
    STREAM_CHUNK,
    BlobInfo,
    BlobPage,
    MultipartUpload,
    UploadPart,
    checked_key,
    joined_etag,
    write_all,
)
from sparks.blobs.signed_urls import SignedUrlMixin
from sparks.model.errors import AlreadyThere, Conflict, NotFound
from sparks.model.keyring import Keyring

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MemoryBlob:
    info: BlobInfo
    content: bytes

    def read(self, start: int, end: int) -> bytes:
        return self.content[start:end]

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        return (self.content[at : min(at + STREAM_CHUNK, end)] for at in range(start, end, STREAM_CHUNK))

    def fileno(self) -> None:
        """There is no file."""

    def close(self) -> None:
        """Memory holds nothing open."""


@dataclass(frozen=True, slots=True)
class _Upload:
    key: str
    content_type: str
    started: datetime
    parts: dict[int, tuple[UploadPart, bytes]] = field(default_factory=dict)


class MemoryIncomingBlob(Generic[T]):
    """Collects the bytes; `commit` hands them to `store`."""

    def __init__(self, store: Callable[[bytes], T], *, size: int | None, sha256: str | None = None) -> None:
        self._store = store
        self._size = size
        self._sha256 = sha256
        self._content = bytearray()

    def write(self, chunk: bytes) -> None:
        self._content += chunk

    def commit(self) -> T:
        content = bytes(self._content)
        sha256 = hashlib.sha256(content).hexdigest()
        check_arrived(size=len(content), sha256=sha256, announced_size=self._size, announced_sha256=self._sha256)
        return self._store(content)

    def drop(self) -> None:
        self._content.clear()


class MemoryBlobs(SignedUrlMixin):
    """With `is_local` off, they stand in for a store on another machine."""

    def __init__(
        self,
        *,
        keyring: Keyring | None = None,
        base_url: str = "",
        clock: Callable[[], float] = time.time,
        is_local: bool = True,
    ) -> None:
        ring = keyring or Keyring("memory", {"memory": secrets.token_bytes(32)})
        super().__init__(keyring=ring, base_url=base_url, clock=clock)
        self.is_local = is_local
        self._lock = threading.Lock()
        self._blobs: dict[str, MemoryBlob] = {}
        self._uploads: dict[str, _Upload] = {}

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
        incoming = self.receive(key, size=size, sha256=sha256, content_type=content_type, if_absent=if_absent)
        return write_all(incoming, no_more_than(size, chunks))

    def receive(
        self, key: str, *, size: int | None, sha256: str | None, content_type: str, if_absent: bool
    ) -> MemoryIncomingBlob[BlobInfo]:
        checked_key(key)
        checked_content_type(content_type)

        def store(content: bytes) -> BlobInfo:
            sha256 = hashlib.sha256(content).hexdigest()
            info = BlobInfo(key, len(content), sha256, self._now(), content_type, sha256)
            with self._lock:
                return self._keep(MemoryBlob(info, content), if_absent=if_absent)

        return MemoryIncomingBlob(
            store, size=None if size is None else checked_size(size), sha256=checked_sha256(sha256)
        )

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        blob = self.open_blob(key)
        start, end = cut_range(start, end, blob.info.size)
        return (blob.content[at : min(at + MAX_CHUNK, end)] for at in range(start, end, MAX_CHUNK))

    def open_blob(self, key: str) -> MemoryBlob:
        blob = self._blobs.get(checked_key(key))
        if blob is None:
            raise NotFound(f"there is no blob {key}")
        return blob

    def head(self, key: str) -> BlobInfo:
        return self.open_blob(key).info

    def copy(self, source: str, target: str) -> BlobInfo:
        checked_key(target)
        with self._lock:
            blob = self.open_blob(source)
            if source == target:
                return blob.info
            info = replace(blob.info, key=target, modified=self._now())
            return self._keep(MemoryBlob(info, blob.content), if_absent=False)

    def delete(self, key: str) -> None:
        self._blobs.pop(checked_key(key), None)

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        checked_limit(limit)
        with self._lock:
            known = dict(self._blobs)
        keys = sorted(key for key in known if key.startswith(prefix))
        first = 0 if after is None else bisect_right(keys, after)
        page = keys[first : first + limit]
        infos = [replace(known[key].info, content_type=DEFAULT_TYPE, sha256=None) for key in page]
        return BlobPage(infos, page[-1] if len(keys) > first + limit else None)

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE) -> str:
        upload_id = secrets.token_hex(16)
        self._uploads[upload_id] = _Upload(checked_key(key), checked_content_type(content_type), self._now())
        return upload_id

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> UploadPart:
        return write_all(self.receive_part(key, upload_id, number, size=size), no_more_than(size, chunks))

    def receive_part(self, key: str, upload_id: str, number: int, *, size: int) -> MemoryIncomingBlob[UploadPart]:
        checked_part_number(number)
        self._upload(checked_key(key), upload_id)

        def store(content: bytes) -> UploadPart:
            part = UploadPart(number, len(content), hashlib.sha256(content).hexdigest())
            with self._lock:
                self._upload(key, upload_id).parts[number] = part, content
            return part

        return MemoryIncomingBlob(store, size=checked_size(size))

    def list_parts(self, key: str, upload_id: str) -> Sequence[UploadPart]:
        with self._lock:
            return [part for _, (part, _) in sorted(self._upload(checked_key(key), upload_id).parts.items())]

    def complete_upload(
        self, key: str, upload_id: str, parts: Sequence[UploadPart], *, if_absent: bool = False
    ) -> BlobInfo:
        checked_order(parts)
        with self._lock:
            upload = self._upload(checked_key(key), upload_id)
            stored = [_stored_part(upload, part) for part in parts]
            check_sizes([part for part, _ in stored])
            content = b"".join(content for _, content in stored)
            etag = joined_etag([part for part, _ in stored])
            info = BlobInfo(key, len(content), etag, self._now(), upload.content_type)
            self._keep(MemoryBlob(info, content), if_absent=if_absent)
            del self._uploads[upload_id]
            return info

    def abort_upload(self, key: str, upload_id: str) -> None:
        checked_key(key)
        with self._lock:
            upload = self._uploads.get(upload_id)
            if upload is not None and upload.key == key:
                del self._uploads[upload_id]

    def list_uploads(self, *, started_before: datetime) -> Iterator[MultipartUpload]:
        with self._lock:
            uploads = [
                MultipartUpload(upload.key, upload_id, upload.started) for upload_id, upload in self._uploads.items()
            ]
        return (upload for upload in uploads if upload.started < started_before)

    def check(self) -> None:
        """Memory is always reachable."""

    def close(self) -> None:
        """The blobs live as long as this object."""

    def _keep(self, blob: MemoryBlob, *, if_absent: bool) -> BlobInfo:
        """The caller holds the lock."""
        if if_absent and blob.info.key in self._blobs:
            raise AlreadyThere(f"the blob {blob.info.key} exists already")
        self._blobs[blob.info.key] = blob
        return blob.info

    def _upload(self, key: str, upload_id: str) -> _Upload:
        upload = self._uploads.get(upload_id)
        if upload is None or upload.key != key:
            raise NotFound(f"there is no upload {upload_id[:80]!r} of {key}")
        return upload

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def _stored_part(upload: _Upload, wanted: UploadPart) -> tuple[UploadPart, bytes]:
    part, content = upload.parts.get(wanted.number, (None, b""))
    if part is None or part.etag != plain_etag(wanted.etag):
        raise Conflict(f"part {wanted.number} is missing or was replaced")
    return part, content
