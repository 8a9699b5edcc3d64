"""Maps over a pool of threads keep the order, and a failure belongs to its own value."""

from collections.abc import Iterator

import pytest

from sparks.actions.parallel import BATCH_SIZE, parallel_map, results_of
from sparks.model.errors import NotFound, SparksError


def test_results_are_in_the_order_of_the_values() -> None:
    count = 2 * BATCH_SIZE + 1
    assert list(parallel_map(lambda number: number * 2, range(count))) == list(range(0, 2 * count, 2))


def test_at_most_one_batch_is_read_ahead() -> None:
    read = 0

    def numbers() -> Iterator[int]:
        nonlocal read
        for number in range(10 * BATCH_SIZE):
            read += 1
            yield number

    next(parallel_map(str, numbers()))
    assert read == BATCH_SIZE


def test_each_id_has_one_result_and_an_error_is_the_result_of_its_id() -> None:
    missing = NotFound("there is no such photo")

    def work(image_id: str) -> str:
        if image_id == "missing":
            raise missing
        return image_id.upper()

    results: list[tuple[str, str | SparksError]] = results_of(["b", "missing", "a", "b"], work)
    assert results == [("b", "B"), ("missing", missing), ("a", "A")]


def test_an_error_that_is_not_of_sparks_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        results_of(["a"], lambda _: 1 // 0)
