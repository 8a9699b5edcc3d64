"""Hashes of a file: SHA-256, and SHA-1 for clients of other systems."""

import hashlib
import os
from collections import deque
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


class HashedChunks:
    """Chunks that are hashed as they pass. `digests` are those of the chunks that have passed."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self._sha256 = hashlib.sha256()
        self._sha1 = hashlib.sha1(usedforsecurity=False)
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._sha256.update(chunk)
            self._sha1.update(chunk)
            self._size += len(chunk)
            yield chunk

    @property
    def digests(self) -> Digests:
        return Digests(self._sha256.hexdigest(), self._sha1.hexdigest(), self._size)


class Sha1Chunks:
    """Chunks of which only the SHA-1 is computed as they pass: a blob store computes the SHA-256 itself."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self._sha1 = hashlib.sha1(usedforsecurity=False)

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._sha1.update(chunk)
            yield chunk

    @property
    def sha1(self) -> str:
        """Of the chunks that have passed."""
        return self._sha1.hexdigest()


def digests_of(chunks: Iterable[bytes]) -> Digests:
    hashed = HashedChunks(chunks)
    deque(hashed, maxlen=0)
    return hashed.digests


def chunks_of(file: int) -> Iterator[bytes]:
    """The content of an open file from its beginning; its position does not move."""
    at = 0
    while chunk := os.pread(file, CHUNK_BYTES, at):
        yield chunk
        at += len(chunk)
