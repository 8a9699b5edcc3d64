"""S3 adapter of the blobs, with signed URLs that lead to S3.

[Note: lost response of a conditional PUT] botocore repeats a PUT whose response was lost. With If-None-Match, the
repeat then fails because of the blob that the first attempt stored. Such a PUT therefore stores a random id in the
blob's metadata, by which it recognizes its own blob.
"""

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, Final

from sparks.blobs.checks import (
    check_arrived,
    checked_content_type,
    checked_disposition,
    checked_limit,
    checked_range,
    checked_sha256,
    checked_size,
    cut_range,
    no_more_than,
    plain_etag,
)
from sparks.blobs.port import (
    DEFAULT_TYPE,
    BlobInfo,
    BlobPage,
    SignedUrl,
    StoredElsewhere,
    checked_key,
    is_key,
)
from sparks.blobs.s3.error_mapping import translated
from sparks.blobs.s3.multipart import (
    PIECE_SIZE,
    SHA256,
    AnnouncedBlob,
    S3Multipart,
    checksum,
    copy_in_parts,
    in_parts,
    info_of_head,
    info_of_listed,
    part_size,
    put_in_parts,
    response_time,
)
from sparks.blobs.s3.reads import S3Object, read_object
from sparks.blobs.s3.spool import SpooledBlob, chunks_of
from sparks.model.errors import AlreadyThere, Busy, Damaged, NotFound, SparksError, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MAX_COPY: Final = 5 * 1024**3
COPY_PART: Final = 256 * 1024**2
WRITE_ID: Final = "word"  # the metadata name that stored blobs have


