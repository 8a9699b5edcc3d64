"""A table and blobs that fail after a given number of writes, as in a power failure."""

from collections.abc import Iterable
from typing import Any

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import BlobInfo
from sparks.model.errors import Unavailable
from sparks.table.port import Change, Table
from tests.library.tables import Meddled


class Power:
    """`left` is the number of writes until the power fails; None: it never does. A failed write changes nothing."""

    def __init__(self, left: int | None = None) -> None:
        self.left = left

    def use(self) -> None:
        if self.left == 0:
            raise Unavailable("the power is out")
        self.left = None if self.left is None else self.left - 1


class PoweredTable(Meddled):
    def __init__(self, table: Table, power: Power) -> None:
        super().__init__(table)
        self._power = power

    def write(self, *changes: Change, token: str | None = None) -> None:
        self._power.use()
        super().write(*changes, token=token)


class PoweredBlobs(MemoryBlobs):
    def __init__(self, power: Power) -> None:
        super().__init__()
        self._power = power

    def put(self, key: str, chunks: Iterable[bytes], **told: Any) -> BlobInfo:
        self._power.use()
        return super().put(key, chunks, **told)

    def delete(self, key: str) -> None:
        self._power.use()
        super().delete(key)
