"""Keys: the same on every adapter, and none that could lead out of a folder."""

from collections.abc import Callable
from typing import Final

import pytest

from sparks.blobs.port import Blobs, UploadPart
from sparks.model.errors import BadInput
from tests.conformance.blobs.content import content_of, keys_of

REFUSED: Final = [
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/./b",
    ".hidden",
    "a/.hidden",
    "a\\b",
    "a b",
    "a~",
    "~a/b",
    "a%2fb",
    "a\0b",
    "a\n",
    "a\r\nb",
    "é",
    "\u0661",
    "\ud800",
    "C:a",
    "a" * 201,
    "/".join(["a" * 171] * 3),
    "/".join("a" * 17),
]
ALLOWED: Final = [
    "a",
    "A",
    "-",
    "_",
    "a..b",
    "a.",
    "originals/01980a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b.jpg",
    "faces/thumbs/01980a2b.jpg",
    "odd/-_.@=+/+=@.-_",
    "a" * 200,
    "/".join("c" * 16),
    "/".join(["b" * 200, "c" * 200, "d" * 110]),
]
CALLS: Final[dict[str, Callable[[Blobs, str], object]]] = {
    "put": lambda blobs, key: blobs.put(key, [b"x"]),
    "open": lambda blobs, key: blobs.open(key),
    "head": lambda blobs, key: blobs.head(key),
    "copy from": lambda blobs, key: blobs.copy(key, "b"),
    "copy to": lambda blobs, key: blobs.copy("a", key),
    "delete": lambda blobs, key: blobs.delete(key),
    "create_upload": lambda blobs, key: blobs.create_upload(key),
    "put_part": lambda blobs, key: blobs.put_part(key, "0" * 32, 1, [b"x"], size=1),
    "sign_part": lambda blobs, key: blobs.sign_part(key, "0" * 32, 1, size=1, expires_in=60),
    "list_parts": lambda blobs, key: blobs.list_parts(key, "0" * 32),
    "complete_upload": lambda blobs, key: blobs.complete_upload(key, "0" * 32, [UploadPart(1, 1, "e")]),
    "abort_upload": lambda blobs, key: blobs.abort_upload(key, "0" * 32),
    "sign_get": lambda blobs, key: blobs.sign_get(key, expires_in=60),
    "sign_put": lambda blobs, key: blobs.sign_put(key, size=1, expires_in=60),
}


def test_a_bad_key_is_refused_by_every_method(blobs: Blobs) -> None:
    blobs.put("a", [b"a"])
    for call in CALLS.values():
        for key in REFUSED:
            with pytest.raises(BadInput):
                call(blobs, key)
    assert keys_of(blobs) == ["a"]


def test_every_allowed_key_works(blobs: Blobs) -> None:
    for key in ALLOWED:
        blobs.put(key, [key.encode()])
    for key in ALLOWED:
        assert content_of(blobs, key) == key.encode()
    assert keys_of(blobs) == sorted(ALLOWED)


def test_a_key_may_be_the_beginning_of_another(blobs: Blobs) -> None:
    for key in ("a/b", "a", "a/b/c"):
        blobs.put(key, [key.encode()])
    blobs.delete("a/b")
    assert content_of(blobs, "a") == b"a"
    assert content_of(blobs, "a/b/c") == b"a/b/c"
    assert keys_of(blobs) == ["a", "a/b/c"]
