"""A migration in this process, on stores in memory: much faster than commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.library.throttle import Throttle
from sparks.migrate.backfill import Backfill
from sparks.migrate.context import Migration, NewAccounts, begin_migration
from sparks.migrate.follow import Follower
from sparks.migrate.verify import VerifyResult, run_verify
from sparks.model.keyring import Keyring
from sparks.model.migration import MigrationPhase, MigrationState
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.conformance.blobs.content import KEYRING
from tests.migrate.checker import Checker
from tests.servers.postgresql import LegacyDatabase

ACCOUNTS: Final = NewAccounts(500, 50 * 10**9)


def memory_stores(table: Table | None = None, keyring: Keyring = KEYRING) -> Stores:
    return Stores(table=table or MemoryTable(), blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=keyring)


@contextmanager
def captured(database: LegacyDatabase, objects: Path, stores: Stores) -> Iterator[Migration]:
    """A migration whose triggers are installed, with its lease."""
    objects.mkdir(exist_ok=True)
    options = MigrationState(source=database.owner_url, objects=str(objects), visibility="private")
    with begin_migration(stores, options, ACCOUNTS) as migration:
        migration.capture.install()
        migration.note(phase=MigrationPhase.CAPTURED)
        yield migration


def backfill(migration: Migration) -> None:
    Backfill(migration, throttle=Throttle(None), on_progress=lambda *_: None).run()


def follow(migration: Migration) -> int:
    """Applies all captured changes of a source that rests."""
    follower = Follower(migration)
    follower.drain()
    return follower.applied


def verify(stores: Stores, *, repair: bool = False) -> VerifyResult:
    return run_verify(stores, ACCOUNTS, repair=repair, on_progress=lambda *_: None)


def checker_of(database: LegacyDatabase, objects: Path, stores: Stores) -> Checker:
    return Checker(database.superuser_url, objects, stores.table, stores.blobs, has_equal_objects=True)
