"""State of the migration from another service, as the migrator wrote it."""

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.migration import MigrationState
from sparks.table.port import Table

__all__ = ["MigrationState", "read_migration_state"]


def read_migration_state(table: Table) -> MigrationState | None:
    """None where there is no migration."""
    item = table.get(keys.MIGRATION_STATE)
    return None if item is None else from_item(MigrationState, item)
