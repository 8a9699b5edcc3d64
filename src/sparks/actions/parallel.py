"""Ordered map over a pool of threads, whose writes share commits."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import Final, TypeVar

from sparks.model.errors import SparksError

THREADS: Final = 8
BATCH_SIZE: Final = 500

A = TypeVar("A")
B = TypeVar("B")


def parallel_map(work: Callable[[A], B], values: Iterable[A]) -> Iterator[B]:
    """The result for each value, in their order. At most `BATCH_SIZE` values are held at a time."""
    rest = iter(values)
    with ThreadPoolExecutor(THREADS, thread_name_prefix="bulk") as pool:
        while batch := list(islice(rest, BATCH_SIZE)):
            tasks = [pool.submit(copy_context().run, work, value) for value in batch]
            yield from [task.result() for task in tasks]


def results_of(ids: Iterable[str], work: Callable[[str], B]) -> list[tuple[str, B | SparksError]]:
    """Each id once, in order, with its result; where `work` raises a SparksError, that is the result."""

    def result(each: str) -> tuple[str, B | SparksError]:
        try:
            return each, work(each)
        except SparksError as error:
            return each, error

    return list(parallel_map(result, dict.fromkeys(ids)))
