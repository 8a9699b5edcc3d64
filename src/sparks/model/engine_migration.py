"""Migration of a library from its engines to others: its state, and the changes that are not copied yet.

The engines that the library comes from are the source, those that it goes to the target. Where their tables differ,
both hold a row with the state; the one with the higher turn counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from zlib import crc32

from sparks.model.migration import MigrationPhase, Verification, WriteSide
from sparks.model.stored import Stored

OUTBOX_SHARDS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineMigration(Stored):
    """`source` and `target` are settings that name the engines. `writes` is the side that takes changes; `turn` grows
    each time that a side stops to take them. While neither takes them, `frozen_side` did so before, and does again
    after `frozen_until`. `checkpoints` say how far the backfill came.
    """

    migration_id: str
    source: Mapping[str, str] = field(hash=False)
    target: Mapping[str, str] = field(hash=False)
    phase: MigrationPhase = MigrationPhase.CAPTURED
    writes: WriteSide = WriteSide.SOURCE
    turn: int = 0
    frozen_side: WriteSide | None = None
    frozen_until: datetime | None = None
    checkpoints: Mapping[str, str] = field(default_factory=dict, hash=False)
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    verification: Verification | None = None

    @property
    def is_under_way(self) -> bool:
        return self.phase is not MigrationPhase.FINISHED

    def engines(self, side: WriteSide) -> Mapping[str, str]:
        return self.target if side is WriteSide.TARGET else self.source


def other_side(side: WriteSide) -> WriteSide:
    return WriteSide.SOURCE if side is WriteSide.TARGET else WriteSide.TARGET


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOutboxEntry(Stored):
    """Keys of rows, and of blobs, that were changed or are about to be (`pending`)."""

    entry_id: str
    keys: tuple[tuple[str, str], ...] = ()
    blobs: tuple[str, ...] = ()
    pending: bool = False

    @property
    def shard(self) -> int:
        return crc32(self.entry_id.encode()) % OUTBOX_SHARDS
