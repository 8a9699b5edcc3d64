"""The only module that picks adapters.

The engines for many machines are imported when they are asked for: boto3 takes its time.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from typing import TypedDict

from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.jobs.port import Jobs
from sparks.journey import Stores
from sparks.model.errors import BadSetting
from sparks.model.keyring import Keyring
from sparks.secretfile import SecretFile
from sparks.settings import Settings
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Table


@contextmanager
def open_stores(settings: Settings) -> Iterator[Stores]:
    """The stores that the settings name, open until the end of the block."""
    with ExitStack() as stack:

        @cache
        def database() -> SqliteFile:
            return stack.enter_context(closing(SqliteFile(settings.database)))

        keyring = _keyring(settings)
        served = _open_folder(settings, keyring) if settings.blobs == "filesystem" else None
        yield Stores(
            blobs=stack.enter_context(closing(served or _open_bucket(settings))),
            table=stack.enter_context(closing(_open_table(settings, database))),
            jobs=stack.enter_context(closing(_open_jobs(settings, database))),
            keyring=keyring,
            served=served,
        )


def create_stores(settings: Settings) -> Iterator[tuple[str, list[str]]]:
    """Makes the table, the bucket and the queues that the settings name, where they are not there yet.

    Tells of each what it is, and which features its server lacks. What lives in the data folder makes itself.
    """
    if settings.table == "dynamodb":
        from sparks.table import dynamodb

        client = dynamodb.connect(**_aws(settings), endpoint=settings.dynamodb_endpoint)
        yield f"table {settings.table_name}", dynamodb.create_table(client, settings.table_name)
    if settings.blobs == "s3":
        from sparks.blobs import s3

        bucket = s3.connect(**_aws(settings), endpoint=settings.s3_endpoint)
        s3.create_bucket(bucket, settings.bucket)
        yield f"bucket {settings.bucket}", []
    if settings.jobs == "sqs":
        from sparks.jobs import sqs

        queues = sqs.connect(**_aws(settings), endpoint=settings.sqs_endpoint)
        yield f"queues {settings.queue}", sqs.create_queues(queues, settings.queue)


def _open_table(settings: Settings, database: Callable[[], SqliteFile]) -> Table:
    if settings.table == "sqlite":
        from sparks.table.sqlite import SqliteTable

        return SqliteTable(database())
    from sparks.table import dynamodb

    client = dynamodb.connect(**_aws(settings), endpoint=settings.dynamodb_endpoint)
    return dynamodb.DynamoDbTable(client, settings.table_name)


def _open_folder(settings: Settings, keyring: Keyring) -> ServedBlobs:
    """[Note: blobs first] They are made before the database: where there is one but no blobs, a disk is missing."""
    from sparks.blobs.filesystem import FilesystemBlobs

    new = not settings.database.exists()
    return FilesystemBlobs(settings.blob_folder, keyring=keyring, base_url=settings.public_url, create=new)


def _open_bucket(settings: Settings) -> Blobs:
    from sparks.blobs import s3

    client = s3.connect(**_aws(settings), endpoint=settings.s3_endpoint)
    return s3.S3Blobs(client, settings.bucket)


def _open_jobs(settings: Settings, database: Callable[[], SqliteFile]) -> Jobs:
    if settings.jobs == "embedded":
        from sparks.jobs.embedded import EmbeddedJobs

        return EmbeddedJobs(database(), settings.queue)
    from sparks.jobs import sqs

    return sqs.SqsJobs(sqs.connect(**_aws(settings), endpoint=settings.sqs_endpoint), settings.queue)


def _keyring(settings: Settings) -> Keyring:
    known = SecretFile(settings.secret_file).read()
    return Keyring(known.current, {name: key.secret for name, key in known.keys.items()})


class _Aws(TypedDict):
    region: str
    access_key: str | None
    secret_key: str | None


def _aws(settings: Settings) -> _Aws:
    key, secret = settings.aws_access_key_id, settings.aws_secret_access_key
    return {
        "region": settings.region or _region_by_itself(),
        "access_key": None if key is None else key.get_secret_value(),
        "secret_key": None if secret is None else secret.get_secret_value(),
    }


def _region_by_itself() -> str:
    import boto3

    found = boto3.Session().region_name
    if found is None:
        raise BadSetting("region is not set, and AWS's own configuration names none: set SPARKS_REGION")
    return found
