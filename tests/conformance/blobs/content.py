"""Helpers that all blob tests use."""

import hashlib
from datetime import UTC, datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.model.keyring import Keyring

MIB: Final = 1024 * 1024
FAR_FUTURE: Final = datetime.max.replace(tzinfo=UTC)
KEYRING: Final = Keyring("one", {"one": b"1" * 32})


def content_of(blobs: Blobs, key: str) -> bytes:
    return b"".join(blobs.open(key))


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def keys_of(blobs: Blobs, prefix: str = "") -> list[str]:
    return [blob.key for blob in blobs.list(prefix).blobs]
