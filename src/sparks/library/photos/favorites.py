"""Favorites: photos that a user or guest marked for themselves."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sparks.library import entity_types, keys
from sparks.library.photos.photo_rows import NO_PHOTO
from sparks.library.records import to_item
from sparks.model.errors import ConditionFailed, NotFound
from sparks.model.photo_index import Favorite
from sparks.table.port import Absent, Between, Change, Check, Delete, NotEquals, Present, Put, Table


def set_favorite(
    image_id: str, owner: str, who: str, *, at: datetime, also: Sequence[Change] = (), table: Table
) -> bool:
    """Whether it is new; a repeat is harmless. NotFound where the photo is deleted or being deleted; ConditionFailed
    where a change of `also` fails, by its position.
    """
    mark = Favorite(image_id=image_id, owner=owner, who=who, created_at=at)
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


def favorites_among(image_ids: Iterable[str], who: str, *, table: Table) -> frozenset[str]:
    """Those of the photos that the user or guest marked."""
    marks = table.get_many([keys.favorite(image_id, who) for image_id in image_ids])
    return frozenset(key.pk for key in marks)


def favorites_between(image_ids: Sequence[str], who: str, *, table: Table) -> frozenset[str]:
    """As `favorites_among`, for a page: in one query where few marks lie between its photos.

    For display only: it comes from an index, which may be a moment behind.
    """
    if not image_ids:
        return frozenset()
    between = Between(min(image_ids), max(image_ids))
    marks = table.query(entity_types.favorite(who), between, limit=len(image_ids))
    if marks.after is not None:
        return favorites_among(image_ids, who, table=table)
    return frozenset(mark["PK"] for mark in marks.items)


def unset_favorite(image_id: str, who: str, *, table: Table) -> bool:
    """Whether it was marked."""
    try:
        table.write(Delete(keys.favorite(image_id, who), when=(Present(),)))
    except ConditionFailed:
        return False
    return True
