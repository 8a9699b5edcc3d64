"""State of a migration from another service, and of one to other engines, as the migrator wrote it."""

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.engine_migration import EngineMigration
from sparks.model.migration import MigrationState
from sparks.table.port import Table

__all__ = ["EngineMigration", "MigrationState", "read_engine_migration", "read_migration_state"]


def read_migration_state(table: Table) -> MigrationState | None:
    """None where there is no migration."""
    item = table.get(keys.MIGRATION_STATE)
    return None if item is None else from_item(MigrationState, item)


def read_engine_migration(table: Table) -> EngineMigration | None:
    """None where the library has never been moved to or from this table."""
    item = table.get(keys.ENGINE_MIGRATION)
    return None if item is None else from_item(EngineMigration, item)
