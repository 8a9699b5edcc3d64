"""Hashes of a file: SHA-256, and SHA-1 for clients of other systems."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

CHUNK_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Digests:
    """Hashes in hex; `size` is the number of hashed bytes."""

    sha256: str
    sha1: str
    size: int


def digests_of(chunks: Iterable[bytes]) -> Digests:
    sha256, sha1, size = hashlib.sha256(), hashlib.sha1(usedforsecurity=False), 0
    for chunk in chunks:
        sha256.update(chunk)
        sha1.update(chunk)
        size += len(chunk)
    return Digests(sha256.hexdigest(), sha1.hexdigest(), size)


def chunks_of(file: int) -> Iterator[bytes]:
    """The content of an open file from its beginning; its position does not move."""
    at = 0
    while chunk := os.pread(file, CHUNK_BYTES, at):
        yield chunk
        at += len(chunk)