class S3Blobs(S3Multipart):
    """`client` comes from `connect`. A `put` holds about two pieces of `piece_size` bytes in memory."""

    is_local = False

    def __init__(
        self, client: "S3Client", bucket: str, *, piece_size: int = PIECE_SIZE, max_copy: int = MAX_COPY
    ) -> None:
        super().__init__(client, bucket)
        self._piece_size = piece_size
        self._max_copy = max_copy

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
        announced = AnnouncedBlob(
            checked_key(key),
            checked_content_type(content_type),
            None if size is None else checked_size(size),
            checked_sha256(sha256),
            if_absent,
        )
        pieces = in_parts(no_more_than(size, chunks), part_size(size, self._piece_size))
        first, second = next(pieces), next(pieces, None)
        if second is None:
            return self._put_whole(announced, first)
        return put_in_parts(self, announced, chain((first, second), pieces))

    def _put_whole(self, announced: AnnouncedBlob, content: bytes) -> BlobInfo:
        key, sha256 = announced.key, hashlib.sha256(content).hexdigest()
        check_arrived(
            size=len(content), announced_size=announced.size, sha256=sha256, announced_sha256=announced.sha256
        )
        metadata = {SHA256: sha256}
        condition: dict[str, Any] = {}
        if announced.if_absent:
            metadata[WRITE_ID], condition["IfNoneMatch"] = secrets.token_hex(16), "*"
        try:
            with translated(f"blob {key}"):
                answer = self._client.put_object(
                    Bucket=self._bucket,
                    Key=key,
                    Body=content,
                    ContentType=announced.content_type,
                    Metadata=metadata,
                    ChecksumSHA256=checksum(sha256),
                    **condition,
                )
        except AlreadyThere:
            if (own := self._find_own(key, metadata[WRITE_ID])) is None:
                raise
            return own
        etag = plain_etag(answer["ETag"])
        return BlobInfo(key, len(content), etag, response_time(answer), announced.content_type, sha256)

    def _find_own(self, key: str, write_id: str) -> BlobInfo | None:
        """The blob, if this write stored it; see [Note: lost response of a conditional PUT]."""
        try:
            with translated(f"blob {key}"):
                answer = self._client.head_object(Bucket=self._bucket, Key=key)
        except NotFound:
            return None
        return info_of_head(key, answer) if answer["Metadata"].get(WRITE_ID) == write_id else None

    def receive(
        self, key: str, *, size: int | None, sha256: str | None, content_type: str, if_absent: bool
    ) -> SpooledBlob[BlobInfo]:
        checked_key(key)
        checked_content_type(content_type)

        def store(file: IO[bytes], size: int, sha256: str | None) -> BlobInfo:
            chunks = chunks_of(file)
            return self.put(key, chunks, size=size, sha256=sha256, content_type=content_type, if_absent=if_absent)

        return SpooledBlob(store, size=None if size is None else checked_size(size), sha256=checked_sha256(sha256))

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        checked_range(start, end)
        if start == end:
            cut_range(start, end, self.head(key).size)
            return iter(())
        reading = read_object(self._client, self._bucket, checked_key(key), start, end)
        next(reading)  # opens the object
        return reading

    def open_blob(self, key: str) -> S3Object:
        return S3Object(self.head(key), self._client, self._bucket)

    def copy(self, source: str, target: str) -> BlobInfo:
        checked_key(target)
        found = self.head(source)
        if source == target:
            return found
        try:
            if found.size > self._max_copy:
                step = part_size(found.size, min(self._max_copy, COPY_PART))
                return copy_in_parts(self, found, target, step=step)
            return self._copy_whole(found, target)
        except AlreadyThere as error:  # here, the condition was about the source
            raise Busy(f"{source} was replaced while it was copied; try again") from error

    def _copy_whole(self, source: BlobInfo, target: str) -> BlobInfo:
        with translated(f"blob {source.key}"):
            answer = self._client.copy_object(
                Bucket=self._bucket,
                Key=target,
                CopySource={"Bucket": self._bucket, "Key": source.key},
                CopySourceIfMatch=f'"{source.etag}"',
            )["CopyObjectResult"]
        return replace(
            source, key=target, etag=plain_etag(answer["ETag"]), modified=answer["LastModified"].astimezone(UTC)
        )

    def can_copy(self, source: StoredElsewhere) -> bool:
        return source.endpoint == self._client.meta.endpoint_url and source.size <= self._max_copy

    def copy_object(self, source: StoredElsewhere, target: str, *, sha256: str, content_type: str) -> BlobInfo:
        try:
            with translated(f"object {source.key} of the bucket {source.bucket}"):
                self._client.copy_object(
                    Bucket=self._bucket,
                    Key=checked_key(target),
                    CopySource={"Bucket": source.bucket, "Key": source.key},
                    CopySourceIfMatch=source.etag,
                    MetadataDirective="REPLACE",
                    Metadata={SHA256: checked_sha256(sha256) or ""},
                    ContentType=checked_content_type(content_type),
                )
        except (AlreadyThere, NotFound) as error:  # the condition failed
            raise Damaged(f"the object {source.key} was changed meanwhile") from error
        return self.head(target)

    def delete(self, key: str) -> None:
        with translated(f"blob {checked_key(key)}"):
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        """Requests one object more than `limit`, because servers may call a list truncated although nothing follows.

        Objects of other programs, under keys that a blob cannot have, are skipped.
        """
        checked_limit(limit)
        blobs: list[BlobInfo] = []
        more = is_key(prefix) or is_key(f"{prefix}a")  # else no key matches, and servers differ
        while more and len(blobs) <= limit:
            with translated(f"bucket {self._bucket}"):
                answer = self._client.list_objects_v2(
                    Bucket=self._bucket, Prefix=prefix, StartAfter=after or "", MaxKeys=limit + 1 - len(blobs)
                )
            listed = answer.get("Contents", [])
            blobs += [info_of_listed(one) for one in listed if is_key(one["Key"])]
            more = answer["IsTruncated"] and bool(listed)
            after = listed[-1]["Key"] if listed else after
        return BlobPage(blobs[:limit], blobs[limit - 1].key if len(blobs) > limit else None)

    def sign_get(
        self, key: str, *, expires_in: int, disposition: str | None = None, content_type: str | None = None
    ) -> SignedUrl:
        parameters = {"Key": checked_key(key)}
        if disposition is not None:
            parameters["ResponseContentDisposition"] = checked_disposition(disposition)
        if content_type is not None:
            parameters["ResponseContentType"] = checked_content_type(content_type)
        return SignedUrl(self._presign("get_object", parameters, expires_in), "GET")

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
        parameters: dict[str, Any] = {"Key": checked_key(key), "ContentLength": checked_size(size)}
        parameters["ContentType"] = checked_content_type(content_type)
        headers = {"Content-Type": content_type}
        if (known := checked_sha256(sha256)) is not None:
            parameters |= {"ChecksumSHA256": checksum(known), "Metadata": {SHA256: known}}
            headers |= {"x-amz-checksum-sha256": checksum(known), f"x-amz-meta-{SHA256}": known}
        if if_absent:
            parameters["IfNoneMatch"] = headers["If-None-Match"] = "*"
        return SignedUrl(self._presign("put_object", parameters, expires_in), "PUT", headers)

    def check(self) -> None:
        try:
            with translated(f"bucket {self._bucket}"):
                self._client.head_bucket(Bucket=self._bucket)
        except SparksError as error:
            raise Unavailable(f"the bucket {self._bucket} cannot be reached: {error}") from error

    def close(self) -> None:
        self._client.close()
