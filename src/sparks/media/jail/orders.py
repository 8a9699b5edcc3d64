"""What a worker and its warm parent say to each other, a packet each."""

from typing import Final

import msgspec

FORK: Final = b"fork"  # comes with the child's end of its line
END: Final = b"end"
MOST_BYTES: Final = 1 << 16


class Terms(msgspec.Struct, frozen=True):
    """The first words of the worker."""

    task: str
    warm: str
    memory: int
    output: int


class Reply(msgspec.Struct, frozen=True):
    """`ending`: the child's exit code, or its signal below zero. `trouble`: why it was not done."""

    ending: int = 0
    trouble: str = ""
