"""An open migration: its source, its target and its state."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from sparks.journey import Stores
from sparks.library.migration_state import read_engine_migration, read_migration_state
from sparks.library.records import changes, to_item
from sparks.migrate.addresses import Addresses
from sparks.migrate.apply import Applier
from sparks.migrate.dynamodb.address import is_export
from sparks.migrate.lease import Lease, LeasedTable, held_lease
from sparks.migrate.object_stores import open_objects
from sparks.migrate.source_port import MigrationSource
from sparks.migrate.sources import capture_of, claim_source, connect_source, freeze_of
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

    def __init__(self, stores: Stores, source: MigrationSource, lease: Lease | None, accounts: NewAccounts) -> None:
        self.source = source
        epoch = None if lease is None else lease.epoch
        self.capture = capture_of(source, epoch)
        self.freeze = freeze_of(source, epoch)
        self.lease = lease
        if lease is not None:
            claim_source(source, lease)
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
            objects=open_objects(state.objects or ""),
            accounts=accounts,
            renderer=stores.renderer,
        )

    @cached_property
    def applier(self) -> Applier:
        return Applier(self.source, self.target, self.addresses)


def _connect(state: MigrationState) -> MigrationSource:
    return connect_source(state.source or "", state.options)


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
        closing(_connect(state)) as source,
        held_lease(command, over=over, table=stores.table) as lease,
    ):
        yield Migration(stores, source, lease, accounts)


@contextmanager
def watch_migration(stores: Stores, accounts: NewAccounts) -> Iterator[Migration]:
    """The migration that the target knows, for a command that only looks while another one works."""
    with closing(_connect(known_state(stores.table))) as source:
        yield Migration(stores, source, None, accounts)


@contextmanager
def begin_migration(stores: Stores, options: MigrationState, accounts: NewAccounts) -> Iterator[Migration]:
    """A migration with these options, which the target keeps. Conflict where another one is under way."""
    with (
        closing(_connect(options)) as source,
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
    if _is_newer_export(there, options):
        table.write(changes(there, replace(there, source=options.source)))
        return
    kept = (there.source, there.objects, there.visibility)
    if (*kept, there.options) != (options.source, options.objects, options.visibility, options.options):
        source, objects, visibility = kept
        raise Conflict(
            f"a migration from {source}, objects in {objects}, as {visibility} photos, has begun: "
            "use the same options, or finish that one first"
        )


def _is_newer_export(there: MigrationState, options: MigrationState) -> bool:
    """Whether only the path of an export's files is another one."""
    return (
        is_export(there.source)
        and is_export(options.source)
        and replace(there, source=options.source)
        == replace(
            there,
            source=options.source,
            objects=options.objects,
            visibility=options.visibility,
            options=options.options,
        )
    )


def check_phase(state: MigrationState, *allowed: MigrationPhase, advice: str) -> None:
    """Conflict, with the advice, in another phase."""
    if state.phase not in allowed:
        raise Conflict(f"the migration is in the phase {state.phase}: {advice}")
