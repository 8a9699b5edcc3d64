"""Sizes of the parts of an upload."""

import pytest

from sparks.blobs.port import MAX_PARTS, MIN_PART_SIZE
from sparks.uploads.upload_urls import MAX_SINGLE_SIZE, PART_SIZE, part_size, part_sizes

MIB = 1024 * 1024


@pytest.mark.parametrize("size", [1, PART_SIZE, MAX_SINGLE_SIZE])
def test_a_file_of_up_to_16_mb_is_sent_whole(size: int) -> None:
    assert part_size(size) is None
    assert part_sizes(size) == {}


def test_a_larger_file_is_sent_in_parts_of_8_mb() -> None:
    assert part_sizes(MAX_SINGLE_SIZE + 1) == {1: 8 * MIB, 2: 8 * MIB, 3: 1}
    assert part_sizes(24 * MIB) == {1: 8 * MIB, 2: 8 * MIB, 3: 8 * MIB}


@pytest.mark.parametrize("size", [10 * 10**9, MAX_PARTS * PART_SIZE, MAX_PARTS * PART_SIZE + 1, 5 * 10**12])
def test_no_file_has_more_parts_than_a_store_accepts(size: int) -> None:
    sizes = part_sizes(size)
    assert sum(sizes.values()) == size
    assert list(sizes) == list(range(1, len(sizes) + 1))
    assert len(sizes) <= MAX_PARTS
    assert min(list(sizes.values())[:-1]) >= MIN_PART_SIZE
