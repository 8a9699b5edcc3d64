"""Reads of S3 objects: ranges in chunks, and an open blob."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparks.blobs.port import MAX_CHUNK, STREAM_CHUNK, BlobInfo
from sparks.blobs.s3.error_mapping import translated
from sparks.model.errors import AlreadyThere, BadInput, Busy

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True, slots=True)
class S3Object:
    """An open blob in S3. It costs one HEAD request, and one GET request for each read."""

    info: BlobInfo
    client: "S3Client"
    bucket: str

    def read(self, start: int, end: int) -> bytes:
        return b"".join(self.chunks(start, end))

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        if start >= end:
            return
        key, etag = self.info.key, self.info.etag
        reading = read_object(self.client, self.bucket, key, start, end, etag=etag, chunk_size=STREAM_CHUNK)
        try:
            with closing(reading):
                next(reading)  # opens the object
                yield from reading
        except AlreadyThere as error:  # S3's answer where the etag is another one
            raise Busy(f"{key} was replaced while it was read; try again") from error

    def fileno(self) -> None:
        """There is no file."""

    def close(self) -> None:
        """There is nothing to give back."""


def read_object(
    client: "S3Client",
    bucket: str,
    key: str,
    start: int,
    end: int | None,
    *,
    etag: str | None = None,
    chunk_size: int = MAX_CHUNK,
) -> Generator[bytes, None, None]:
    """The bytes of the range. The first chunk is empty: with it, the object is open."""
    condition: dict[str, Any] = {} if etag is None else {"IfMatch": f'"{etag}"'}
    if (start, end) != (0, None):
        condition["Range"] = f"bytes={start}-{'' if end is None else end - 1}"
    try:
        with translated(f"blob {key}"):
            body = client.get_object(Bucket=bucket, Key=key, **condition)["Body"]
    except BadInput:
        if start > 0:
            raise
        yield b""  # an empty object has no ranges
        return
    with closing(body):
        chunk = b""
        while True:
            yield chunk
            with translated(f"blob {key}"):
                chunk = body.read(chunk_size)
            if not chunk:
                return
