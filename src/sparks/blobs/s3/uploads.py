"""The port's multipart uploads, which S3 has by itself."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Final

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
from sparks.blobs.port import DEFAULT_TYPE, BlobInfo, Part, SignedUrl, Upload, checked_key, is_key
from sparks.blobs.s3.answers import SHA256, info_of_head
from sparks.blobs.s3.failures import translated, translated_disk
from sparks.model.errors import NotFound

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

HELD: Final = 16 * 1024 * 1024

_ID: Final = re.compile(r"[A-Za-z0-9._~=+/-]{1,1024}", re.ASCII)


class S3Uploads:
    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def create_upload(self, key: str, *, content_type: str = DEFAULT_TYPE, sha256: str | None = None) -> str:
        """As the port says; `sha256`, where it is known already, is kept with the blob."""
        metadata = {} if sha256 is None else {SHA256: sha256}
        checked_content_type(content_type)
        with translated(f"blob {checked_key(key)}"):
            answer = self._client.create_multipart_upload(
                Bucket=self._bucket, Key=key, ContentType=content_type, Metadata=metadata
            )
        return answer["UploadId"]

    def put_part(self, key: str, upload_id: str, number: int, chunks: Iterable[bytes], *, size: int) -> Part:
        upload = self._upload(key, upload_id)
        checked_part_number(number)
        checked_size(size)
        with SpooledTemporaryFile(HELD) as file:
            for chunk in no_more_than(size, chunks):
                with translated_disk():
                    file.write(chunk)
            check_arrived(size=file.tell(), announced_size=size)
            file.seek(0)
            with translated(f"upload {upload_id}"):
                answer = self._client.upload_part(**upload, PartNumber=number, Body=file, ContentLength=size)
        return Part(number, size, plain_etag(answer["ETag"]))

    def copy_part(self, key: str, upload_id: str, number: int, *, source: BlobInfo, start: int, end: int) -> Part:
        """A part from the bytes of a blob that is there."""
        with translated(f"blob {source.key}"):
            answer = self._client.upload_part_copy(
                **self._upload(key, upload_id),
                PartNumber=number,
                CopySource={"Bucket": self._bucket, "Key": source.key},
                CopySourceIfMatch=f'"{source.etag}"',
                CopySourceRange=f"bytes={start}-{end - 1}",
            )
        return Part(number, end - start, plain_etag(answer["CopyPartResult"]["ETag"]))

    def sign_part(self, key: str, upload_id: str, number: int, *, size: int, expires_in: int) -> SignedUrl:
        parameters = {
            "Key": checked_key(key),
            "UploadId": upload_id,
            "PartNumber": checked_part_number(number),
            "ContentLength": checked_size(size),
        }
        return SignedUrl(self._presign("upload_part", parameters, expires_in), "PUT")

    def list_parts(self, key: str, upload_id: str) -> Sequence[Part]:
        upload = self._upload(key, upload_id)
        with translated(f"upload {upload_id}"):
            pages = list(self._client.get_paginator("list_parts").paginate(**upload))
        parts = [part for page in pages for part in page.get("Parts", [])]
        parts.sort(key=lambda part: part["LastModified"])  # some servers tell of replaced parts, too: the latest counts
        latest = {part["PartNumber"]: part for part in parts}
        return [Part(number, part["Size"], plain_etag(part["ETag"])) for number, part in sorted(latest.items())]

    def complete_upload(self, key: str, upload_id: str, parts: Sequence[Part], *, if_absent: bool = False) -> BlobInfo:
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

    def list_uploads(self, *, started_before: datetime) -> Iterator[Upload]:
        with translated(f"bucket {self._bucket}"):
            pages = list(self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket))
        for upload in (upload for page in pages for upload in page.get("Uploads", [])):
            started = upload["Initiated"].astimezone(UTC)
            if started < started_before and is_key(upload["Key"]):
                yield Upload(upload["Key"], upload["UploadId"], started)

    def _upload(self, key: str, upload_id: str) -> dict[str, Any]:
        checked_key(key)
        if _ID.fullmatch(upload_id) is None or ".." in upload_id:
            raise NotFound(f"there is no upload {upload_id[:80]!r} of {key}")
        return {"Bucket": self._bucket, "Key": key, "UploadId": upload_id}

    def _presign(self, method: str, parameters: dict[str, Any], expires_in: int) -> str:
        with translated("signed address"):
            return self._client.generate_presigned_url(
                method, Params={"Bucket": self._bucket, **parameters}, ExpiresIn=checked_expiry(expires_in)
            )
