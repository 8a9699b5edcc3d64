"""An open migration: its source, its target and its state."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from sparks.journey import Stores
from sparks.library.migration_state import read_engine_migration, read_migration_state
from sparks.library.records import changes, to_item
from sparks.migrate.addresses import Addresses
from sparks.migrate.apply import Applier
from sparks.migrate.lease import Lease, LeasedTable, held_lease
from sparks.migrate.objects import ObjectFolder
from sparks.migrate.postgresql.capture import Capture
from sparks.migrate.postgresql.epoch import claim_epoch
from sparks.migrate.postgresql.freeze import Freeze
from sparks.migrate.postgresql.source import Source
from sparks.migrate.target import Accounts, Target
from sparks.model.errors import Conflict
from sparks.model.migration import MigrationPhase, MigrationState
from sparks.model.photo import Visibility
from sparks.model.times import now
from sparks.table.port import Absent, Put, Table

NOT_CAPTURED: Final = "no migration has begun: begin with `sparks migrate capture --from URL --objects DIR`"
FINISHED: Final = "the migration is finished: nothing is left to do"


@dataclass(frozen=True, slots=True)
class NewAccounts:
    """The amounts that the settings give to a new account."""

    photos: int
    bytes: int


class Migration:
    """The parts of a migration that a command uses. All writes to the target check the lease; a command that only looks
    has none.
    """

    def __init__(self, stores: Stores, source: Source, lease: Lease | None, accounts: NewAccounts) -> None:
        self.source = source
        epoch = None if lease is None else lease.epoch
        self.capture = Capture(source, epoch=epoch)
        self.freeze = Freeze(source, epoch=epoch)
        self.lease = lease
        if lease is not None:
            claim_epoch(source, lease.epoch)
        self.table: Table = stores.table if lease is None else LeasedTable(stores.table, lease)
        self._stores = stores
        self._accounts = accounts

    @property
    def epoch(self) -> int:
        return 0 if self.lease is None else self.lease.epoch

    def check(self) -> None:
        """Busy where the lease is lost."""
        if self.lease is not None:
            self.lease.check()

    @property
    def state(self) -> MigrationState:
        """As it is now. Conflict where no migration has begun."""
        return known_state(self.table)

    def note(self, **values: Any) -> MigrationState:
        """Changes the state."""
        before = self.state
        after = replace(before, **values)
        if after != before:
            self.table.write(changes(before, after))
        return after

    def note_lag(self) -> tuple[int, float]:
        """Writes down how far the target is behind the source."""
        entries, seconds = self.capture.lag()
        self.note(lag_changes=entries, lag_seconds=round(seconds, 3), reported_at=now())
        return entries, seconds

    @cached_property
    def addresses(self) -> Addresses:
        return Addresses(self.table)

    @cached_property
    def target(self) -> Target:
        state, stores = self.state, self._stores
        accounts = Accounts(self._accounts.photos, self._accounts.bytes, Visibility(state.visibility or "private"))
        return Target(
            table=self.table,
            blobs=stores.blobs,
            jobs=stores.jobs,
            keyring=stores.keyring,
            objects=ObjectFolder(Path(state.objects or "")),
            accounts=accounts,
        )

    @cached_property
    def applier(self) -> Applier:
        return Applier(self.source, self.target, self.addresses)


def known_state(table: Table) -> MigrationState:
    """Conflict where no migration has begun."""
    state = read_migration_state(table)
    if state is None or state.source is None:
        raise Conflict(NOT_CAPTURED)
    return state


@contextmanager
def open_migration(
    command: str, stores: Stores, accounts: NewAccounts, *, over: frozenset[str] = frozenset()
) -> Iterator[Migration]:
    """The migration that the target knows, with its lease. Conflict where there is none, or it is finished."""
    state = known_state(stores.table)
    if state.phase is MigrationPhase.FINISHED:
        raise Conflict(FINISHED)
    with (
        closing(Source.connect(state.source or "")) as source,
        held_lease(command, over=over, table=stores.table) as lease,
    ):
        yield Migration(stores, source, lease, accounts)


@contextmanager
def watch_migration(stores: Stores, accounts: NewAccounts) -> Iterator[Migration]:
    """The migration that the target knows, for a command that only looks while another one works."""
    with closing(Source.connect(known_state(stores.table).source or "")) as source:
        yield Migration(stores, source, None, accounts)


@contextmanager
def begin_migration(stores: Stores, options: MigrationState, accounts: NewAccounts) -> Iterator[Migration]:
    """A migration with these options, which the target keeps. Conflict where another one is under way."""
    with (
        closing(Source.connect(options.source or "")) as source,
        held_lease("capture", table=stores.table) as lease,
    ):
        migration = Migration(stores, source, lease, accounts)
        _keep_options(migration.table, options)
        yield migration


def _keep_options(table: Table, options: MigrationState) -> None:
    moving = read_engine_migration(table)
    if moving is not None and moving.is_under_way:
        raise Conflict("a migration to other engines is under way: finish it first")
    there = read_migration_state(table)
    if there is None:
        table.write(Put(to_item(options), when=(Absent(),)))
        return
    kept = (there.source, there.objects, there.visibility)
    if kept != (options.source, options.objects, options.visibility):
        source, objects, visibility = kept
        raise Conflict(
            f"a migration from {source}, objects in {objects}, as {visibility} photos, has begun: "
            "use the same options, or finish that one first"
        )


def check_phase(state: MigrationState, *allowed: MigrationPhase, advice: str) -> None:
    """Conflict, with the advice, in another phase."""
    if state.phase not in allowed:
        raise Conflict(f"the migration is in the phase {state.phase}: {advice}")
