"""What a task gives back: a small value and large blobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Answer(Generic[V]):
    """`value` is what msgspec can encode, in at most a megabyte."""

    value: V
    blobs: Sequence[bytes] = ()
