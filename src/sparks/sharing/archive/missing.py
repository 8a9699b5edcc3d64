"""`_missing.txt`: which entries are not in the archive, since they were gone when their turn came, or cannot be
given without what they tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zlib import crc32

from sparks.model.times import unix
from sparks.sharing.archive import form
from sparks.sharing.archive.choosing import MISSING_NAME
from sparks.sharing.archive.entry import packed_clock

HEADLINE: Final = (
    "These photos are not in here: they were deleted or hidden before they could be sent, or are not ready.\n"
)


@dataclass(frozen=True, slots=True)
class MissingFile:
    """`slot` is all of it, and `record` what the list has of it."""

    slot: bytes
    record: bytes


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    size: int
    clock: int
    time: int


def missing_file(names: Sequence[str], *, at: datetime, offset: int) -> MissingFile | None:
    """None where nothing is missing. It fits where the records of these names and the reserve were."""
    if not names:
        return None
    data = (HEADLINE + "".join(f"{name}\n" for name in names)).encode()
    entry = _Entry(MISSING_NAME, len(data), packed_clock(at), unix(at))
    crc = crc32(data)
    return MissingFile(form.whole_file(entry, data, crc), form.record(entry, offset, crc, sum_follows=False))
