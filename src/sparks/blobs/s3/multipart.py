"""Multipart uploads of S3, and large blobs put or copied in parts."""

import base64
import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import IO, TYPE_CHECKING, Any, Final

from sparks.blobs.checks import (
    check_arrived,
    checked_content_type,
    checked_expiry,
    checked_order,
    checked_part_number,
    checked_size,
    no_more_than,
    plain_etag,
)
from sparks.blobs.port import (
    DEFAULT_TYPE,
    MAX_PARTS,
    BlobInfo,
    MultipartUpload,
    SignedUrl,
    UploadPart,
    checked_key,
    is_key,
    write_all,
)
from sparks.blobs.s3.error_mapping import translated
from sparks.blobs.s3.spool import MAX_MEMORY, SpooledBlob
from sparks.model.errors import Busy, NotFound, SparksError, TooLarge

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SHA256: Final = "sha256"  # the name of an object's metadata
PIECE_SIZE: Final = 16 * 1024 * 1024

_ID: Final = re.compile(r"[A-Za-z0-9._~=+/-]{1,1024}", re.ASCII)
log = logging.getLogger(__name__)


def info_of_head(key: str, answer: Mapping[str, Any]) -> BlobInfo:
    return BlobInfo(
        key,
        answer["ContentLength"],
        plain_etag(answer["ETag"]),
        answer["LastModified"].astimezone(UTC),
        answer.get("ContentType", DEFAULT_TYPE),
        answer.get("Metadata", {}).get(SHA256),
    )


def info_of_listed(listed: Mapping[str, Any]) -> BlobInfo:
    return BlobInfo(listed["Key"], listed["Size"], plain_etag(listed["ETag"]), listed["LastModified"].astimezone(UTC))


def response_time(answer: Mapping[str, Any]) -> datetime:
    """The time of the response, by the server's clock where it sends one."""
    date = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    return parsedate_to_datetime(date).astimezone(UTC) if date else datetime.now(UTC)


def checksum(sha256: str) -> str:
    """The hash in the form of S3."""
    return base64.b64encode(bytes.fromhex(sha256)).decode()


class S3Multipart:
    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE, sha256: str | None = None) -> str:
        """Like the port's; a `sha256` that is known already is stored with the blob."""
        metadata = {} if sha256 is None else {SHA256: sha256}
        checked_content_type(content_type)
        with translated(f"blob {checked_key(key)}"):
            answer = self._client.create_multipart_upload(
                Bucket=self._bucket, Key=key, ContentType=content_type, Metadata=metadata
            )
        return answer["UploadId"]

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> UploadPart:
        incoming = self._receive_part(key, upload_id, number, size=size, max_memory=PIECE_SIZE)
        return write_all(incoming, no_more_than(size, chunks))

    def receive_part(self, key: str, upload_id: str, number: int, *, size: int) -> SpooledBlob[UploadPart]:
        return self._receive_part(key, upload_id, number, size=size, max_memory=MAX_MEMORY)

    def _receive_part(
        self, key: str, upload_id: str, number: int, *, size: int, max_memory: int
    ) -> SpooledBlob[UploadPart]:
        upload = self._upload(key, upload_id)
        checked_part_number(number)
        checked_size(size)

        def store(file: IO[bytes], size: int, _: str | None) -> UploadPart:
            with translated(f"upload {upload_id}"):
                answer = self._client.upload_part(**upload, PartNumber=number, Body=file, ContentLength=size)
            return UploadPart(number, size, plain_etag(answer["ETag"]))

        return SpooledBlob(store, size=size, hashed=False, max_memory=max_memory)

    def copy_part(self, key: str, upload_id: str, number: int, *, source: BlobInfo, start: int, end: int) -> UploadPart:
        """Stores a range of an existing blob as a part."""
        with translated(f"blob {source.key}"):
            answer = self._client.upload_part_copy(
                **self._upload(key, upload_id),
                PartNumber=number,
                CopySource={"Bucket": self._bucket, "Key": source.key},
                CopySourceIfMatch=f'"{source.etag}"',
                CopySourceRange=f"bytes={start}-{end - 1}",
            )
        return UploadPart(number, end - start, plain_etag(answer["CopyPartResult"]["ETag"]))

    def sign_part(self, key: str, upload_id: str, number: int, *, size: int, expires_in: int) -> SignedUrl:
        parameters = {
            "Key": checked_key(key),
            "UploadId": upload_id,
            "PartNumber": checked_part_number(number),
            "ContentLength": checked_size(size),
        }
        return SignedUrl(self._presign("upload_part", parameters, expires_in), "PUT")

    def list_parts(self, key: str, upload_id: str) -> Sequence[UploadPart]:
        upload = self._upload(key, upload_id)
        with translated(f"upload {upload_id}"):
            pages = list(self._client.get_paginator("list_parts").paginate(**upload))
        parts = [part for page in pages for part in page.get("Parts", [])]
        parts.sort(key=lambda part: part["LastModified"])  # some servers also list replaced parts: the latest counts
        latest = {part["PartNumber"]: part for part in parts}
        return [UploadPart(number, part["Size"], plain_etag(part["ETag"])) for number, part in sorted(latest.items())]

    def complete_upload(
        self, key: str, upload_id: str, parts: Sequence[UploadPart], *, if_absent: bool = False
    ) -> BlobInfo:
        upload = self._upload(key, upload_id)
        named: Any = [
            {"PartNumber": part.number, "ETag": f'"{plain_etag(part.etag)}"'} for part in checked_order(parts)
        ]
        condition: dict[str, Any] = {"IfNoneMatch": "*"} if if_absent else {}
        with translated(f"blob {key}"):
            self._client.complete_multipart_upload(**upload, MultipartUpload={"Parts": named}, **condition)
        return self.head(key)

    def head(self, key: str) -> BlobInfo:
        with translated(f"blob {checked_key(key)}"):
            return info_of_head(key, self._client.head_object(Bucket=self._bucket, Key=key))

    def abort_upload(self, key: str, upload_id: str) -> None:
        try:
            upload = self._upload(key, upload_id)
            with translated(f"upload {upload_id}"):
                self._client.abort_multipart_upload(**upload)
        except NotFound:
            return

    def list_uploads(self, *, started_before: datetime) -> Iterator[MultipartUpload]:
        with translated(f"bucket {self._bucket}"):
            pages = list(self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket))
        for upload in (upload for page in pages for upload in page.get("Uploads", [])):
            started = upload["Initiated"].astimezone(UTC)
            if started < started_before and is_key(upload["Key"]):
                yield MultipartUpload(upload["Key"], upload["UploadId"], started)

    def _upload(self, key: str, upload_id: str) -> dict[str, Any]:
        checked_key(key)
        if _ID.fullmatch(upload_id) is None or ".." in upload_id:
            raise NotFound(f"there is no upload {upload_id[:80]!r} of {key}")
        return {"Bucket": self._bucket, "Key": key, "UploadId": upload_id}

    def _presign(self, method: str, parameters: dict[str, Any], expires_in: int) -> str:
        with translated("signed URL"):
            return self._client.generate_presigned_url(
                method, Params={"Bucket": self._bucket, **parameters}, ExpiresIn=checked_expiry(expires_in)
            )


