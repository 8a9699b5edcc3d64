"""All faces there are, from the lists of those who wait and of persons.

[Note: lists that move] A face that becomes somebody's while the lists are read may be in none of them when they are
looked at. So those who wait are read twice: before the persons and after them. A face may be told twice.
"""

from collections.abc import Iterable, Iterator

from sparks.library import entity_types
from sparks.table.port import Item, Table, every


def listed_faces(
    person_ids: Iterable[str], *, only: frozenset[str] | None = None, page: int = 500, table: Table
) -> Iterator[Item]:
    """The rows of faces of these persons, and of nobody; with `only` these attributes, beside their keys."""
    for person_id in (None, *person_ids, None):
        yield from every(table, entity_types.face(person_id), page=page, only=only)
