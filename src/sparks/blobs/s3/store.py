"""Blobs in a bucket: one request for small ones, parts for large ones, and signed addresses that lead to S3 itself.

[Note: lost answers] A PUT that wants nothing to be there, and whose answer got lost, is sent again by botocore and then
finds its own blob. Such a PUT therefore leaves a random word in the blob's metadata, by which it knows its own work.
"""

import hashlib
import secrets
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

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
from sparks.blobs.port import DEFAULT_TYPE, LARGEST_CHUNK, BlobInfo, BlobPage, SignedUrl, checked_key, is_key
from sparks.blobs.s3.answers import SHA256, checksum, info_of_head, info_of_listed, time_of
from sparks.blobs.s3.failures import translated
from sparks.blobs.s3.pieces import PIECE, in_pieces, piece_size
from sparks.blobs.s3.transfers import Announced, copy_in_parts, put_in_parts
from sparks.blobs.s3.uploads import S3Uploads
from sparks.model.errors import AlreadyThere, BadInput, Busy, NotFound, SparksError, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LARGEST_COPY: Final = 5 * 1024**3
COPIED_AT_ONCE: Final = 256 * 1024**2
WORD: Final = "word"


class S3Blobs(S3Uploads):
    """`client` is one that `connect` gave. `piece` is what a `put` holds in memory, about twice."""

    def __init__(
        self, client: "S3Client", bucket: str, *, piece: int = PIECE, largest_copy: int = LARGEST_COPY
    ) -> None:
        super().__init__(client, bucket)
        self._piece = piece
        self._largest_copy = largest_copy

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
        announced = Announced(
            checked_key(key),
            checked_content_type(content_type),
            None if size is None else checked_size(size),
            checked_sha256(sha256),
            if_absent,
        )
        pieces = in_pieces(no_more_than(size, chunks), piece_size(size, self._piece))
        first, second = next(pieces), next(pieces, None)
        if second is None:
            return self._put_whole(announced, first)
        return put_in_parts(self, announced, chain((first, second), pieces))

    def _put_whole(self, announced: Announced, content: bytes) -> BlobInfo:
        key, sha256 = announced.key, hashlib.sha256(content).hexdigest()
        check_arrived(
            size=len(content), announced_size=announced.size, sha256=sha256, announced_sha256=announced.sha256
        )
        metadata = {SHA256: sha256}
        condition: dict[str, Any] = {}
        if announced.if_absent:
            metadata[WORD], condition["IfNoneMatch"] = secrets.token_hex(16), "*"
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
            if (mine := self._find(key, metadata[WORD])) is None:
                raise
            return mine
        etag = plain_etag(answer["ETag"])
        return BlobInfo(key, len(content), etag, time_of(answer), announced.content_type, sha256)

    def _find(self, key: str, word: str) -> BlobInfo | None:
        """The blob, if it is the one that was put with this word."""
        try:
            with translated(f"blob {key}"):
                answer = self._client.head_object(Bucket=self._bucket, Key=key)
        except NotFound:
            return None
        return info_of_head(key, answer) if answer["Metadata"].get(WORD) == word else None

    def open(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        checked_range(start, end)
        if start == end:
            cut_range(start, end, self.head(key).size)
            return iter(())
        reading = self._read(checked_key(key), start, end)
        next(reading)  # opens the blob
        return reading

    def _read(self, key: str, start: int, end: int | None) -> Generator[bytes, None, None]:
        try:
            body = self._get(key, start, end)
        except BadInput:
            if start > 0:
                raise
            yield b""  # the blob is empty, and so has no range at all
            return
        with closing(body):
            chunk = b""
            while True:
                yield chunk
                with translated(f"blob {key}"):
                    chunk = body.read(LARGEST_CHUNK)
                if not chunk:
                    return

    def _get(self, key: str, start: int, end: int | None) -> Any:
        last = "" if end is None else end - 1
        span: dict[str, Any] = {} if (start, end) == (0, None) else {"Range": f"bytes={start}-{last}"}
        with translated(f"blob {key}"):
            return self._client.get_object(Bucket=self._bucket, Key=key, **span)["Body"]

    def copy(self, source: str, target: str) -> BlobInfo:
        checked_key(target)
        found = self.head(source)
        if source == target:
            return found
        try:
            if found.size > self._largest_copy:
                step = piece_size(found.size, min(self._largest_copy, COPIED_AT_ONCE))
                return copy_in_parts(self, found, target, step=step)
            return self._copy_whole(found, target)
        except AlreadyThere as error:  # as the condition is on the source here
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

    def delete(self, key: str) -> None:
        with translated(f"blob {checked_key(key)}"):
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        """Asks for one more than wanted: servers may call a list truncated although nothing follows.

        Objects of others, under keys that a blob cannot have, are passed over.
        """
        checked_limit(limit)
        blobs: list[BlobInfo] = []
        more = is_key(prefix) or is_key(f"{prefix}a")  # others no key begins with, and servers differ on them
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
