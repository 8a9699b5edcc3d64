"""Parts: as many as it takes, each as large as told, together the file."""

import pytest

from sparks.blobs.port import MOST_PARTS, SMALLEST_PART
from sparks.upload.parts import IN_ONE_PIECE, PART_SIZE, part_size, part_sizes

MIB = 1024 * 1024


@pytest.mark.parametrize("size", [1, PART_SIZE, IN_ONE_PIECE])
def test_a_file_of_up_to_16_mb_comes_in_one_piece(size: int) -> None:
    assert part_size(size) is None
    assert part_sizes(size) == {}


def test_a_larger_one_comes_in_parts_of_8_mb() -> None:
    assert part_sizes(IN_ONE_PIECE + 1) == {1: 8 * MIB, 2: 8 * MIB, 3: 1}
    assert part_sizes(24 * MIB) == {1: 8 * MIB, 2: 8 * MIB, 3: 8 * MIB}


@pytest.mark.parametrize("size", [10 * 10**9, MOST_PARTS * PART_SIZE, MOST_PARTS * PART_SIZE + 1, 5 * 10**12])
def test_no_file_has_more_parts_than_a_store_takes(size: int) -> None:
    sizes = part_sizes(size)
    assert sum(sizes.values()) == size
    assert list(sizes) == list(range(1, len(sizes) + 1))
    assert len(sizes) <= MOST_PARTS
    assert min(list(sizes.values())[:-1]) >= SMALLEST_PART
