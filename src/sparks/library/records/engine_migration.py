"""Record types of the migration from one engine to another."""

from collections.abc import Iterable
from typing import Any, Final

from sparks.library import keys
from sparks.library.records.attributes import Attribute, choice, mapping, names, nested, plain, time
from sparks.library.records.migration import VERIFICATION
from sparks.library.records.record_type import RecordType
from sparks.model.engine_migration import EngineMigration, EngineOutboxEntry
from sparks.model.migration import MigrationPhase, WriteSide


def _lists(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    return [list(pair) for pair in pairs]


def _pairs(lists: Iterable[list[Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((pk, sk) for pk, sk in lists)


ENGINE_MIGRATION: Final = RecordType(
    EngineMigration,
    plain("migrationId"),
    mapping("source"),
    mapping("target"),
    choice("phase", MigrationPhase),
    choice("writes", WriteSide),
    plain("turn"),
    choice("frozenSide", WriteSide),
    time("frozenUntil"),
    mapping("checkpoints"),
    mapping("counts"),
    nested("verification", VERIFICATION),
    pk="MIGRATION",
    sk="ENGINES",
    key=lambda _: keys.ENGINE_MIGRATION,
    since=2,
)

ENGINE_OUTBOX_ENTRY: Final = RecordType(
    EngineOutboxEntry,
    Attribute("keys", "keys", _lists, _pairs, ()),
    names("blobs", absent=()),
    plain("pending", absent=False),
    pk="ENGINE_OUTBOX#{}",
    sk="{entry_id..}",
    key=lambda entry: keys.engine_outbox_entry(entry.shard, entry.entry_id),
    since=2,
)
