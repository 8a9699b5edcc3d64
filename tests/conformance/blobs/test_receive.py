"""Incoming blobs and parts: bytes that arrive piece by piece, and are stored whole or not at all."""

import tempfile
from pathlib import Path

import pytest

from sparks.blobs.port import MIN_PART_SIZE, BlobInfo, Blobs, IncomingBlob, write_all
from sparks.blobs.s3 import S3Blobs
from sparks.blobs.s3.spool import MAX_MEMORY
from sparks.model.errors import AlreadyThere, BadInput, Damaged, NotFound, Unavailable
from tests.conformance.blobs.content import MIB, content_of, keys_of, sha256_of

KEY = "uploads/01980a"


def receive(
    blobs: Blobs, *, size: int | None = None, sha256: str | None = None, if_absent: bool = False
) -> IncomingBlob[BlobInfo]:
    return blobs.receive(KEY, size=size, sha256=sha256, content_type="image/jpeg", if_absent=if_absent)


@pytest.mark.parametrize("size", [0, 5, MAX_MEMORY + 1, 2 * MIN_PART_SIZE + 1])
def test_received_bytes_become_a_blob(blobs: Blobs, size: int) -> None:
    content = b"x" * size
    incoming = receive(blobs)
    for start in range(0, size, MIB):
        incoming.write(content[start : start + MIB])
    info = incoming.commit()
    incoming.drop()
    assert (info.key, info.size, info.content_type, info.sha256) == (KEY, size, "image/jpeg", sha256_of(content))
    assert (blobs.head(KEY).etag, blobs.head(KEY).sha256) == (info.etag, info.sha256)
    assert content_of(blobs, KEY) == content


def test_received_bytes_are_not_seen_before_they_are_committed(blobs: Blobs) -> None:
    incoming = receive(blobs)
    incoming.write(bytes(2 * MAX_MEMORY))
    assert keys_of(blobs) == []
    incoming.drop()
    incoming.drop()
    assert keys_of(blobs) == []


def test_received_bytes_are_those_announced_or_damaged(blobs: Blobs) -> None:
    blobs.put(KEY, [b"before"])
    for size, sha256 in ((4, None), (6, None), (5, sha256_of(b"other")), (None, sha256_of(b"other"))):
        with pytest.raises(Damaged):
            write_all(receive(blobs, size=size, sha256=sha256), [b"bytes"])
    assert content_of(blobs, KEY) == b"before"
    stored = write_all(receive(blobs, size=5, sha256=sha256_of(b"bytes").upper()), [b"bytes"])
    assert stored.sha256 == sha256_of(b"bytes")


def test_received_bytes_replace_a_blob_unless_it_must_be_absent(blobs: Blobs) -> None:
    for content, if_absent in ((b"first", True), (b"second", False)):
        write_all(receive(blobs, if_absent=if_absent), [content])
    with pytest.raises(AlreadyThere):
        write_all(receive(blobs, if_absent=True), [b"third"])
    assert content_of(blobs, KEY) == b"second"


def test_a_bad_announcement_is_refused_before_any_byte(blobs: Blobs) -> None:
    for key, size, sha256, content_type in (
        ("../key", None, None, "image/jpeg"),
        (KEY, -1, None, "image/jpeg"),
        (KEY, None, "no hash", "image/jpeg"),
        (KEY, None, None, "no type"),
    ):
        with pytest.raises(BadInput):
            blobs.receive(key, size=size, sha256=sha256, content_type=content_type, if_absent=False)


# -- Parts


def test_a_received_part_is_one_of_the_upload(blobs: Blobs) -> None:
    upload_id = blobs.create_upload(KEY)
    for number, content in ((2, b"rest"), (1, b"1" * MIN_PART_SIZE)):
        part = write_all(blobs.receive_part(KEY, upload_id, number, size=len(content)), [content[:2], content[2:]])
        assert (part.number, part.size) == (number, len(content))
        assert part in blobs.list_parts(KEY, upload_id)
    blobs.complete_upload(KEY, upload_id, blobs.list_parts(KEY, upload_id))
    assert content_of(blobs, KEY) == b"1" * MIN_PART_SIZE + b"rest"


def test_a_received_part_of_another_size_is_damaged_and_leaves_the_earlier_one(blobs: Blobs) -> None:
    upload_id = blobs.create_upload(KEY)
    earlier = blobs.put_part(KEY, upload_id, 1, [b"earlier"], size=7)
    for size in (4, 6):
        with pytest.raises(Damaged):
            write_all(blobs.receive_part(KEY, upload_id, 1, size=size), [b"later"])
    assert blobs.list_parts(KEY, upload_id) == [earlier]


def test_a_part_of_an_unknown_upload_is_not_received(blobs: Blobs) -> None:
    upload_id = blobs.create_upload(KEY)
    for number, size in ((0, 5), (10_001, 5), (1, -1)):
        with pytest.raises(BadInput):
            blobs.receive_part(KEY, upload_id, number, size=size)
    blobs.abort_upload(KEY, upload_id)
    with pytest.raises(NotFound):
        write_all(blobs.receive_part(KEY, upload_id, 1, size=5), [b"bytes"])


# -- On the way to S3


def test_a_large_blob_needs_a_temporary_folder_on_its_way_to_s3(
    s3_blobs: S3Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    incoming = receive(s3_blobs)
    with pytest.raises(Unavailable, match="temporary"):
        incoming.write(bytes(2 * MAX_MEMORY))
    incoming.drop()
    assert keys_of(s3_blobs) == []
