"""Port of blob stores: whole blobs, open and incoming blobs, multipart uploads and signed URLs.

A key has 1 to 512 bytes: 1 to 16 segments joined by `/`, each of 1 to 200 letters, digits and `-_.@=+`, none beginning
with a dot. Every adapter raises BadInput for any other key, so that no key can leave its folder. BadInput also stands
for a content type unlike `image/jpeg`, a hash that is not 64 hex digits, a part number below 1 or above 10,000, and a
signed URL that would be valid for less than a second or more than seven days.

An etag is a text without quotes that changes with the bytes; each adapter makes its own. As an argument, an etag may
also come in the quotes of an HTTP header.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol, TypeVar, runtime_checkable

from sparks.model.errors import BadInput, NotFound

MIN_PART_SIZE: Final = 5 * 1024 * 1024
MAX_PARTS: Final = 10_000
MAX_PAGE_SIZE: Final = 1000
MAX_CHUNK: Final = 1024 * 1024
STREAM_CHUNK: Final = 256 * 1024
MAX_URL_SECONDS: Final = 7 * 24 * 3600
DEFAULT_TYPE: Final = "application/octet-stream"

_SEGMENT: Final = r"[A-Za-z0-9_@=+-][A-Za-z0-9_.@=+-]{0,199}"
_KEY: Final = re.compile(rf"{_SEGMENT}(/{_SEGMENT}){{0,15}}", re.ASCII)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


def is_key(text: str) -> bool:
    return len(text) <= 512 and _KEY.fullmatch(text) is not None


def checked_key(key: str) -> str:
    """The key, or BadInput."""
    if not is_key(key):
        raise BadInput(f"not a blob key: {key[:80]!r}")
    return key


@dataclass(frozen=True, slots=True)
class BlobInfo:
    """Metadata of a stored blob.

    `sha256` is the hash given to `put` or `sign_put`, or else the one that `put` computed. It is None after a multipart
    upload. Where no hash was given, it may be None after a signed PUT, and in `head` after a `put` of more than 16 MiB.
    """

    key: str
    size: int
    etag: str
    modified: datetime
    content_type: str = DEFAULT_TYPE
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class BlobPage:
    """`after` is the place at which the next page starts, and None exactly when nothing follows."""

    blobs: list[BlobInfo]
    after: str | None


@dataclass(frozen=True, slots=True)
class MultipartUpload:
    """A multipart upload that was created and is neither completed nor aborted."""

    key: str
    upload_id: str
    started: datetime


@dataclass(frozen=True, slots=True)
class UploadPart:
    number: int
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class SignedUrl:
    """A URL to be used with this `method` and exactly these `headers`.

    Content-Length is not among them, since clients set it themselves; it must still be the signed one.
    """

    url: str
    method: str
    headers: Mapping[str, str] = field(default_factory=dict)


class OpenBlob(Protocol):
    """A blob that is open for reading. Its bytes and its `info` belong together, also while the blob is replaced."""

    @property
    def info(self) -> BlobInfo: ...

    def read(self, start: int, end: int) -> bytes:
        """All the bytes from `start` up to, not including, `end`, which must be there."""

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        """The same bytes in chunks of at most 256 KiB; a store elsewhere gets one request for all of them.

        A caller that stops early closes the iterator.
        """

    def fileno(self) -> int | None:
        """The descriptor of the file that holds exactly its bytes, open for reading only and until `close`; None where
        no file does.
        """

    def close(self) -> None:
        """Closing twice is allowed."""


class IncomingBlob(Protocol[T_co]):
    """Bytes that arrive piece by piece; no reader sees any of them before `commit`."""

    def write(self, chunk: bytes) -> None: ...

    def commit(self) -> T_co:
        """Checks and stores the bytes; durable when it returns."""

    def drop(self) -> None:
        """Discards the bytes. After `commit`, nothing happens."""


class Blobs(Protocol):
    @property
    def is_local(self) -> bool:
        """Whether the blobs are on this machine: Sparks itself answers at their signed URLs, and reading them costs no
        network.
        """

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
        """Stores the bytes and replaces an existing blob; durable when it returns. No reader sees any of them before.

        Damaged where the length is not `size` or the hash is not `sha256` (hex). With `if_absent`, AlreadyThere where
        the blob exists, also when two writers race. After any error, also one raised by `chunks`, the existing blob is
        unchanged.
        """

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The bytes from `start` up to, not including, `end`, in chunks of at most 1 MiB. NotFound is raised before the
        first chunk.

        An `end` past the last byte means the last byte. BadInput for a `start` past it (0 is always allowed) and for an
        `end` before `start`. A caller that stops early closes the iterator. A blob that is replaced or deleted
        meanwhile is read to its end as it was, or the read fails; the bytes of two blobs are never mixed.
        """

    def open_blob(self, key: str) -> OpenBlob:
        """The blob, open for reading in any order. NotFound where there is none.

        Where it is replaced or deleted meanwhile, it is read as it was, or the reading fails.
        """

    def receive(
        self, key: str, *, size: int | None, sha256: str | None, content_type: str, if_absent: bool
    ) -> IncomingBlob[BlobInfo]:
        """`put` in pieces, so that a slow client holds no thread."""

    def head(self, key: str) -> BlobInfo:
        """The metadata of the blob, or NotFound."""

    def copy(self, source: str, target: str) -> BlobInfo:
        """Copies bytes, type and hash to another key and replaces a blob there; durable when it returns.

        NotFound where there is no source. A copy onto itself changes nothing.
        """

    def delete(self, key: str) -> None:
        """Deletes the blob. A missing blob is no error."""

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        """At most `limit` (1 to 1000) blobs whose keys begin with `prefix` and come after `after`, in the order of the
        keys' UTF-8 bytes. `prefix` and `after` may be any text.

        The list leaves out `content_type` and `sha256`, which `head` returns.
        """

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE) -> str:
        """Creates a multipart upload and returns its id. The blob appears when the upload is completed."""

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> UploadPart:
        """Stores part `number` (1 to 10,000) and replaces an earlier part of that number. Damaged, and the earlier part
        stays, where the length is not `size`. NotFound for an unknown upload, and for the upload of another key.
        """

    def receive_part(self, key: str, upload_id: str, number: int, *, size: int) -> IncomingBlob[UploadPart]:
        """`put_part` in pieces. NotFound for an unknown upload, here or in `commit`."""

    def sign_part(self, key: str, upload_id: str, number: int, *, size: int, expires_in: int) -> SignedUrl:
        """A URL that accepts exactly this part, in one PUT of exactly `size` bytes."""

    def list_parts(self, key: str, upload_id: str) -> Sequence[UploadPart]:
        """The parts that have arrived, by number. NotFound for an unknown upload."""

    def complete_upload(
        self, key: str, upload_id: str, parts: Sequence[UploadPart], *, if_absent: bool = False
    ) -> BlobInfo:
        """Joins the parts, given in ascending order of their numbers, to the blob; durable when it returns.

        BadInput for no part, for another order, and for a part below 5 MiB that is not the last. Conflict where a part
        is missing or has another etag. Parts that are not given are dropped. With `if_absent`, AlreadyThere where the
        blob exists. After any error the upload is unchanged.

        NotFound for an unknown upload. A caller that lost the response calls `head`; an engine that remembers completed
        uploads may return the first result again.
        """

    def abort_upload(self, key: str, upload_id: str) -> None:
        """Drops the upload and its parts. An unknown upload is no error."""

    def list_uploads(self, *, started_before: datetime) -> Iterator[MultipartUpload]:
        """The uploads that were created before that time and are neither completed nor aborted."""

    def sign_get(
        self, key: str, *, expires_in: int, disposition: str | None = None, content_type: str | None = None
    ) -> SignedUrl:
        """A URL that reads the blob, also by Range, until it expires; the response has these two headers.

        A missing blob is noticed only when the URL is used. `disposition` is printable ASCII.
        """

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
        """A URL that accepts a PUT of exactly this length and type under this key, until it expires: any number of
        times, or with `if_absent` only while there is no blob (else 412).

        With `sha256`, a PUT of other bytes is refused.
        """

    def check(self) -> None:
        """Raises Unavailable, with the reason, where the store cannot be reached now."""

    def close(self) -> None:
        """Closes files and connections. Closing twice is allowed."""


