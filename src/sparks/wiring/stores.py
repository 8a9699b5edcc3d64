"""Table, blobs and jobs that the settings name."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache, partial
from typing import TYPE_CHECKING, TypedDict

from sparks.blobs.port import Blobs
from sparks.evolve.rekeyed_table import RekeyedTable
from sparks.jobs.port import Jobs
from sparks.journey import Stores
from sparks.library.schema import REGISTRY, Registry
from sparks.library.search.change_log import SearchLoggingTable
from sparks.migrate.write_guard import GuardedTable
from sparks.model.errors import BadSetting, Busy, Unavailable
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

        @cache
        def database() -> SqliteFile:
            return stack.enter_context(closing(SqliteFile(settings.database)))

        refuse_lost_database(settings)
        keyring = read_keyring(settings)
        with creation_marked(settings):
            stores = Stores(
                blobs=stack.enter_context(closing(_open_blobs(settings, keyring))),
                table=_wrapped(_open_rekeyed(settings, database, registry, stack), keyring, guarded=guarded),
                jobs=stack.enter_context(closing(_open_jobs(settings, database))),
                keyring=keyring,
                pipeline=PipelineSettings(trash_days=settings.trash_days, faces=face_pipeline_settings(settings)),
            )
        yield stores


@contextmanager
def open_table(settings: Settings, *, registry: Registry = REGISTRY) -> Iterator[RekeyedTable]:
    """The table alone, without a guard, for schema evolution."""
    with ExitStack() as stack:
        refuse_lost_database(settings)
        yield _open_rekeyed(
            settings, lambda: stack.enter_context(closing(SqliteFile(settings.database))), registry, stack
        )


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


def _open_rekeyed(
    settings: Settings, database: Callable[[], SqliteFile], registry: Registry, stack: ExitStack
) -> RekeyedTable:
    """A store that is missing or away is no reason not to start: its data are taken on by the first call that reaches
    it.
    """
    file = cache(database)
    opened = RekeyedTable(
        lambda place: _open_table(settings, file, place), registry, create=partial(_create_table, settings)
    )
    table = stack.enter_context(closing(opened))
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


def _open_blobs(settings: Settings, keyring: Keyring) -> Blobs:
    """Creates the folder only where there is no database yet: where there is one but no blobs, a disk is missing."""
    match settings.blobs:
        case "filesystem":
            from sparks.blobs.filesystem import FilesystemBlobs

            is_new = not has_database(settings)
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
