"""Favourites: what somebody marked, and nobody else sees."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sparks.library import entity_types, keys
from sparks.library.photos.writing import NO_PHOTO
from sparks.library.records import to_item
from sparks.model.errors import ConditionFailed, NotFound
from sparks.model.pointer import Favourite
from sparks.table.port import Absent, Between, Change, Check, Delete, NotEquals, Present, Put, Table


def set_favourite(
    image_id: str, owner: str, who: str, *, at: datetime, also: Sequence[Change] = (), table: Table
) -> bool:
    """Whether it was not marked before; a repeat is harmless. NotFound where the photo is gone or being deleted;
    ConditionFailed where a change of `also` fails, by its position.
    """
    mark = Favourite(image_id=image_id, owner=owner, who=who, created_at=at)
    there = Check(keys.photo(image_id, owner), (Present(), NotEquals("entityType", entity_types.DELETING.value)))
    try:
        table.write(there, *also, Put(to_item(mark), when=(Absent(),)))
    except ConditionFailed as failed:
        if failed.position == 0:
            raise NotFound(NO_PHOTO) from failed
        if failed.position <= len(also):
            raise ConditionFailed(failed.position - 1, failed.found) from failed
        return False
    return True


def favourites_among(image_ids: Iterable[str], who: str, *, table: Table) -> frozenset[str]:
    """Those of the photos that `who` marked."""
    marks = table.get_many([keys.favourite(image_id, who) for image_id in image_ids])
    return frozenset(key.pk for key in marks)


def favourites_between(image_ids: Sequence[str], who: str, *, table: Table) -> frozenset[str]:
    """As `favourites_among`, of a page: in one query where `who` marked little that lies between its photos.

    Good for showing: it comes from an index, which may be a moment behind.
    """
    if not image_ids:
        return frozenset()
    between = Between(min(image_ids), max(image_ids))
    marks = table.query(entity_types.favourite(who), between, limit=len(image_ids))
    if marks.after is not None:
        return favourites_among(image_ids, who, table=table)
    return frozenset(mark["PK"] for mark in marks.items)


def unset_favourite(image_id: str, who: str, *, table: Table) -> bool:
    """Whether it was marked. Nothing marked: nothing happens."""
    try:
        table.write(Delete(keys.favourite(image_id, who), when=(Present(),)))
    except ConditionFailed:
        return False
    return True
