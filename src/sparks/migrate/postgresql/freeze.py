"""Freeze of the source's writes, which a cutover begins and decides.

Each table gets a trigger that refuses INSERT, UPDATE, DELETE and TRUNCATE with SQLSTATE 25006 until a deadline by the
source's clock. The deadline is an argument of the trigger and no row that it reads: a statement that waited for the
locks of `begin` finds the trigger when it goes on, whatever its snapshot. A decided freeze has no deadline.
"""

from typing import Final

from sparks.migrate.postgresql.epoch import hold_epoch
from sparks.migrate.postgresql.error_mapping import OUTBOX_NOT_EMPTY
from sparks.migrate.postgresql.source import TABLES, Source
from sparks.migrate.postgresql.table_locks import TableLocks

PATIENCE: Final = 30.0
TRIGGER: Final = "sparks_migration_freeze"
FUNCTION: Final = """
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('sparks_migration'));
CREATE SCHEMA IF NOT EXISTS sparks_migration;
CREATE OR REPLACE FUNCTION sparks_migration.refuse_write() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF extract(epoch FROM clock_timestamp())::float8 < TG_ARGV[0]::float8
      AND current_setting('sparks.mirror', true) IS DISTINCT FROM 'on' THEN
    RAISE read_only_sql_transaction USING
      MESSAGE = format('%s of %s is refused: this service moves to Sparks', TG_OP, TG_TABLE_NAME),
      HINT = 'Make the change in Sparks, or try again later.';
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION sparks_migration.refuse_write() FROM PUBLIC;
COMMIT
"""
REGCLASSES: Final = ", ".join(f"to_regclass('{table}')" for table in TABLES)
# A trigger's end: seconds since 1970, "Infinity" where it is decided. One that is disabled has none.
ENDS: Final = f"""
SELECT split_part(encode(tgargs, 'escape'), '\\000', 1)::float8 FROM pg_trigger
WHERE tgname = '{TRIGGER}' AND tgenabled = 'A' AND tgrelid IN ({REGCLASSES})
"""
IS_DECIDED: Final = f"SELECT count(*) = {len(TABLES)} FROM ({ENDS}) AS ends (at) WHERE at = 'Infinity'"
IS_FROZEN: Final = f"""
SELECT count(*) = {len(TABLES)} FROM ({ENDS}) AS ends (at) WHERE at > extract(epoch FROM clock_timestamp())
"""
BEGIN: Final = """
DO $$ DECLARE
  deadline float8 := extract(epoch FROM clock_timestamp()) + {seconds};
BEGIN
  IF NOT ({is_decided}) THEN
    {create}
  END IF;
END $$
"""
DECIDE: Final = """
DO $$ DECLARE
  deadline float8 := 'Infinity';
BEGIN
  IF EXISTS (SELECT FROM sparks_migration.outbox) THEN
    RAISE EXCEPTION 'changes of the source wait to be applied' USING ERRCODE = '{not_empty}';
  END IF;
  {create}
END $$
"""
CREATE: Final = f"""
EXECUTE format('CREATE OR REPLACE TRIGGER {TRIGGER} BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {{table}}
  FOR EACH STATEMENT EXECUTE FUNCTION sparks_migration.refuse_write(%L)', deadline);
ALTER TABLE {{table}} ENABLE ALWAYS TRIGGER {TRIGGER};
"""
LIFT: Final = f"""
DO $$ DECLARE
  frozen regclass;
BEGIN
  FOR frozen IN SELECT tgrelid FROM pg_trigger WHERE tgname = '{TRIGGER}' AND tgrelid IN ({REGCLASSES}) LOOP
    EXECUTE format('ALTER TABLE %s DISABLE TRIGGER {TRIGGER}', frozen);
  END LOOP;
END $$
"""


class Freeze:
    """Refuses the application's writes; reads go on, and so do transactions that set `sparks.mirror` to `on`."""

    def __init__(self, source: Source, *, epoch: int | None = None, patience: float = PATIENCE) -> None:
        """With an `epoch`, `begin`, `decide` and `lift` raise Conflict once a later one is claimed."""
        self._session = source.session
        self._hold = "" if epoch is None else f"{hold_epoch(epoch)};"
        self._locks = TableLocks(source.session, patience=patience)

    def begin(self, seconds: float) -> None:
        """Refuses writes from now on, for so many seconds: then the freeze ends by itself. When it returns, every
        transaction that has written has ended. Another call moves the end; a decided freeze stays decided. Raises Busy
        where transactions of the application hold the tables for longer than the patience: then nothing is frozen.
        """
        self._session.run(FUNCTION)
        script = BEGIN.format(seconds=float(seconds), is_decided=IS_DECIDED, create=_create_all())
        self._locks.run_on_all(f"{self._hold} {script}")

    def decide(self) -> None:
        """Refuses writes until `lift`. Raises Conflict, and changes nothing, where the outbox holds an entry. When it
        raises Unavailable the answer was lost, and `is_decided` tells.
        """
        self._session.run(FUNCTION)
        script = DECIDE.format(not_empty=OUTBOX_NOT_EMPTY, create=_create_all())
        self._locks.run_on_all(f"{self._hold} {script}")

    def is_decided(self) -> bool:
        [(decided,)] = self._session.fetch(IS_DECIDED)
        return bool(decided)

    def is_frozen(self) -> bool:
        """Whether writes are refused now: decided, or the deadline has not passed."""
        [(frozen,)] = self._session.fetch(IS_FROZEN)
        return bool(frozen)

    def lift(self) -> None:
        """Allows writes again; nothing happens where they are allowed. The triggers are disabled rather than dropped,
        because dropping one would wait for every reader, such as a backup; `Capture.remove` drops them.
        """
        [(there,)] = self._session.fetch(f"SELECT EXISTS ({ENDS})")
        if there:
            self._locks.run_on_all(f"{self._hold} {LIFT}")


def _create_all() -> str:
    return "".join(CREATE.format(table=table) for table in TABLES)
