"""Open blobs: bytes in any order, together with what is known of them."""

import os
from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.port import MIN_PART_SIZE, STREAM_CHUNK, Blobs
from sparks.blobs.s3 import S3Blobs
from sparks.model.errors import BadInput, Busy, NotFound
from tests.conformance.blobs import faults
from tests.conformance.blobs.content import MIB

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LARGE = b"".join(bytes([number]) * 100_000 for number in range(20))


def test_an_open_blob_is_read_in_any_order(blobs: Blobs) -> None:
    blobs.put("key", [b"0123456789"])
    with closing(blobs.open_blob("key")) as blob:
        for start, end in ((5, 10), (0, 3), (9, 10), (0, 10), (4, 4), (10, 10), (0, 0)):
            assert blob.read(start, end) == b"0123456789"[start:end]
            assert b"".join(blob.chunks(start, end)) == b"0123456789"[start:end]


def test_an_open_blob_is_read_in_small_chunks(blobs: Blobs) -> None:
    blobs.put("key", [LARGE])
    with closing(blobs.open_blob("key")) as blob:
        chunks = list(blob.chunks(7, len(LARGE) - 7))
    assert b"".join(chunks) == LARGE[7:-7]
    assert max(map(len, chunks)) <= STREAM_CHUNK


def test_an_open_blob_knows_what_head_knows(blobs: Blobs) -> None:
    blobs.put("key", [b"bytes"], content_type="image/png")
    with closing(blobs.open_blob("key")) as blob:
        assert blob.info == blobs.head("key")


def test_an_empty_blob_can_be_opened(blobs: Blobs) -> None:
    blobs.put("key", [])
    with closing(blobs.open_blob("key")) as blob:
        assert (blob.info.size, blob.read(0, 0), list(blob.chunks(0, 0))) == (0, b"", [])


def test_a_blob_that_was_uploaded_in_parts_can_be_opened(blobs: Blobs) -> None:
    upload_id = blobs.create_upload("key")
    contents = [b"1" * MIN_PART_SIZE, b"rest"]
    parts = [blobs.put_part("key", upload_id, n, [part], size=len(part)) for n, part in enumerate(contents, 1)]
    blobs.complete_upload("key", upload_id, parts)
    with closing(blobs.open_blob("key")) as blob:
        assert blob.read(MIN_PART_SIZE - 1, MIN_PART_SIZE + 4) == b"1rest"


def test_a_missing_blob_cannot_be_opened(blobs: Blobs) -> None:
    with pytest.raises(NotFound):
        blobs.open_blob("key")
    with pytest.raises(BadInput):
        blobs.open_blob("../key")


def test_a_blob_that_is_replaced_while_it_is_open_never_gives_bytes_of_the_new_one(blobs: Blobs) -> None:
    blobs.put("key", [b"the old one"])
    with closing(blobs.open_blob("key")) as blob:
        blobs.put("key", [b"the new one"])
        if blobs.is_local:
            assert blob.read(0, blob.info.size) == b"the old one"
        else:
            with pytest.raises(Busy, match="try again"):
                blob.read(0, blob.info.size)


def test_a_blob_that_is_deleted_while_it_is_open_is_read_as_it_was_or_not_found(blobs: Blobs) -> None:
    blobs.put("key", [b"bytes"])
    with closing(blobs.open_blob("key")) as blob:
        blobs.delete("key")
        if blobs.is_local:
            assert b"".join(blob.chunks(0, 5)) == b"bytes"
        else:
            with pytest.raises(NotFound):
                list(blob.chunks(0, 5))


def test_a_reader_may_stop_early(blobs: Blobs) -> None:
    blobs.put("key", [LARGE])
    with closing(blobs.open_blob("key")) as blob:
        chunks = blob.chunks(0, len(LARGE))
        assert LARGE.startswith(next(chunks))
        assert isinstance(chunks, Generator)
        chunks.close()
        assert blob.read(0, 5) == LARGE[:5]


def test_an_open_blob_may_be_closed_twice(blobs: Blobs) -> None:
    blobs.put("key", [b"bytes"])
    blob = blobs.open_blob("key")
    blob.close()
    blob.close()


def test_a_descriptor_is_that_of_a_file_with_exactly_the_bytes(blobs: Blobs) -> None:
    blobs.put("key", [b"bytes"])
    with closing(blobs.open_blob("key")) as blob:
        file = blob.fileno()
        assert (file is not None) == isinstance(blobs, FilesystemBlobs)
        assert file is None or os.pread(file, 10, 0) == b"bytes"


def test_only_s3_is_on_another_machine(blobs: Blobs) -> None:
    assert blobs.is_local != isinstance(blobs, S3Blobs)


def test_an_open_blob_costs_s3_one_head_and_one_get_for_each_read(s3_blobs: S3Blobs, s3_client: "S3Client") -> None:
    s3_blobs.put("key", [bytes(2 * MIB)])
    with faults.counted_requests(s3_client) as requests:
        blob = s3_blobs.open_blob("key")
        assert sum(map(len, blob.chunks(0, 2 * MIB))) == 2 * MIB
        assert blob.read(3, 3) == b""
        assert len(blob.read(MIB, 2 * MIB)) == MIB
    assert requests == ["HeadObject", "GetObject", "GetObject"]
