"""S3's answers in the port's words."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from sparks.blobs.checks import plain_etag
from sparks.blobs.port import DEFAULT_TYPE, BlobInfo

SHA256: Final = "sha256"  # as metadata of an object


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


def time_of(answer: Mapping[str, Any]) -> datetime:
    """When it was given, by the server's clock if it tells."""
    date = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    return parsedate_to_datetime(date).astimezone(UTC) if date else datetime.now(UTC)


def checksum(sha256: str) -> str:
    """As S3 writes it."""
    return base64.b64encode(bytes.fromhex(sha256)).decode()
