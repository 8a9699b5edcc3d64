"""Many writers, copiers, deleters and readers of the same few keys: bytes, type and hash always belong together."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.model.errors import AlreadyThere, NotFound
from tests.conformance.blobs.content import KEYRING, keys_of, sha256_of

KEYS = ["originals/01980a.jpg", "originals/01980b.jpg", "uploads/01980a"]
THREADS = 6


@pytest.fixture(params=["attributes", "sidecars"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[FilesystemBlobs]]:
    """Several stores on one folder, like those of several processes."""
    attributes = request.param == "attributes"
    with ExitStack() as stack:
        yield [
            stack.enter_context(closing(FilesystemBlobs(tmp_path, keyring=KEYRING, base_url="", attributes=attributes)))
            for _ in range(3)
        ]


def act(blobs: FilesystemBlobs, chance: random.Random) -> None:
    key, other = chance.choice(KEYS), chance.choice(KEYS)
    letter = chance.choice("ABCDEFGH")
    match chance.randrange(6):
        case 0 | 1:
            content = letter.encode() * chance.randrange(1, 5000)
            blobs.put(key, [content], content_type=f"x/{letter}", if_absent=chance.random() < 0.3)
        case 2:
            blobs.copy(key, other)
        case 3:
            blobs.delete(key)
        case _:
            look(blobs, key)


def look(blobs: FilesystemBlobs, key: str) -> None:
    with closing(blobs.open_blob(key)) as blob:
        content = blob.read(0, blob.info.size)
        assert blob.info.content_type == f"x/{content[:1].decode()}"
        assert blob.info.sha256 == sha256_of(content)


@pytest.mark.parametrize("actions", [40, pytest.param(2000, marks=pytest.mark.long)])
def test_bytes_and_metadata_are_never_mixed(stores: list[FilesystemBlobs], tmp_path: Path, actions: int) -> None:
    def run(number: int) -> None:
        chance = random.Random(number)
        for _ in range(actions):
            try:
                act(stores[number % len(stores)], chance)
            except (AlreadyThere, NotFound):
                continue

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(run, range(THREADS)))
    for key in keys_of(stores[0]):
        look(stores[0], key)
        stores[0].delete(key)
    assert {path.name for path in tmp_path.rglob("*")} <= {".lock", ".sparks-blobs", ".tmp", ".uploads"}
