"""Access to the stores of a data folder without the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sparks.auth.sessions import SessionLifetime
from sparks.journey import Stores
from sparks.library.audit import page_of_entries
from sparks.library.records import changes
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model import times
from sparks.model.photo import Photo, PhotoState
from sparks.model.system_records import AuditEntry
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.factories import a_photo

BYTES = b"a picture"
SPAN = SessionLifetime(idle=timedelta(days=1), most=timedelta(days=2))
UNKNOWN = "sparks: there is no user with this e-mail address: `sparks user list` shows all\n"


@contextmanager
def stores_in(data: Path) -> Iterator[Stores]:
    with open_stores(load_settings({"data": data}, {})) as stores:
        yield stores


def audit_trail(data: Path) -> list[AuditEntry]:
    """Oldest first."""
    with stores_in(data) as stores:
        entries, _ = page_of_entries(times.month_of(times.now()), limit=100, after=None, table=stores.table)
    return entries[::-1]


def add_photos(data: Path, owner: str, number: int) -> list[Photo]:
    """Photos with originals, which count against the upload limit."""
    with stores_in(data) as stores:
        return [_add_photo(owner, stores) for _ in range(number)]


def _add_photo(owner: str, stores: Stores) -> Photo:
    ready = a_photo(owner=owner, file_size=len(BYTES))
    reserved = replace(ready, state=PhotoState.RESERVED)
    reserve_photo(reserved, table=stores.table)
    assert ready.original_key is not None
    stores.blobs.put(ready.original_key, [BYTES], content_type="image/jpeg")
    stores.table.write(changes(reserved, ready))
    return ready
