"""The hashes that bytes are known by: sha256, and sha1 for clients of other systems."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Digests:
    """In hex; `size` is that of the bytes that were hashed."""

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
    """From the beginning of an open file to its end; its position stays."""
    at = 0
    while chunk := os.pread(file, PIECE, at):
        yield chunk
        at += len(chunk)
