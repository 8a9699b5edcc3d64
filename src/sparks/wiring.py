"""The only module that picks adapters.

The engines for many machines are imported when they are asked for: boto3 takes its time.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.faces.port import FaceEngine, Thresholds
from sparks.jobs.port import Jobs
from sparks.journey import Stores
from sparks.library.face_index import FaceIndex
from sparks.library.index_following import followed
from sparks.library.search import NotedTable, SearchIndex
from sparks.media.caps import Caps
from sparks.media.sizes import SIZES
from sparks.media.studio import Studio, has_landlock
from sparks.model import times
from sparks.model.errors import BadSetting
from sparks.model.keyring import Keyring
from sparks.model.terms import FaceTerms, Terms
from sparks.secretfile import SecretFile
from sparks.settings import Settings
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Table

if TYPE_CHECKING:
    from boto3 import Session

BEGINNING: Final = "beginning"
VECTORS: Final = "vectors-"  # and the engine's name
SEARCH_EVERY: Final = 0.5  # seconds

log = logging.getLogger(__name__)


@contextmanager
def open_stores(settings: Settings) -> Iterator[Stores]:
    """The stores that the settings name, open until the end of the block."""
    with ExitStack() as stack:

        @cache
        def database() -> SqliteFile:
            return stack.enter_context(closing(SqliteFile(settings.database)))

        with _usable(settings.data):
            _refuse_lost_database(settings)
        keyring = _keyring(settings)
        with _noted_beginning(settings):
            served = _open_folder(settings, keyring) if settings.blobs == "filesystem" else None
            stores = Stores(
                blobs=stack.enter_context(closing(served or _open_bucket(settings))),
                table=stack.enter_context(closing(NotedTable(_open_table(settings, database), keyring=keyring))),
                jobs=stack.enter_context(closing(_open_jobs(settings, database))),
                keyring=keyring,
                served=served,
                terms=Terms(trash_days=settings.trash_days, faces=_face_terms(settings)),
            )
        yield stores


def open_studio(settings: Settings) -> Studio:
    """Decoders that keep to the settings. What this machine cannot lock them out of is said right away."""
    if not has_landlock():
        log.warning("this kernel has no Landlock, which Linux has since 5.13: decoders are kept from files without it")
    return Studio({**SIZES, **settings.extra_sizes}, _caps(settings))


@contextmanager
def open_faces(settings: Settings, stores: Stores) -> Iterator[Stores]:
    """The stores with what finds faces and compares them, until the end of the block; without where faces are off."""
    with open_index(settings, stores) as index, open_engine(settings, stores.terms) as engine:
        yield replace(stores, engine=engine, index=index)


@contextmanager
def open_index(settings: Settings, stores: Stores) -> Iterator[FaceIndex | None]:
    """None where faces are off. The vectors are in the data folder even where all else is elsewhere: they can be built
    from the table at any time.
    """
    known = stores.terms.faces
    _drop_vectors(settings, but=None if known is None else known.engine)
    if known is None:
        yield None
        return
    from sparks.vectors.embedded import EmbeddedVectors

    path = settings.data / f"{VECTORS}{known.engine}"
    with closing(EmbeddedVectors(known.dimensions, path)) as vectors:
        index = FaceIndex(vectors, engine=known.engine, table=stores.table)
        with followed(index, what="faces"):
            yield index


@contextmanager
def open_search(settings: Settings, stores: Stores) -> Iterator[SearchIndex]:
    """What photos are searched in, following the table until the end of the block. It is in the data folder even where
    all else is elsewhere: it can be built from the table at any time.
    """
    with open_search_alone(settings, stores) as index, followed(index, what="words", every=SEARCH_EVERY):
        yield index


@contextmanager
def open_search_alone(settings: Settings, stores: Stores) -> Iterator[SearchIndex]:
    """As it was left."""
    from sparks.search.fts5 import Fts5Search

    with closing(Fts5Search(settings.search_file)) as search:
        yield SearchIndex(search, table=stores.table, keyring=stores.keyring)


def clear_search(settings: Settings, stores: Stores) -> None:
    """What was deleted leaves the search index, too, whether or not a server runs that follows; nothing happens where
    there is none yet.
    """
    if settings.search_file.exists():
        with open_search_alone(settings, stores) as index:
            index.catch_up(at=times.now())


def _drop_vectors(settings: Settings, *, but: str | None) -> None:
    """Those of other engines, and all where faces are off: nobody would take a forgotten face out of them."""
    for path in settings.data.glob(f"{VECTORS}*"):
        if but is None or not path.name.startswith(f"{VECTORS}{but}"):
            path.unlink(missing_ok=True)


@contextmanager
def open_engine(settings: Settings, terms: Terms) -> Iterator[FaceEngine | None]:
    """None where faces are off. What keeps it from working is said right away."""
    known = terms.faces
    if known is None:
        yield None
        return
    from sparks.faces.booth import Booth

    thresholds = Thresholds(candidate=known.candidate, strong=known.strong, founding=known.founding)
    with Booth(thresholds=thresholds, caps=_caps(settings)) as booth:
        if booth.missing:
            log.warning("Sparks runs without finding faces: %s", booth.missing)
        yield booth


def missing_engine(terms: Terms) -> str:
    """Why no faces can be looked for here though they should be, and what to do; nothing where they can."""
    from sparks.faces.opencv.weights import missing_weights

    return "" if terms.faces is None else missing_weights()


def _caps(settings: Settings) -> Caps:
    return Caps(pixels=settings.max_pixels, seconds=settings.max_duration)


def _face_terms(settings: Settings) -> FaceTerms | None:
    from sparks.faces.opencv.engine import DIMENSIONS, NAME, THRESHOLDS

    if not settings.faces:
        return None
    candidate, strong = settings.candidate_threshold, settings.strong_threshold
    terms = FaceTerms(
        engine=NAME,
        dimensions=DIMENSIONS,
        candidate=THRESHOLDS.candidate if candidate is None else candidate,
        strong=THRESHOLDS.strong if strong is None else strong,
        founding=THRESHOLDS.founding,
        enough=settings.person_min_photos,
    )
    if terms.candidate > terms.strong:
        raise BadSetting(
            f"candidate_threshold is {terms.candidate:g}, above strong_threshold, which is {terms.strong:g}: "
            "what certainly is one person is more alike than what perhaps is"
        )
    return terms


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
        yield f"bucket {settings.bucket}", s3.create_bucket(bucket, settings.bucket)
    if settings.jobs == "sqs":
        from sparks.jobs import sqs

        queues = sqs.connect(**_aws(settings), endpoint=settings.sqs_endpoint)
        yield f"queues {settings.queue}", sqs.create_queues(queues, settings.queue)


def _refuse_lost_database(settings: Settings) -> None:
    """Blobs without their database are no new beginning, unless one was noted.

    Looked at in this order, a beginning that another process makes right now is never taken for a loss: the blobs are
    made after the note, and the note goes when the database is there.
    """
    from sparks.blobs.filesystem.root import MARKER

    if (
        (settings.table, settings.blobs) == ("sqlite", "filesystem")
        and (settings.blob_folder / MARKER).exists()
        and not (settings.data / BEGINNING).exists()
        and not _has_database(settings)
    ):
        raise BadSetting(
            f"the database {settings.database} is missing or empty, but there are blobs in {settings.blob_folder}: "
            "restore it from a backup, or remove the blobs too to begin anew"
        )


@contextmanager
def _noted_beginning(settings: Settings) -> Iterator[None]:
    """Who is killed between making the blobs and the database may begin again."""
    note = settings.data / BEGINNING
    with _usable(settings.data):
        if not _has_database(settings):
            note.touch(mode=0o600)
    yield
    with _usable(settings.data):
        note.unlink(missing_ok=True)


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadSetting(f"the data folder {folder} cannot be used ({error.strerror}): check its owner") from error


def _has_database(settings: Settings) -> bool:
    try:
        return settings.database.stat().st_size > 0
    except FileNotFoundError:
        return False


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

    new = not _has_database(settings)
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
    if _has_database(settings) and not settings.secret_file.exists():
        log.warning("there is no %s: a new one is made, and addresses signed before are void", settings.secret_file)
    known = SecretFile(settings.secret_file).read()
    return Keyring(known.current, {name: key.secret for name, key in known.keys.items()})


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
    """AWS's own configuration, which says what the settings do not."""
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
