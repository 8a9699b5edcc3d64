"""Reads: a whole blob or a range, in chunks, as it was when the read began."""

from collections.abc import Generator
from typing import Final

import pytest

from sparks.blobs.port import Blobs
from sparks.model.errors import BadInput, NotFound
from tests.conformance.blobs.content import MIB

RANGES: Final = {
    (0, None): b"0123456789",
    (3, None): b"3456789",
    (9, None): b"9",
    (0, 1): b"0",
    (2, 5): b"234",
    (0, 10): b"0123456789",
    (5, 11): b"56789",
    (5, 10**15): b"56789",
    (0, 0): b"",
    (4, 4): b"",
}
PAST_THE_END: Final = [(10, None), (10, 12), (11, None), (10**15, None), (10, 10)]
BACKWARDS: Final = [(-1, None), (-5, -1), (0, -1), (5, 4)]


def test_a_range_goes_up_to_its_end(blobs: Blobs) -> None:
    blobs.put("key", [b"0123456789"])
    for (start, end), expected in RANGES.items():
        assert b"".join(blobs.open("key", start=start, end=end)) == expected


def test_a_start_past_the_last_byte_is_refused(blobs: Blobs) -> None:
    blobs.put("key", [b"0123456789"])
    for start, end in PAST_THE_END:
        with pytest.raises(BadInput):
            blobs.open("key", start=start, end=end)


def test_an_end_before_the_start_is_refused(blobs: Blobs) -> None:
    blobs.put("key", [b"0123456789"])
    for start, end in BACKWARDS:
        with pytest.raises(BadInput):
            blobs.open("key", start=start, end=end)


def test_an_empty_blob_can_be_read_from_its_start(blobs: Blobs) -> None:
    blobs.put("empty", [])
    for end in (None, 0, 1, 10):
        assert b"".join(blobs.open("empty", start=0, end=end)) == b""
    with pytest.raises(BadInput):
        blobs.open("empty", start=1)


def test_a_missing_blob_is_not_found_before_the_first_chunk(blobs: Blobs) -> None:
    blobs.put("other", [b"0123456789"])
    for key in ("key", "other/key", "othe"):
        for start, end in ((0, None), (1, 2), (0, 0)):
            with pytest.raises(NotFound):
                blobs.open(key, start=start, end=end)


def test_head_of_a_missing_blob_is_not_found(blobs: Blobs) -> None:
    with pytest.raises(NotFound):
        blobs.head("originals/a.jpg")


def test_chunks_have_at_most_one_mebibyte(blobs: Blobs) -> None:
    content = bytes(range(256)) * 4096 * 2 + b"end"
    blobs.put("key", [content])
    chunks = list(blobs.open("key"))
    assert b"".join(chunks) == content
    assert max(map(len, chunks)) <= MIB
    assert b"".join(blobs.open("key", start=MIB - 1, end=2 * MIB + 1)) == content[MIB - 1 : 2 * MIB + 1]


def test_a_reader_may_stop_early(blobs: Blobs) -> None:
    blobs.put("key", [bytes(3 * MIB)])
    for _ in range(5):
        reading = blobs.open("key")
        assert isinstance(reading, Generator)
        next(reading)
        reading.close()
    assert sum(map(len, blobs.open("key"))) == 3 * MIB


def test_a_reader_may_stop_before_the_first_chunk(blobs: Blobs) -> None:
    blobs.put("key", [bytes(3 * MIB)])
    for _ in range(5):
        reading = blobs.open("key")
        assert isinstance(reading, Generator)
        reading.close()
    assert sum(map(len, blobs.open("key"))) == 3 * MIB


def test_a_blob_replaced_while_it_is_read_is_not_mixed_with_the_new_one(blobs: Blobs) -> None:
    blobs.put("key", [b"a" * 3 * MIB])
    reading = blobs.open("key")
    first = next(reading)
    blobs.put("key", [b"b" * 3 * MIB])
    assert first + b"".join(reading) == b"a" * 3 * MIB