@dataclass(frozen=True, slots=True)
class AnnouncedBlob:
    """The arguments of a `put`: the bytes that are to arrive."""

    key: str
    content_type: str
    size: int | None
    sha256: str | None
    if_absent: bool


def put_in_parts(uploads: S3Multipart, announced: AnnouncedBlob, pieces: Iterable[bytes]) -> BlobInfo:
    size, seen, parts = 0, hashlib.sha256(), []
    with multipart_upload(uploads, announced.key, announced.content_type, announced.sha256) as upload_id:
        for number, piece in enumerate(pieces, 1):
            if number > MAX_PARTS:
                raise TooLarge(f"{announced.key} is too large to be stored without announcing its size")
            size += len(piece)
            seen.update(piece)
            parts.append(uploads.put_part(announced.key, upload_id, number, [piece], size=len(piece)))
        sha256 = seen.hexdigest()
        check_arrived(size=size, announced_size=announced.size, sha256=sha256, announced_sha256=announced.sha256)
        info = uploads.complete_upload(announced.key, upload_id, parts, if_absent=announced.if_absent)
        return replace(info, sha256=sha256)


def copy_in_parts(uploads: S3Multipart, source: BlobInfo, target: str, *, step: int) -> BlobInfo:
    with multipart_upload(uploads, target, source.content_type, source.sha256) as upload_id:
        parts = [
            uploads.copy_part(target, upload_id, number, source=source, start=start, end=min(start + step, source.size))
            for number, start in enumerate(range(0, source.size, step), 1)
        ]
        return uploads.complete_upload(target, upload_id, parts)


@contextmanager
def multipart_upload(uploads: S3Multipart, key: str, content_type: str, sha256: str | None) -> Iterator[str]:
    """A multipart upload that is aborted after any error."""
    upload_id = uploads.create_upload(key, content_type=content_type, sha256=sha256)
    try:
        yield upload_id
    except NotFound as error:
        raise Busy(f"S3 has lost the upload of {key}; try again") from error
    except BaseException:
        _drop(uploads, key, upload_id)
        raise


def _drop(uploads: S3Multipart, key: str, upload_id: str) -> None:
    """An upload that cannot be aborted stays in `list_uploads`, from which the sweep finds it later."""
    try:
        uploads.abort_upload(key, upload_id)
    except SparksError as error:
        log.warning("a failed upload could not be aborted: %s", error, extra={"key": key})


def part_size(size: int | None, smallest: int) -> int:
    """A part size with which `size` bytes fit into MAX_PARTS parts."""
    return max(smallest, -(-(size or 0) // MAX_PARTS))


def in_parts(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of `size`; the last one may be shorter. At least one piece, possibly empty."""
    held = bytearray()
    yielded = False
    for chunk in chunks:
        held += chunk
        while len(held) >= size:
            piece = bytes(memoryview(held)[:size])
            del held[:size]
            yield piece
            yielded = True
    if held or not yielded:
        yield bytes(held)
