"""Blobs: bytes under a key, written whole or not at all.

A key is 1 to 512 bytes made of 1 to 16 segments joined by `/`: 1 to 200 letters, digits and `-_.@=+` in each, none of
which begins with a dot. Anything else is a BadInput, on every adapter, so that no key can leave its folder. So is a
content type that is not like `image/jpeg`, a hash that is not 64 hex digits, a part number below 1 or above 10,000, and
a signed address that is to live for less than a second or more than seven days.

An etag is a text without quotes that changes with the bytes; what it is made of is the adapter's affair. Where one is
taken, it may also come in the quotes of an HTTP header.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from sparks.model.errors import BadInput

SMALLEST_PART: Final = 5 * 1024 * 1024
MOST_PARTS: Final = 10_000
MOST_LISTED: Final = 1000
LARGEST_CHUNK: Final = 1024 * 1024
LONGEST_SIGNED: Final = 7 * 24 * 3600
DEFAULT_TYPE: Final = "application/octet-stream"

_SEGMENT: Final = r"[A-Za-z0-9_@=+-][A-Za-z0-9_.@=+-]{0,199}"
_KEY: Final = re.compile(rf"{_SEGMENT}(/{_SEGMENT}){{0,15}}", re.ASCII)


def is_key(text: str) -> bool:
    return len(text) <= 512 and _KEY.fullmatch(text) is not None


def checked_key(key: str) -> str:
    """The key, or BadInput."""
    if not is_key(key):
        raise BadInput(f"not a blob key: {key[:80]!r}")
    return key


@dataclass(frozen=True, slots=True)
class BlobInfo:
    """What is known of a stored blob.

    `sha256` is the one that `put` or `sign_put` was told, or else the one that `put` saw. It is None after a multipart
    upload, and may be None when it was not told: for a signed PUT, and in `head` for a `put` of more than 16 MiB.
    """

    key: str
    size: int
    etag: str
    modified: datetime
    content_type: str = DEFAULT_TYPE
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class BlobPage:
    """`after` continues behind the last key, and is None exactly when nothing follows."""

    blobs: list[BlobInfo]
    after: str | None


@dataclass(frozen=True, slots=True)
class Upload:
    """A multipart upload that has begun and is neither complete nor aborted."""

    key: str
    upload_id: str
    started: datetime


@dataclass(frozen=True, slots=True)
class Part:
    number: int
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class SignedUrl:
    """An address with what must be sent along: `method` and exactly these `headers`.

    Content-Length is not among them, since clients set it themselves; it must be the signed one all the same.
    """

    url: str
    method: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Blobs(Protocol):
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
        """Stores the bytes, over what was there; durable when it returns, and until then nobody sees any of them.

        A length other than `size` or a hash other than `sha256` (hex) is Damaged; with `if_absent`, a blob already
        there is AlreadyThere, also when two writers race. Whatever is raised, also by `chunks` itself, what stood there
        stays as it was.
        """

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The bytes from `start` up to, not including, `end`, in chunks of at most 1 MiB. NotFound, before the first
        chunk.

        An `end` past the last byte is cut to it; a `start` past it is a BadInput (0 is always fine), and so is an `end`
        before `start`. Whoever stops early closes the iterator. A blob that is replaced or deleted meanwhile is read to
        its end as it was, or the reading fails; the bytes of two blobs are never mixed.
        """

    def head(self, key: str) -> BlobInfo:
        """What is known of the blob, or NotFound."""

    def copy(self, source: str, target: str) -> BlobInfo:
        """The same bytes, type and hash under another key too, over what was there; durable when it returns.

        NotFound where there is no source. A copy onto itself changes nothing.
        """

    def delete(self, key: str) -> None:
        """Removes the blob. Nothing there: nothing happens."""

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        """At most `limit` (1 to 1000) blobs whose keys begin with `prefix` and come after `after` (any text both), by
        key in the order of UTF-8 bytes.

        Their `content_type` and `sha256` are not told here, whatever they are: ask `head`.
        """

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE) -> str:
        """Begins a multipart upload and returns its id. Nothing is seen under the key until it is complete."""

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> Part:
        """Stores part `number` (1 to 10,000), over an earlier one of that number. A length other than `size` is Damaged
        and leaves the earlier one. NotFound for an unknown upload; that of another key is unknown too.
        """

    def sign_part(self, key: str, upload_id: str, number: int, *, size: int, expires_in: int) -> SignedUrl:
        """An address that takes exactly this part in one PUT of exactly `size` bytes."""

    def list_parts(self, key: str, upload_id: str) -> Sequence[Part]:
        """The parts that have arrived, by number. NotFound for an unknown upload."""

    def complete_upload(self, key: str, upload_id: str, parts: Sequence[Part], *, if_absent: bool = False) -> BlobInfo:
        """Joins the parts, in ascending order of their numbers, to the blob; durable when it returns.

        Every part but the last is at least 5 MiB, or it is a BadInput, as is another order or no part at all. A part
        that is missing or has another etag is a Conflict. Parts that are not named are dropped. With `if_absent`, a
        blob already there is AlreadyThere. Whatever is raised, the upload stays as it was.

        NotFound for an unknown upload: a caller whose answer was lost asks `head`. An engine that remembers what it
        completed may answer such a repeat as it did the first time.
        """

    def abort_upload(self, key: str, upload_id: str) -> None:
        """Drops the upload and its parts. Unknown: nothing happens."""

    def list_uploads(self, *, started_before: datetime) -> Iterator[Upload]:
        """The uploads that began before that time and are neither complete nor aborted."""

    def sign_get(
        self, key: str, *, expires_in: int, disposition: str | None = None, content_type: str | None = None
    ) -> SignedUrl:
        """An address that reads the blob, with Range, until it expires; these two headers come with the answer.

        Whether there is such a blob is seen when the address is used. `disposition` is printable ASCII.
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
        """An address that takes a PUT of exactly this length and type under exactly this key, until it expires: any
        number of times, or with `if_absent` only while nothing is there (412 otherwise).

        Other bytes than those of `sha256`, where it is told, are refused.
        """

    def check(self) -> None:
        """Raises Unavailable, saying why, unless the store can be reached right now."""

    def close(self) -> None:
        """Gives back files and connections. Closing twice is fine."""
