"""The two tables of a re-keying on each engine, and the re-keying of these tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import Final

from sparks.evolve.rekeyed_table import RekeyedTable, Tables
from sparks.library.schema import VERSIONS, Registry, Rekeying, Version
from sparks.model.schema_state import Place
from sparks.sqlitefile import SqliteFile
from sparks.table.dynamodb import DynamoDbTable
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Key, Table
from sparks.table.sqlite import SqliteTable
from tests.conformance.table.adapters import client_of, new_name

HOLD: Final = 0.1  # seconds, so that a test need not wait long
ENGINES: Final = ("sqlite", "dynamodb-local")
LAST: Final = VERSIONS[-1].number

# The key that the fourth document gives to an image.
IMAGE_PREFIX: Final = Rekeying("image-prefix", "", "IMAGE#", rest="[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BEFORE: Final = Registry(VERSIONS)
AFTER: Final = Registry(
    (*VERSIONS, Version(LAST + 1, date(2027, 1, 1), "images have a prefix", LAST + 1, (IMAGE_PREFIX,)))
)

# A function that gives another process the same two tables.
Processes = Callable[[], Tables]


@contextmanager
def two_tables(engine: str, folder: Path) -> Iterator[Processes]:
    """Tables that each process opens by itself."""
    with ExitStack() as stack:
        match engine:
            case "memory":
                in_memory = {place: MemoryTable() for place in Place}
                yield lambda: in_memory.__getitem__
            case "sqlite":

                def open_file() -> Tables:
                    file = SqliteFile(folder / "sparks.db")
                    stack.callback(file.close)
                    return lambda place: SqliteTable(file, "items" if place is Place.FIRST else f"items_{place}")

                yield open_file
            case _:
                client = client_of(engine)
                stack.callback(client.close)
                names = {place: new_name(client) for place in Place}
                yield lambda: lambda place: DynamoDbTable(client, names[place])


def opened(processes: Processes, registry: Registry = AFTER) -> RekeyedTable:
    """The table of one process."""
    table = RekeyedTable(processes(), registry, hold=HOLD)
    table.open()
    return table


def rows_of(table: Table) -> dict[Key, Item]:
    """All rows of a table itself, but for those of the evolution."""
    page = table.scan(limit=100_000)
    found = {Key(item["PK"], item["SK"]): item for item in page.items}
    return {key: item for key, item in found.items() if not key.pk.startswith(("SCHEMA", "JOB#"))}


class Killed(BaseException):
    """The process has ended."""


class Clock:
    """Moves only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
