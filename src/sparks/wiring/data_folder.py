"""Checks of the data folder before stores are opened in it.

A missing disk must not be taken for a new installation. So the blobs are created before the database, and a marker file
says that creation is under way: blobs without a database and without the marker mean that the database is lost.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sparks.model.errors import BadSetting
from sparks.model.keyring import Keyring
from sparks.secret_file import SecretFile
from sparks.settings import Settings

CREATION_MARKER: Final = "beginning"

log = logging.getLogger(__name__)


def has_database(settings: Settings) -> bool:
    try:
        return settings.database.stat().st_size > 0
    except FileNotFoundError:
        return False


def refuse_lost_database(settings: Settings) -> None:
    """BadSetting where there are blobs but no database, unless creation is under way.

    The order of the checks matters: another process that creates the folder right now makes the marker before the
    blobs, and removes it once the database is there.
    """
    from sparks.blobs.filesystem.root import MARKER

    with _usable(settings.data):
        if (
            (settings.table, settings.blobs) == ("sqlite", "filesystem")
            and (settings.blob_folder / MARKER).exists()
            and not (settings.data / CREATION_MARKER).exists()
            and not has_database(settings)
        ):
            raise BadSetting(
                f"the database {settings.database} is missing or empty, but there are blobs in {settings.blob_folder}: "
                "restore it from a backup, or remove the blobs too to begin anew"
            )


@contextmanager
def creation_marked(settings: Settings) -> Iterator[None]:
    """A process that is killed between creating the blobs and the database may be started again."""
    marker = settings.data / CREATION_MARKER
    with _usable(settings.data):
        if not has_database(settings):
            marker.touch(mode=0o600)
    yield
    with _usable(settings.data):
        marker.unlink(missing_ok=True)


def read_keyring(settings: Settings) -> Keyring:
    if has_database(settings) and not settings.secret_file.exists():
        log.warning("%s is missing: Sparks makes a new one, and addresses signed before are void", settings.secret_file)
    signing_keys = SecretFile(settings.secret_file).read()
    return Keyring(signing_keys.current, {name: key.secret for name, key in signing_keys.keys.items()})


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadSetting(f"the data folder {folder} cannot be used ({error.strerror}): check its owner") from error