@dataclass(frozen=True, slots=True)
class StoredElsewhere:
    """An object in another bucket of a server: its address there, and the etag that it has."""

    endpoint: str
    bucket: str
    key: str
    etag: str
    size: int


@runtime_checkable
class CopiesObjects(Protocol):
    """A store that can copy objects of other buckets without their bytes passing through this machine."""

    def can_copy(self, source: StoredElsewhere) -> bool:
        """Whether the object is on the same server, and not too large to be copied at once."""

    def copy_object(self, source: StoredElsewhere, target: str, *, sha256: str, content_type: str) -> BlobInfo:
        """Copies the object, whose hash is known, and replaces a blob there; durable when it returns. Damaged where the
        object is another one by now, and Unavailable where the store may not read it.
        """


def has_blob(key: str, *, blobs: Blobs) -> bool:
    try:
        blobs.head(key)
    except NotFound:
        return False
    return True


def write_all(incoming: IncomingBlob[T], chunks: Iterable[bytes]) -> T:
    try:
        for chunk in chunks:
            incoming.write(chunk)
        return incoming.commit()
    finally:
        incoming.drop()


def joined_etag(parts: Sequence[UploadPart]) -> str:
    """The etag of a blob made of these parts. It ends with their number and is shorter than a sha256."""
    etags = "".join(part.etag for part in parts)
    return f"{hashlib.sha256(etags.encode()).hexdigest()[:32]}-{len(parts)}"
