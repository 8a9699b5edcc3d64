"""Adapters of the table, each on its real engine."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sparks.sqlitefile import SqliteFile
from sparks.table.dynamodb import DynamoDbTable, connect, create_table
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from sparks.table.sqlite import SqliteTable
from tests.migrate.engines.memory_sides import moved_sides, new_stores
from tests.servers import commands

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SERVERS: Final = {"dynamodb-local": commands.dynamodb_local, "dynoxide": commands.dynoxide}
EMBEDDED: Final = ("memory", "sqlite", "moved")
ADAPTERS: Final = (*EMBEDDED, *SERVERS)


@contextmanager
def open_table(adapter: str, folder: Path, *, clock: Callable[[], float] = time.time) -> Iterator[Table]:
    """An empty table for one test."""
    match adapter:
        case "memory":
            yield MemoryTable(clock=clock)
        case "moved":
            yield moved_sides(new_stores(table=MemoryTable(clock=clock))).process().table
        case "sqlite":
            file = SqliteFile(folder / f"{uuid.uuid4()}.db")
            yield SqliteTable(file, clock=clock)
            file.close()
        case _:
            client = client_of(adapter)
            table = DynamoDbTable(client, new_name(client))
            yield table
            table.close()


def client_of(server: str) -> "DynamoDBClient":
    return connect(
        region=commands.REGION,
        endpoint=SERVERS[server](),
        access_key=commands.ACCESS_KEY,
        secret_key=commands.SECRET_KEY,
    )


def new_name(client: "DynamoDBClient") -> str:
    """The name of a new table without optional features: a stream makes the local servers ten times slower."""
    name = f"sparks-{uuid.uuid4()}"
    create_table(client, name, features=())
    return name
