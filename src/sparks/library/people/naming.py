"""Who has a name already, for whoever is about to give it to somebody else. An index tells, and may be a bit behind."""

import unicodedata
from collections.abc import Iterator
from typing import Final

from sparks.library import entity_types
from sparks.library.photos.words import checked_name
from sparks.library.records import from_item
from sparks.model.person import Person
from sparks.table.port import Table, every

_NEEDED: Final = frozenset({"displayName", "createdAt", "canonicalPersonId", "memberCount", "photoCount"})


def persons_named(name: str, *, table: Table) -> Iterator[Person]:
    """Those who are called so, however it is written; not those who became somebody else. BadInput where it is no name.

    [Note: all persons] They are looked through one by one: there are far fewer of them than faces, and a name is given
    once.
    """
    wanted = _alike(checked_name(name) or "")
    for row in every(table, entity_types.PERSONS, only=_NEEDED):
        if "canonicalPersonId" not in row and _alike(row["displayName"]) == wanted:
            yield from_item(Person, row)


def _alike(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
