"""Another name for a tag, on all photos of whoever asks: where the name is one that they use already, both are one.

[Note: one photo at a time] Each is changed as by its owner, whatever its version, and moves to the next one: so whoever
has it open is told when they want to save it. What has the new name already is passed over, so it may be interrupted at
any time and begun anew. How far it is stands in a row of its own.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.photos import checked_tags, read_photo, retag_photo, settle_links, tag_key
from sparks.library.records import changes, from_item, to_item
from sparks.model.access import NOT_THERE
from sparks.model.errors import BadInput, Busy, NotFound
from sparks.model.ids import random_id
from sparks.model.ledger import TagChange
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import scope_of_owner
from sparks.table.port import Key, Put, Table, every

KEPT: Final = timedelta(days=7)
NO_TAG: Final = "none of your photos has this tag"
NO_CHANGE: Final = NOT_THERE.format("change of a tag")

_NEEDED: Final = frozenset({"owner", "tags"})


def begin_renaming(owner: str, tag: str, name: str, *, at: datetime, table: Table) -> TagChange:
    """NotFound where none of their photos has the tag; BadInput where the new name is none."""
    key, names = tag_key(tag), checked_tags([name])
    if not names:
        raise BadInput("a tag needs a name: say which, or take the tag off its photos")
    if key is None or next(_photos_with(key, owner, table), None) is None:
        raise NotFound(NO_TAG)
    counter = table.get(keys.tag_counter(scope_of_owner(owner), key)) or {}
    change = TagChange(
        change_id=random_id(),
        owner=owner,
        tag=key,
        name=names[0],
        photos=counter.get("count", 0),
        begun_at=at,
        ttl=at + KEPT,
    )
    table.write(Put(to_item(change)))
    return change


def find_change(change_id: str, *, table: Table) -> TagChange:
    """NotFound where there is none, or it was done long ago."""
    item = table.get(keys.tag_change(change_id))
    if item is None:
        raise NotFound(NO_CHANGE)
    return from_item(TagChange, item)


def rename_some(change: TagChange, *, most: int, at: datetime, table: Table) -> tuple[TagChange, list[Photo]]:
    """So many of the photos, as they are now; and how far it is then. Nothing happens where it is over.

    What others change all the time is left as it is once nothing else is to be done.
    """
    if change.finished_at is not None:
        return change, []
    changed: list[Photo] = []
    found = list(islice(_photos_with(change.tag, change.owner, table, name=change.name), most))
    for photo in found:
        try:
            changed.append(retag_photo(photo, change.tag, change.name, at=at, table=table))
            settle_links(photo.image_id, photo.owner, table=table)
        except (NotFound, Busy):
            continue  # deleted this moment, or to be tried again with those that are left
    is_over = len(found) < most or not changed
    failed = len(found) - len(changed) if is_over else 0
    done = change.done + len(changed)
    photos = done + failed if is_over else max(change.photos, done + 1)
    noted = replace(change, done=done, photos=photos, failed=failed, finished_at=at if is_over else None)
    table.write(changes(change, noted))
    return noted, changed


def _photos_with(tag: str, owner: str, table: Table, *, name: str | None = None) -> Iterator[Photo]:
    """Those that have the tag, as their rows say; not those that have it under this very name already. What is still
    listed, and has it no more, leaves the list: whoever was to see to that was interrupted.
    """
    told: set[Key] = set()
    for key in _listed(tag, owner, table):
        photo = None if key in told else read_photo(key, table=table)
        told.add(key)
        if photo is None or photo.state is PhotoState.DELETING:
            continue
        if any(tag_key(each) == tag and each != name for each in photo.tags):
            yield photo
        elif tag not in map(tag_key, photo.tags):
            settle_links(photo.image_id, owner, table=table)


def _listed(tag: str, owner: str, table: Table) -> Iterator[Key]:
    """Its list has those that are finished. What is to expire, in the trash, on its way or failed is in none, and keeps
    its tags all the same.
    """
    for pointers in (entity_types.tag(owner, tag), entity_types.EXPIRING):
        for row in every(table, pointers, only=_NEEDED):
            if row.get("owner") == owner:
                yield keys.photo(row["PK"], owner)
    for photos in (entity_types.trashed(owner), entity_types.PENDING, entity_types.FAILED):
        for row in every(table, photos, only=_NEEDED):
            if row.get("owner") == owner and tag in map(tag_key, row.get("tags", ())):
                yield keys.photo(row["PK"], owner)
