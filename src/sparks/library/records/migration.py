"""Record types of the state of a migration and of the outbox of its mirror."""

from typing import Final

from sparks.library import keys
from sparks.library.records.attributes import Fields, choice, mapping, maps, nested, number, plain, time
from sparks.library.records.record_type import RecordType
from sparks.model.migration import (
    MigrationPhase,
    MigrationState,
    MirroredKind,
    MirrorOutboxEntry,
    Verification,
    WriteSide,
)

VERIFICATION: Final = Fields(
    Verification,
    plain("checked"),
    plain("missing"),
    plain("extra", "extra_rows"),
    plain("different"),
    time("at"),
    maps("differences", absent=()),
)

MIGRATION_STATE: Final = RecordType(
    MigrationState,
    choice("phase", MigrationPhase),
    choice("writes", WriteSide),
    plain("source"),
    plain("objects"),
    plain("visibility"),
    mapping("options"),
    mapping("checkpoints"),
    mapping("counts"),
    mapping("totals"),
    plain("lagChanges"),
    number("lagSeconds"),
    time("reportedAt"),
    nested("verification", VERIFICATION),
    pk="MIGRATION",
    sk="STATE",
    key=lambda _: keys.MIGRATION_STATE,
    added={"options": 2},
)

MIRROR_OUTBOX_ENTRY: Final = RecordType(
    MirrorOutboxEntry,
    choice("kind", MirroredKind),
    plain("id"),
    plain("owner"),
    plain("sourceId"),
    pk="MIGRATION_OUTBOX#{}",
    sk="{entry_id..}",
    key=lambda entry: keys.mirror_outbox_entry(entry.shard, entry.entry_id),
)
