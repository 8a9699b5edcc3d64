"""Table, blobs and jobs that the settings name, or to which the library has moved since."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from sparks.blobs.port import Blobs
from sparks.evolve.rekeyed_table import RekeyedTable
from sparks.jobs.port import Jobs
from sparks.journey import Stores
from sparks.library.migration_state import read_engine_migration
from sparks.library.schema import REGISTRY, Registry
from sparks.library.search.change_log import SearchLoggingTable
from sparks.migrate.engines.sides import (
    SETTINGS,
    Engines,
    OpenStores,
    engines_of,
    same_place,
    settings_for,
    shown,
    variables,
)
from sparks.migrate.engines.switch import EngineSwitch
from sparks.migrate.engines.switched_blobs import SwitchedBlobs
from sparks.migrate.engines.switched_jobs import SwitchedJobs
from sparks.migrate.engines.switched_table import SwitchedTable
from sparks.migrate.write_guard import GuardedTable
from sparks.model.errors import BadSetting, Busy, Conflict, Unavailable
from sparks.model.keyring import Keyring
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.schema_state import Place
from sparks.settings import Settings
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Table
from sparks.wiring.data_folder import creation_marked, has_database, read_keyring, refuse_lost_database
from sparks.wiring.faces import face_pipeline_settings

if TYPE_CHECKING:
    from boto3 import Session


@contextmanager
def open_stores(settings: Settings, *, guarded: bool = True, registry: Registry = REGISTRY) -> Iterator[Stores]:
    """The stores, open until the end of the block. Without `guarded`, the table takes every write during a migration:
    that is for the migrator alone. BadSetting where the data are too new for this Sparks.
    """
    with ExitStack() as stack:
        refuse_lost_database(settings)
        keyring = read_keyring(settings)
        adapters = Adapters(settings, keyring, stack, registry)
        with creation_marked(settings):
            home = adapters.open_home()
        switch = EngineSwitch(home, engines_of(settings), adapters.open)
        stack.callback(switch.close)
        switch.begin()
        yield Stores(
            blobs=SwitchedBlobs(switch),
            table=_wrapped(SwitchedTable(switch), keyring, guarded=guarded),
            jobs=SwitchedJobs(switch),
            keyring=keyring,
            pipeline=PipelineSettings(trash_days=settings.trash_days, faces=face_pipeline_settings(settings)),
        )


@contextmanager
def open_adapters(settings: Settings) -> Iterator["Adapters"]:
    """Opener of the stores of any engines, without wrappers, for the migrator between engines."""
    with ExitStack() as stack:
        yield Adapters(settings, read_keyring(settings), stack)


class Adapters:
    """Opens each store once, until the end of the stack."""

    def __init__(self, settings: Settings, keyring: Keyring, stack: ExitStack, registry: Registry = REGISTRY) -> None:
        self._settings = settings
        self._keyring = keyring
        self._stack = stack
        self._registry = registry
        self._lock = threading.RLock()
        self._opened: dict[Hashable, Any] = {}

    def open_home(self) -> OpenStores:
        """The stores that the settings name."""
        return self._open(self._settings, create=None)

    def open(self, engines: Engines) -> OpenStores:
        """The stores of these engines. Unavailable where they are in a data folder that is not here."""
        settings = settings_for(engines, self._settings)
        if settings.table == "sqlite" and not has_database(settings):
            raise Unavailable(f"there is no database {settings.database} on this machine")
        return self._open(settings, create=False)

    def create(self, engines: Engines) -> OpenStores:
        """As `open`, where what is missing is created: the table, the bucket, the queues, the data folder."""
        settings = settings_for(engines, self._settings)
        for _ in create_stores(settings):
            continue
        return self._open(settings, create=True)

    def open_table(self) -> RekeyedTable:
        """The table that the settings name."""
        with self._lock:
            return self._table(self._settings)

    def _open(self, settings: Settings, *, create: bool | None) -> OpenStores:
        with self._lock:
            return OpenStores(
                blobs=self._once(
                    _place("blobs", settings), lambda: _open_blobs(settings, self._keyring, create=create)
                ),
                table=self._table(settings),
                jobs=self._once(_place("jobs", settings), lambda: _open_jobs(settings, self._database(settings))),
            )

    def _table(self, settings: Settings) -> RekeyedTable:
        table: RekeyedTable = self._once(
            _place("table", settings), lambda: _open_rekeyed(settings, self._database(settings), self._registry)
        )
        return table

    def _database(self, settings: Settings) -> Callable[[], SqliteFile]:
        def open_file() -> SqliteFile:
            file: SqliteFile = self._once(("file", settings.database), lambda: SqliteFile(settings.database))
            return file

        return open_file

    def _once(self, place: Hashable, open_it: Callable[[], Any]) -> Any:
        if place not in self._opened:
            self._opened[place] = self._stack.enter_context(closing(open_it()))
        return self._opened[place]


def _place(kind: str, settings: Settings) -> Hashable:
    engine = getattr(settings, kind)
    return engine, *(getattr(settings, name) for name in SETTINGS[engine])


@contextmanager
def open_table(settings: Settings, *, registry: Registry = REGISTRY) -> Iterator[RekeyedTable]:
    """The table alone, without a guard, for schema evolution. Conflict where the library has moved to another one."""
    with ExitStack() as stack:
        refuse_lost_database(settings)
        table = Adapters(settings, read_keyring(settings), stack, registry).open_table()
        moved = read_engine_migration(table)
        if moved is not None and (moved.is_under_way or not same_place("table", engines_of(settings), moved.target)):
            raise Conflict(
                f"the library moves, or has moved, to {shown(moved.target)}: finish that, and set "
                f"{variables(moved.target, engines_of(settings))}"
            )
        yield table


def create_stores(settings: Settings) -> Iterator[tuple[str, list[str]]]:
    """Creates the table, the bucket and the queues that the settings name and that do not exist yet.

    Yields the name of each, with the features that its server lacks. Stores in the data folder are created on opening.
    """
    if settings.table == "dynamodb":
        from sparks.table import dynamodb

        client = dynamodb.connect(**_aws(settings), endpoint=settings.dynamodb_endpoint)
        yield f"table {settings.table_name}", dynamodb.create_table(client, settings.table_name)
    if settings.blobs == "s3":
        from sparks.blobs import s3

        bucket = s3.connect(**_aws(settings), endpoint=settings.s3_endpoint)
        yield f"bucket {settings.bucket}", s3.create_bucket(bucket, settings.bucket)
    if settings.jobs == "sqs":
        from sparks.jobs import sqs

        queues = sqs.connect(**_aws(settings), endpoint=settings.sqs_endpoint)
        yield f"queues {settings.queue}", sqs.create_queues(queues, settings.queue)


def _wrapped(table: Table, keyring: Keyring, *, guarded: bool) -> Table:
    logging = SearchLoggingTable(table, keyring=keyring)
    return GuardedTable(logging) if guarded else logging


def _open_rekeyed(settings: Settings, database: Callable[[], SqliteFile], registry: Registry) -> RekeyedTable:
    """A store that is missing or away is no reason not to start: its data are taken on by the first call that reaches
    it.
    """
    table = RekeyedTable(
        lambda place: _open_table(settings, database, place), registry, create=partial(_create_table, settings)
    )
    with suppress(Busy, Unavailable):
        table.open()
    return table


def _open_table(settings: Settings, database: Callable[[], SqliteFile], place: Place) -> Table:
    match settings.table:
        case "sqlite":
            from sparks.table.sqlite import ITEMS, SqliteTable

            return SqliteTable(database(), ITEMS if place is Place.FIRST else f"{ITEMS}_{place}")
        case "dynamodb":
            from sparks.table import dynamodb

            client = dynamodb.connect(**_aws(settings), endpoint=settings.dynamodb_endpoint)
            return dynamodb.DynamoDbTable(client, _table_name(settings, place))


def _create_table(settings: Settings, place: Place) -> None:
    """A table in a file is created when it is opened."""
    if settings.table == "dynamodb":
        from sparks.table import dynamodb

        client = dynamodb.connect(**_aws(settings), endpoint=settings.dynamodb_endpoint)
        dynamodb.create_table(client, _table_name(settings, place))


def _table_name(settings: Settings, place: Place) -> str:
    return settings.table_name if place is Place.FIRST else f"{settings.table_name}-{place}"


def _open_blobs(settings: Settings, keyring: Keyring, *, create: bool | None) -> Blobs:
    """With `create` None, creates the folder only where there is no database yet: where there is one but no blobs, a
    disk is missing.
    """
    match settings.blobs:
        case "filesystem":
            from sparks.blobs.filesystem import FilesystemBlobs

            is_new = not has_database(settings) if create is None else create
            return FilesystemBlobs(settings.blob_folder, keyring=keyring, base_url=settings.public_url, create=is_new)
        case "s3":
            from sparks.blobs import s3

            client = s3.connect(**_aws(settings), endpoint=settings.s3_endpoint)
            return s3.S3Blobs(client, settings.bucket)


def _open_jobs(settings: Settings, database: Callable[[], SqliteFile]) -> Jobs:
    match settings.jobs:
        case "embedded":
            from sparks.jobs.embedded import EmbeddedJobs

            return EmbeddedJobs(database(), settings.queue)
        case "sqs":
            from sparks.jobs import sqs

            return sqs.SqsJobs(sqs.connect(**_aws(settings), endpoint=settings.sqs_endpoint), settings.queue)


class _Aws(TypedDict):
    region: str
    access_key: str | None
    secret_key: str | None


def _aws(settings: Settings) -> _Aws:
    key, secret = settings.aws_access_key_id, settings.aws_secret_access_key
    session = _session(needs_key=key is None)
    region = settings.region or session.region_name
    if region is None:
        raise BadSetting("region is not set, and AWS's own configuration names none: set SPARKS_REGION")
    return {
        "region": region,
        "access_key": None if key is None else key.get_secret_value(),
        "secret_key": None if secret is None else secret.get_secret_value(),
    }


def _session(*, needs_key: bool) -> "Session":
    """AWS's own configuration, for values that the settings leave out."""
    import boto3
    from botocore.exceptions import BotoCoreError

    try:
        session = boto3.Session()
        found = not needs_key or session.get_credentials() is not None
    except BotoCoreError as error:
        raise BadSetting(f"AWS's own configuration cannot be used: {error}") from error
    if not found:
        raise BadSetting(
            "no AWS key is set, and AWS's own configuration has none: set SPARKS_AWS_ACCESS_KEY_ID and "
            "SPARKS_AWS_SECRET_ACCESS_KEY, or name a profile of it with AWS_PROFILE"
        )
    return session
