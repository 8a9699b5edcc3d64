"""Many things at once: a few hands do them, and their writes share commits."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import Final, TypeVar

HANDS: Final = 8  # threads
AT_ONCE: Final = 500

A = TypeVar("A")
B = TypeVar("B")


def at_once(work: Callable[[A], B], values: Iterable[A]) -> Iterator[B]:
    """What it makes of each, in their order; a few at a time, however many there are."""
    rest = iter(values)
    with ThreadPoolExecutor(HANDS, thread_name_prefix="bulk") as hands:
        while batch := list(islice(rest, AT_ONCE)):
            tasks = [hands.submit(copy_context().run, work, value) for value in batch]
            yield from [task.result() for task in tasks]
