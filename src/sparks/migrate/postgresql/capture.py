"""Capture of changes: an outbox in the source that holds the table and the key of every row that was changed.

[Note: the outbox has no order] The numbers of the entries are not the order in which transactions commit. So no place
in the outbox is ever noted as reached: a reader deletes exactly the entries that it has read and applied.

[Note: truncated in an older snapshot] A TRUNCATE removes all rows, but in a transaction with REPEATABLE READ it sees
only those of its snapshot, and cannot name the keys of later ones. It leaves an entry without a key.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from sparks.migrate.postgresql.epoch import hold_epoch
from sparks.migrate.postgresql.source import TABLES, Source
from sparks.migrate.postgresql.table_locks import TableLocks
from sparks.migrate.source_port import Captured

PATIENCE: Final = 60.0
TRIGGERS: Final = ("sparks_migration_rows", "sparks_migration_truncate")
SCHEMA: Final = """
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('sparks_migration'));
CREATE SCHEMA IF NOT EXISTS sparks_migration;
CREATE TABLE IF NOT EXISTS sparks_migration.outbox (
  entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  table_name text NOT NULL,
  key text,
  captured_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE OR REPLACE FUNCTION sparks_migration.capture_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('sparks.mirror', true) = 'on' THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO sparks_migration.outbox (table_name, key) VALUES (TG_TABLE_NAME, OLD.id);
  END IF;
  IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND NEW.id <> OLD.id THEN
    INSERT INTO sparks_migration.outbox (table_name, key) VALUES (TG_TABLE_NAME, NEW.id);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION sparks_migration.capture_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('sparks.mirror', true) = 'on' THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO sparks_migration.outbox (table_name) VALUES (TG_TABLE_NAME);
  END IF;
  EXECUTE format('INSERT INTO sparks_migration.outbox (table_name, key) SELECT %L, id FROM %I.%I',
    TG_TABLE_NAME, TG_TABLE_SCHEMA, TG_TABLE_NAME);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION sparks_migration.capture_row(), sparks_migration.capture_truncate() FROM PUBLIC;
COMMIT
"""
TABLE_TRIGGERS: Final = """
CREATE OR REPLACE TRIGGER sparks_migration_rows AFTER INSERT OR UPDATE OR DELETE ON {table}
  FOR EACH ROW EXECUTE FUNCTION sparks_migration.capture_row();
CREATE OR REPLACE TRIGGER sparks_migration_truncate BEFORE TRUNCATE ON {table}
  FOR EACH STATEMENT EXECUTE FUNCTION sparks_migration.capture_truncate();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER sparks_migration_rows;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER sparks_migration_truncate
"""
ENABLED_TRIGGERS: Final = """
SELECT count(*) FROM pg_trigger
WHERE tgrelid = to_regclass(%s) AND tgname = ANY(%s) AND tgenabled = 'A' AND NOT tgisinternal
"""
OWN_TRIGGERS: Final = """
SELECT tgname FROM pg_trigger
WHERE tgrelid = to_regclass(%s) AND tgname LIKE 'sparks\\_migration\\_%%' AND NOT tgisinternal
"""
PENDING: Final = """
SELECT DISTINCT wanted.table_name, wanted.key FROM sparks_migration.outbox
JOIN unnest(%s::text[], %s::text[]) AS wanted (table_name, key)
ON outbox.table_name = wanted.table_name AND (outbox.key = wanted.key OR outbox.key IS NULL)
"""
LAG: Final = """
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(captured_at)), 0) FROM sparks_migration.outbox
"""


class Capture:
    """Triggers and outbox in the source. An application's role needs no rights on them."""

    def __init__(self, source: Source, *, epoch: int | None = None, patience: float = PATIENCE) -> None:
        """With an `epoch`, `install` and `remove` raise Conflict once a later one is claimed."""
        self._hold = "" if epoch is None else f"{hold_epoch(epoch)};"
        self._session = source.session
        self._locks = TableLocks(source.session, patience=patience)

    def install(self) -> None:
        """Installs what is not there yet, a table at a time, in a transaction for each. When it returns, every
        transaction that wrote to the tables without being captured has ended. Raises Busy where a transaction of the
        application holds a table for longer than the patience; the tables before it keep their triggers.
        """
        self._session.run(SCHEMA)
        for table in TABLES:
            if not self._has_triggers(table):
                self._locks.run_on(table, f"{self._hold} {TABLE_TRIGGERS.format(table=table)}")

    def is_installed(self) -> bool:
        """Whether changes of all three tables are captured."""
        return self._has_outbox() and all(self._has_triggers(table) for table in TABLES)

    def poll(self, *, at_once: bool = False) -> bool:  # noqa: ARG002
        """False: the triggers report changes by themselves."""
        return False

    def read(self, limit: int = 1000) -> list[Captured]:
        """Entries that are there now, those with small numbers first: see [Note: the outbox has no order]."""
        query = "SELECT entry, table_name, key FROM sparks_migration.outbox ORDER BY entry LIMIT %s"
        return [Captured(*found) for found in self._session.fetch(query, (limit,))]

    def pending(self, keys: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of the pairs of table and key that have an entry, or may be meant by one without a key."""
        pairs = list(keys)
        tables, ids = [table for table, _ in pairs], [key for _, key in pairs]
        return {(table, key) for table, key in self._session.fetch(PENDING, (tables, ids))}

    def drop(self, entries: Sequence[int]) -> None:
        """Deletes exactly these entries; one that is not there is passed over."""
        delete = "WITH gone AS (DELETE FROM sparks_migration.outbox WHERE entry = ANY(%s) RETURNING 1) SELECT FROM gone"
        self._session.fetch(delete, (list(entries),))

    def lag(self) -> tuple[int, float]:
        """The number of entries, and the age of the oldest one in seconds by the source's clock; (0, 0.0) for none."""
        [(entries, seconds)] = self._session.fetch(LAG)
        return int(entries), max(0.0, float(seconds))

    def remove(self) -> None:
        """Removes the triggers, those of a freeze too, and then the schema with the outbox. Where some are gone
        already, it removes the rest. Raises Busy where long reads or writes hold a table; what was removed stays so.
        """
        for table in TABLES:
            names = [str(name) for (name,) in self._session.fetch(OWN_TRIGGERS, (table,))]
            if names:
                drops = "; ".join(f'DROP TRIGGER IF EXISTS "{name}" ON {table}' for name in names)
                self._locks.run_on(table, f"{self._hold} {drops}")
        self._session.run(f"BEGIN; {self._hold} DROP SCHEMA IF EXISTS sparks_migration CASCADE; COMMIT")

    def _has_outbox(self) -> bool:
        [(there,)] = self._session.fetch("SELECT to_regclass('sparks_migration.outbox') IS NOT NULL")
        return bool(there)

    def _has_triggers(self, table: str) -> bool:
        [(enabled,)] = self._session.fetch(ENABLED_TRIGGERS, (table, list(TRIGGERS)))
        return bool(enabled == len(TRIGGERS))
