"""Epoch of the migrator in the source: a command that was stopped and wakes up after another one has begun changes
nothing there any more.
"""

from typing import Final

from sparks.migrate.postgresql.error_mapping import TAKEN_OVER
from sparks.migrate.postgresql.source import Source

CLAIM: Final = """
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('sparks_migration'));
CREATE SCHEMA IF NOT EXISTS sparks_migration;
CREATE TABLE IF NOT EXISTS sparks_migration.epoch (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL
);
INSERT INTO sparks_migration.epoch (epoch) VALUES ({epoch})
  ON CONFLICT (one) DO UPDATE SET epoch = greatest(sparks_migration.epoch.epoch, excluded.epoch);
COMMIT
"""
HOLD: Final = """
DO $$ BEGIN
  PERFORM FROM sparks_migration.epoch WHERE epoch = {epoch} FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'another `sparks migrate` command has taken over: this one has stopped'
      USING ERRCODE = '{taken_over}';
  END IF;
END $$
"""


def claim_epoch(source: Source, epoch: int) -> None:
    """From now on, commands of earlier epochs change nothing in the source."""
    source.session.run(CLAIM.format(epoch=int(epoch)))


def hold_epoch(epoch: int) -> str:
    """The statement that fails in a later epoch. The next epoch is not claimed until its transaction ends."""
    return HOLD.format(epoch=int(epoch), taken_over=TAKEN_OVER)
