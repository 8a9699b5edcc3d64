"""A migration of a layout in this process, on stores in memory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparks.journey import Stores
from sparks.library import keys
from sparks.library.external_ids import image_id_of
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import from_item
from sparks.migrate.context import Migration, begin_migration
from sparks.model.migration import PHOTOS, MigrationPhase, MigrationState
from sparks.model.photo import Photo
from sparks.model.photo_index import ExternalId
from tests.migrate.in_process import ACCOUNTS, backfill


@contextmanager
def staged(
    source: str,
    objects: Path | str,
    stores: Stores,
    folder: Path,
    *,
    options: Mapping[str, Any] | None = None,
    addresses: Mapping[str, str] | None = None,
) -> Iterator[Migration]:
    """A migration whose items are read, with its lease."""
    more = {"staging": str(folder / "staging.db"), **(options or {})}
    state = MigrationState(source=source, objects=str(objects), visibility="private", options=more)
    with begin_migration(stores, state, ACCOUNTS) as migration:
        migration.source.check_tables()
        migration.addresses.store(addresses or {})
        migration.capture.install()
        migration.note(phase=MigrationPhase.CAPTURED)
        yield migration


@contextmanager
def filled(*args: Any, **options: Any) -> Iterator[Migration]:
    """The same, with everything copied."""
    with staged(*args, **options) as migration:
        backfill(migration)
        yield migration


def photo_of(old_id: str, stores: Stores) -> Photo:
    """The photo that an old id leads to."""
    image_id = image_id_of(old_id, table=stores.table)
    item = stores.table.get(keys.external_id(PHOTOS, old_id))
    assert image_id is not None, old_id
    assert item is not None, old_id
    photo = read_photo(keys.photo(image_id, from_item(ExternalId, item).owner or ""), table=stores.table)
    assert photo is not None, old_id
    return photo
