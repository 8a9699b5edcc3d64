"""What was built lately, kept in memory for as long as there is room."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Shelf(Generic[K, V]):
    """At most so many bytes: what was asked for longest ago goes first. For all threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._held = 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V, *, size: int) -> None:
        """In the place of what was there. What is larger than the shelf is not kept at all."""
        with self._lock:
            self._held -= self._kept.pop(key, (None, 0))[1]
            if size > self._most:
                return
            self._kept[key] = value, size
            self._held += size
            while self._held > self._most:
                self._held -= self._kept.popitem(last=False)[1][1]
