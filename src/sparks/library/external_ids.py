"""Ids of another service that lead to what was migrated from it.

They stay good for ever. A row of the other service is looked up only where no photo or album of Sparks has the id.
"""

import re
from collections.abc import Iterator
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model import migration
from sparks.model.photo_index import ExternalId
from sparks.table.port import Table

MAX_BYTES: Final = 900  # of an id, so that a key can hold it

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def image_id_of(old_id: str, *, table: Table) -> str | None:
    """The id of the photo that has this id in another service, perhaps as `IMAGE#{id}`; None where there is none."""
    return _target_of(migration.PHOTOS, _spellings(old_id, "IMAGE#"), table)


def album_id_of(old_id: str, *, table: Table) -> str | None:
    """The id of the album that has this id in another service, perhaps as `ALBUM#{id}`; None where there is none."""
    return _target_of(migration.ALBUMS, _spellings(old_id, "ALBUM#"), table)


def _target_of(system: str, spellings: Iterator[str], table: Table) -> str | None:
    named = [keys.external_id(system, each) for each in dict.fromkeys(spellings)]
    found = table.get_many(named) if named else {}
    aliases = (from_item(ExternalId, found[key]) for key in named if key in found)
    return next((alias.target_id for alias in aliases if alias.target_id is not None), None)


def _spellings(old_id: str, prefix: str) -> Iterator[str]:
    """The id as it is, without the prefix, and a UUID in lower case, as PostgreSQL writes it."""
    for each in (old_id, old_id.removeprefix(prefix)):
        if each and len(each.encode(errors="ignore")) <= MAX_BYTES and each.isprintable():
            yield each.lower() if _UUID.fullmatch(each) is not None else each
