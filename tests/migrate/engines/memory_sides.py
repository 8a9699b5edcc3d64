"""Two sides in memory, between which a library moves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import Blobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Jobs
from sparks.migrate.engines import gate
from sparks.migrate.engines.migrator import EngineMigrator
from sparks.migrate.engines.sides import Engines, OpenStores, same_engines
from sparks.migrate.engines.switch import EngineSwitch
from sparks.migrate.engines.switched_blobs import SwitchedBlobs
from sparks.migrate.engines.switched_jobs import SwitchedJobs
from sparks.migrate.engines.switched_table import SwitchedTable
from sparks.model.engine_migration import EngineMigration
from sparks.model.errors import Unavailable
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.conformance.blobs.content import KEYRING

HERE: Final[Mapping[str, str]] = {
    "table": "sqlite",
    "blobs": "filesystem",
    "jobs": "embedded",
    "queue": "main",
    "data": "/data",
}
THERE: Final[Mapping[str, str]] = {
    "table": "dynamodb",
    "table_name": "sparks",
    "blobs": "s3",
    "bucket": "sparks",
    "jobs": "sqs",
    "queue": "main",
}


def new_stores(*, table: Table | None = None, blobs: Blobs | None = None, jobs: Jobs | None = None) -> OpenStores:
    return OpenStores(table or MemoryTable(), blobs or MemoryBlobs(keyring=KEYRING), jobs or MemoryJobs())


@dataclass
class Sides:
    """The stores of both sides, and processes that use them."""

    source: OpenStores = field(default_factory=new_stores)
    target: OpenStores = field(default_factory=new_stores)
    state: EngineMigration = field(
        default_factory=lambda: EngineMigration(migration_id="one", source=HERE, target=THERE)
    )
    is_reachable: bool = True

    def capture(self) -> None:
        for stores in (self.target, self.source):
            gate.begin(self.state, table=stores.table)

    def open(self, engines: Engines) -> OpenStores:
        if not self.is_reachable:
            raise Unavailable("the network is down")
        return self.source if same_engines(engines, HERE) else self.target

    def open_home(self) -> OpenStores:
        return self.source

    def create(self, engines: Engines) -> OpenStores:
        return self.open(engines)

    def process(self, *, clock: Callable[[], float] | None = None, engines: Engines = HERE) -> "Process":
        home = self.source if same_engines(engines, HERE) else self.target
        switch = EngineSwitch(home, engines, self.open, **({} if clock is None else {"clock": clock}))
        return Process(switch, SwitchedTable(switch), SwitchedBlobs(switch), SwitchedJobs(switch))

    def migrator(self) -> EngineMigrator:
        return EngineMigrator(self.state, {WriteSide.SOURCE: self.source, WriteSide.TARGET: self.target}, None)

    def only_blobs(self) -> None:
        """The table stays where it is."""
        target = {**HERE, "blobs": "s3", "bucket": "sparks"}
        self.state = replace(self.state, target=target)
        self.target = replace(self.source, blobs=self.target.blobs)


@dataclass(frozen=True)
class Process:
    switch: EngineSwitch
    table: SwitchedTable
    blobs: SwitchedBlobs
    jobs: SwitchedJobs


def moved_sides(target: OpenStores) -> Sides:
    """The library has moved to the target, and the migration is finished."""
    sides = Sides(target=target)
    sides.state = replace(sides.state, phase=MigrationPhase.FINISHED, writes=WriteSide.TARGET)
    gate.begin(sides.state, table=sides.source.table)
    return sides
