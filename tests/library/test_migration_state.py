"""State of a migration: read from one row, which may be absent."""

from decimal import Decimal

import pytest

from sparks.library import keys
from sparks.library.migration_state import read_migration_state
from sparks.library.records import from_item, to_item
from sparks.model.migration import OUTBOX_SHARDS, MigrationPhase, MirroredKind, MirrorOutboxEntry, WriteSide
from sparks.model.photo_index import ExternalId
from sparks.table.memory import MemoryTable
from sparks.table.port import Put


def test_there_is_no_state_without_a_migration() -> None:
    assert read_migration_state(MemoryTable()) is None


def test_the_state_is_read_as_the_migrator_writes_it() -> None:
    table = MemoryTable()
    table.write(
        Put(
            {
                "PK": "MIGRATION",
                "SK": "STATE",
                "phase": "backfilled",
                "writes": "source",
                "counts": {"users": 2, "albums": 1, "photos": 40},
                "totals": {"users": 3, "albums": 1, "photos": 100},
                "checkpoints": {"gallery_images": "old"},
                "lagChanges": 4,
                "lagSeconds": Decimal("1.5"),
                "reportedAt": "2026-11-18T06:00:00.000Z",
                "verification": {
                    "checked": 40,
                    "missing": 1,
                    "extra": 2,
                    "different": 1,
                    "at": "2026-11-18T06:00:00.000Z",
                    "differences": [{"table": "users", "id": "u", "field": "username", "source": "Ann", "target": "A"}],
                },
            }
        )
    )
    state = read_migration_state(table)
    assert state is not None
    assert (state.phase, state.writes, state.is_under_way) == (MigrationPhase.BACKFILLED, WriteSide.SOURCE, True)
    assert (state.counts["photos"], state.totals["photos"], state.checkpoints) == (40, 100, {"gallery_images": "old"})
    assert (state.lag_changes, state.lag_seconds) == (4, 1.5)
    assert state.verification is not None
    assert (state.verification.extra_rows, state.verification.differences[0]["source"]) == (2, "Ann")


@pytest.mark.parametrize(
    ("alias", "entity_type"),
    [
        (ExternalId(system="users", old_id="u1", target_id="ann@example.com"), "EXTERNAL_ID#users#b"),
        (
            ExternalId(system="users", old_id="u1", issues=({"field": "email"}, {"field": "tags"})),
            "MIGRATION_ISSUE#email",
        ),
        (ExternalId(system="users", old_id="u1", issues=({"field": "shoe_size"},)), "MIGRATION_ISSUE#other"),
    ],
)
def test_an_external_id_is_listed_by_its_first_issue_or_else_by_its_system(alias: ExternalId, entity_type: str) -> None:
    item = to_item(alias)
    assert item["entityType"] == entity_type
    assert from_item(ExternalId, item) == alias


def test_the_changes_for_the_mirror_are_in_all_shards() -> None:
    entries = [MirrorOutboxEntry(entry_id=f"e{n}", kind=MirroredKind.PHOTO, id="p") for n in range(200)]
    partitions = {to_item(entry)["PK"] for entry in entries}
    assert partitions == {keys.mirror_outbox(shard).pk for shard in range(OUTBOX_SHARDS)}
