"""Copies and deletions."""

import pytest

from sparks.blobs.port import Blobs
from sparks.model.errors import NotFound
from tests.conformance.blobs.content import MIB, content_of, keys_of, sha256_of


def test_a_copy_has_the_bytes_the_type_and_the_hash(blobs: Blobs) -> None:
    blobs.put("uploads/a", [b"bytes"], content_type="image/jpeg")
    copied = blobs.copy("uploads/a", "originals/a.png")
    for info in (copied, blobs.head("originals/a.png")):
        assert (info.key, info.size, info.content_type) == ("originals/a.png", 5, "image/jpeg")
        assert info.sha256 == sha256_of(b"bytes")
    assert copied.etag == blobs.head("originals/a.png").etag
    assert content_of(blobs, "originals/a.png") == b"bytes"


def test_a_copy_is_modified_at_the_time_of_copying(blobs: Blobs) -> None:
    before = blobs.put("uploads/a", [b"bytes"]).modified
    copied = blobs.copy("uploads/a", "originals/a")
    assert copied.modified >= before
    assert blobs.head("originals/a").modified >= before


def test_the_source_of_a_copy_stays(blobs: Blobs) -> None:
    blobs.put("uploads/a", [b"bytes"], content_type="image/jpeg")
    blobs.copy("uploads/a", "originals/a")
    assert content_of(blobs, "uploads/a") == b"bytes"
    assert blobs.head("uploads/a").content_type == "image/jpeg"


def test_a_copy_replaces_an_existing_blob(blobs: Blobs) -> None:
    blobs.put("a", [b"new"], content_type="image/webp")
    blobs.put("b", [b"old"], content_type="image/png")
    blobs.copy("a", "b")
    assert content_of(blobs, "b") == b"new"
    assert blobs.head("b").content_type == "image/webp"


def test_a_copy_is_independent_of_its_source(blobs: Blobs) -> None:
    blobs.put("a", [b"first"], content_type="image/webp")
    blobs.copy("a", "b")
    blobs.put("a", [b"second"], content_type="image/png")
    assert (content_of(blobs, "b"), blobs.head("b").content_type) == (b"first", "image/webp")
    blobs.delete("a")
    assert (content_of(blobs, "b"), blobs.head("b").content_type) == (b"first", "image/webp")


def test_a_copy_may_be_made_again(blobs: Blobs) -> None:
    blobs.put("a", [b"first"], content_type="image/webp")
    blobs.copy("a", "b")
    again = blobs.copy("a", "b")
    assert (again.size, again.content_type) == (5, "image/webp")
    blobs.delete("a")
    assert content_of(blobs, "b") == b"first"
    assert blobs.head("b").content_type == "image/webp"


def test_a_copy_onto_itself_changes_nothing(blobs: Blobs) -> None:
    put = blobs.put("a", [b"bytes"], content_type="image/png")
    copied = blobs.copy("a", "a")
    assert (copied.etag, copied.content_type, copied.sha256) == (put.etag, "image/png", put.sha256)
    assert content_of(blobs, "a") == b"bytes"


@pytest.mark.parametrize("target", ["a", "b"])
def test_a_missing_blob_cannot_be_copied(blobs: Blobs, target: str) -> None:
    blobs.put("b", [b"old"])
    with pytest.raises(NotFound):
        blobs.copy("a", target)
    assert content_of(blobs, "b") == b"old"


def test_a_blob_uploaded_in_parts_can_be_copied(blobs: Blobs) -> None:
    upload_id = blobs.create_upload("a", content_type="video/mp4")
    part = blobs.put_part("a", upload_id, 1, [b"bytes"], size=5)
    blobs.complete_upload("a", upload_id, [part])
    copied = blobs.copy("a", "b")
    assert (copied.size, copied.content_type, copied.sha256) == (5, "video/mp4", None)
    assert content_of(blobs, "b") == b"bytes"


def test_a_deleted_blob_is_not_found(blobs: Blobs) -> None:
    blobs.put("originals/a.jpg", [b"bytes"])
    blobs.put("originals/b.jpg", [b"bytes"])
    blobs.delete("originals/a.jpg")
    with pytest.raises(NotFound):
        blobs.head("originals/a.jpg")
    with pytest.raises(NotFound):
        blobs.open("originals/a.jpg")
    assert keys_of(blobs) == ["originals/b.jpg"]


def test_a_blob_may_be_deleted_twice(blobs: Blobs) -> None:
    blobs.put("originals/a.jpg", [b"bytes"])
    blobs.delete("originals/a.jpg")
    blobs.delete("originals/a.jpg")
    blobs.delete("never/there")


def test_a_blob_deleted_while_it_is_read_is_read_to_its_end_or_fails(blobs: Blobs) -> None:
    blobs.put("key", [b"a" * 3 * MIB])
    reading = blobs.open("key")
    first = next(reading)
    blobs.delete("key")
    assert first + b"".join(reading) == b"a" * 3 * MIB
