"""Objects of the source in a bucket of S3: hashed as they are read, and copied within S3 where both sides are there."""

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from sparks.blobs.port import DEFAULT_TYPE, Blobs, CopiesObjects, StoredElsewhere
from sparks.library import blob_keys
from sparks.media.digests import Digests, Sha1Chunks, digests_of
from sparks.media.sniff import HEAD_BYTES
from sparks.migrate.objects import UNKNOWN_EXTENSION, StoredObject, kind_of
from sparks.model.errors import BadInput, Damaged, SparksError, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CHUNK: Final = 1 << 20
TRIES: Final = 3
MISSING: Final = frozenset({"404", "NoSuchKey", "NotFound"})
CHANGED: Final = frozenset({"412", "PreconditionFailed"})
EXAMPLE: Final = "name a bucket as in s3://photos?region=eu-central-1, or a folder"


@dataclass(frozen=True, slots=True)
class FoundObject:
    key: str
    size: int
    etag: str


class ObjectBucket:
    """A bucket, or the part of one below a prefix: `s3://bucket/prefix?endpoint=..&region=..`. Only `write` changes
    anything in it. Credentials are those that AWS's SDK finds.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query))
        if parts.scheme != "s3" or not parts.netloc or options.keys() - {"endpoint", "region"}:
            raise BadInput(f"{url} is no address of a bucket: {EXAMPLE}")
        self.address = url
        self._bucket = parts.netloc
        self._prefix = f"{prefix}/" if (prefix := parts.path.strip("/")) else ""
        self._options = options

    @cached_property
    def _client(self) -> "S3Client":
        endpoint = self._options.get("endpoint")
        config = Config(
            signature_version="s3v4",
            s3={"addressing_style": "path" if endpoint else "auto"},
            retries={"mode": "standard", "total_max_attempts": 5},
            max_pool_connections=32,
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        try:
            return boto3.client(
                "s3", region_name=self._options.get("region"), endpoint_url=endpoint or None, config=config
            )
        except (BotoCoreError, ValueError) as error:
            raise BadInput(f"{error}: {EXAMPLE}") from error

    def check(self) -> None:
        """BadInput where the bucket cannot be read."""
        try:
            self._client.list_objects_v2(Bucket=self._bucket, Prefix=self._prefix, MaxKeys=1)
        except (ClientError, BotoCoreError) as error:
            raise BadInput(f"the bucket {self._bucket} cannot be read: {error}") from error

    def find(self, key: str) -> FoundObject | None:
        """None where there is none."""
        if not key:
            return None
        try:
            head = self._client.head_object(Bucket=self._bucket, Key=self._prefix + key)
        except ClientError as error:
            if _code(error) in MISSING:
                return None
            raise self._refused(key, error) from error
        except BotoCoreError as error:
            raise self._refused(key, error) from error
        return FoundObject(key, head["ContentLength"], head["ETag"])

    def digests(self, key: str) -> Digests | None:
        """The hashes of the object; None where there is none."""
        for _ in range(TRIES):
            found = self.find(key)
            try:
                return None if found is None else digests_of(self._chunks(found))
            except Damaged:
                continue
        raise Unavailable(f"the object {key} is being changed while it is read: try again later")

    def copy(self, key: str, image_id: str, *, blobs: Blobs) -> StoredObject | None:
        """Stores the object as the original of a photo; None where there is none. Unavailable where it cannot be read,
        or is changed again and again while it is copied.
        """
        for _ in range(TRIES):
            found = self.find(key)
            try:
                return None if found is None else self._copy(found, image_id, blobs)
            except Damaged:
                continue  # it was replaced meanwhile
        raise Unavailable(f"the object {key} is being changed while it is copied: try again later")

    def read(self, key: str, *, most: int) -> bytes | None:
        """A small object; None where there is none, or it is larger."""
        found = self.find(key)
        return None if found is None or found.size > most else b"".join(self._chunks(found))

    def write(self, key: str, chunks: Iterator[bytes]) -> None:
        """Adds an object. One that is there already is replaced by the same bytes."""
        with tempfile.TemporaryFile() as file:
            for chunk in chunks:
                file.write(chunk)
            file.seek(0)
            try:
                self._client.upload_fileobj(file, self._bucket, self._prefix + key)
            except (ClientError, BotoCoreError) as error:
                raise self._refused(key, error) from error

    def _copy(self, found: FoundObject, image_id: str, blobs: Blobs) -> StoredObject:
        """Damaged where it changes meanwhile."""
        kind = kind_of(b"".join(self._chunks(found, end=HEAD_BYTES)), found.size)
        key = blob_keys.original(image_id, UNKNOWN_EXTENSION if kind is None else kind.extension)
        content_type = DEFAULT_TYPE if kind is None else kind.mime
        elsewhere = self._elsewhere(found)
        if isinstance(blobs, CopiesObjects) and blobs.can_copy(elsewhere):
            digests = digests_of(self._chunks(found))
            with suppress(Unavailable):  # the store may not read this bucket: the bytes go through this machine
                blobs.copy_object(elsewhere, key, sha256=digests.sha256, content_type=content_type)
                return StoredObject(key, kind, digests)
        hashed = Sha1Chunks(self._chunks(found))
        put = blobs.put(key, hashed, size=found.size, content_type=content_type)
        assert put.sha256 is not None  # noqa: S101  `put` has computed it
        return StoredObject(key, kind, Digests(put.sha256, hashed.sha1, put.size))

    def _elsewhere(self, found: FoundObject) -> StoredElsewhere:
        endpoint = self._client.meta.endpoint_url
        return StoredElsewhere(endpoint, self._bucket, self._prefix + found.key, found.etag, found.size)

    def _chunks(self, found: FoundObject, end: int | None = None) -> Iterator[bytes]:
        """Damaged where the object is another one by now."""
        part: dict[str, Any] = {} if end is None or found.size == 0 else {"Range": f"bytes=0-{end - 1}"}
        try:
            got = self._client.get_object(Bucket=self._bucket, Key=self._prefix + found.key, IfMatch=found.etag, **part)
            yield from got["Body"].iter_chunks(CHUNK)
        except ClientError as error:
            if _code(error) in CHANGED | MISSING:
                raise Damaged(f"the object {found.key} was changed meanwhile") from error
            raise self._refused(found.key, error) from error
        except BotoCoreError as error:
            raise self._refused(found.key, error) from error

    def _refused(self, key: str, error: Exception) -> SparksError:
        return Unavailable(f"the object {key} of the bucket {self._bucket} cannot be read: {error}")


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
