"""A hasher that hashes as ours does, and counts how often."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from argon2 import PasswordHasher


class CountingHasher(PasswordHasher):
    """`count` is how often a password was hashed, be it to keep the hash or to compare with one."""

    def __init__(self, like: PasswordHasher) -> None:
        super().__init__(time_cost=like.time_cost, memory_cost=like.memory_cost, parallelism=like.parallelism)
        self.count = 0
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    def hash(self, *arguments: Any, **more: Any) -> str:
        with self._counted():
            return super().hash(*arguments, **more)

    def verify(self, *arguments: Any, **more: Any) -> Literal[True]:
        with self._counted():
            return super().verify(*arguments, **more)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self.count += 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1
