"""Tags with photo counts, the photos of a tag, and renaming of a tag.

A rename changes one photo at a time, as its owner would, and raises its version: so an editor who has it open learns of
the change when saving. Photos that have the new name already are skipped, so an interrupted rename is simply repeated.
Its progress is stored in a row of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pagination import filled_page
from sparks.library.photos.edit_and_trash import retag_photo
from sparks.library.photos.photo_lists import ItemPage
from sparks.library.photos.photo_rows import read_photo
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import changes, from_item, key_of, read_item, read_items, read_row, to_item
from sparks.model.access import NOT_THERE
from sparks.model.errors import BadInput, Busy, Migrating, NotFound
from sparks.model.ids import random_id
from sparks.model.photo import Photo, PhotoState
from sparks.model.photo_index import TagCounter
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.model.system_records import TagRename
from sparks.model.text_validation import checked_tags, tag_key
from sparks.table.port import EVERYTHING, Item, Key, Page, Put, Table, every

Counted = tuple[str, int]
KEEP_FOR: Final = timedelta(days=7)
NO_TAG: Final = "none of your photos has this tag"
NO_CHANGE: Final = NOT_THERE.format("change of a tag")
_NEEDED: Final = frozenset({"entityType", "owner", "tags"})


def list_tags(
    scope: Scope, *, start: str = "", limit: int, after: Key | None, table: Table
) -> tuple[list[Counted], Key | None]:
    """The next tags of the scope in alphabetical order, each with the number of its photos; with `start`, those that
    begin with it. None at the end.
    """
    begins = tag_key(start)
    if start.strip() and begins is None:
        return [], None

    def fetch(most: int, behind: Key | None) -> Page:
        span = EVERYTHING if begins is None else keys.tags_beginning(begins)
        return table.query(keys.tags(scope), span, limit=most, after=behind)

    return filled_page(fetch, _counted, limit=limit, after=after)


def tags_with_prefix(start: str, scope: Scope, *, limit: int, table: Table) -> list[Counted]:
    return list_tags(scope, start=start, limit=limit, after=None, table=table)[0]


def list_tagged(
    tag: str, scope: Scope, *, sees: Callable[[Photo], bool], limit: int, after: Key | None, table: Table
) -> ItemPage:
    """The photos with this tag in the scope of the community or of a user, newest first, as their own rows say. None at
    the end.
    """
    key = tag_key(tag)
    if key is None:
        return [], None
    within = entity_types.community_tag(key) if scope == COMMUNITY else entity_types.tag(scope, key)

    def fetch(most: int, behind: Key | None) -> Page:
        links = table.query(within, limit=most, after=behind, newest_first=True)
        named = [keys.photo(link["PK"], link["owner"]) for link in links.items]
        rows = table.get_many(named)
        return Page([rows[each] for each in named if each in rows], links.after)

    def read(row: Item) -> Item | None:
        photo = read_item(Photo, row)
        shown = photo is not None and key in map(tag_key, photo.tags) and sees(photo)
        return read_row(Photo, row) if shown else None

    return filled_page(fetch, read, limit=limit, after=after)


def _counted(row: Item) -> Counted | None:
    counter = from_item(TagCounter, row)
    return (counter.tag, counter.count) if counter.count > 0 else None


def begin_rename(owner: str, tag: str, name: str, *, at: datetime, table: Table) -> TagRename:
    """NotFound where no photo of the user has the tag; BadInput for an invalid name."""
    key, names = tag_key(tag), checked_tags([name])
    if not names:
        raise BadInput("a tag needs a name: send one, or remove the tag from its photos")
    if key is None or next(_photos_with(key, owner, table), None) is None:
        raise NotFound(NO_TAG)
    counter = table.get(keys.tag_counter(scope_of_owner(owner), key)) or {}
    change = TagRename(
        change_id=random_id(),
        owner=owner,
        tag=key,
        name=names[0],
        photos=counter.get("count", 0),
        begun_at=at,
        ttl=at + KEEP_FOR,
    )
    table.write(Put(to_item(change)))
    return change


def find_rename(change_id: str, *, table: Table) -> TagRename:
    """NotFound where there is none, or it ended long ago."""
    item = table.get(keys.tag_rename(change_id))
    if item is None:
        raise NotFound(NO_CHANGE)
    return from_item(TagRename, item)


def rename_some(change: TagRename, *, most: int, at: datetime, table: Table) -> tuple[TagRename, list[Photo]]:
    """Renames the tag on the next photos; returns these as they are now, and the progress. Nothing happens where it is
    over.

    A photo that others change all the time is left out once nothing else is to be done.
    """
    if change.finished_at is not None:
        return change, []
    changed: list[Photo] = []
    found = list(islice(_photos_with(change.tag, change.owner, table, name=change.name), most))
    for photo in found:
        try:
            changed.append(retag_photo(photo, change.tag, change.name, at=at, table=table))
            reconcile_links(photo.image_id, photo.owner, table=table)
        except (NotFound, Busy, Migrating):
            continue  # deleted meanwhile, tried again with those that are left, or not ours to change yet
    is_over = len(found) < most or not changed
    failed = len(found) - len(changed) if is_over else 0
    done = change.done + len(changed)
    photos = done + failed if is_over else max(change.photos, done + 1)
    noted = replace(change, done=done, photos=photos, failed=failed, finished_at=at if is_over else None)
    table.write(changes(change, noted))
    return noted, changed


def _photos_with(tag: str, owner: str, table: Table, *, name: str | None = None) -> Iterator[Photo]:
    """The photos that have the tag, as their rows say, but not under this very name already. A photo that is listed and
    does not have the tag leaves the list: the step that should have removed it was interrupted.
    """
    returned: set[Key] = set()
    for key in _listed(tag, owner, table):
        photo = None if key in returned else read_photo(key, table=table)
        returned.add(key)
        if photo is None or photo.state is PhotoState.DELETING:
            continue
        if any(tag_key(each) == tag and each != name for each in photo.tags):
            yield photo
        elif tag not in map(tag_key, photo.tags):
            reconcile_links(photo.image_id, owner, table=table)


def _listed(tag: str, owner: str, table: Table) -> Iterator[Key]:
    """The list holds finished photos. Photos with an expiry, and those in the trash, in processing or failed, are not
    listed and keep their tags.
    """
    for pointers in (entity_types.tag(owner, tag), entity_types.EXPIRING):
        for row in every(table, pointers, only=_NEEDED):
            if row.get("owner") == owner:
                yield keys.photo(row["PK"], owner)
    for photos in (entity_types.trashed(owner), entity_types.PENDING, entity_types.FAILED):
        for photo in read_items(Photo, every(table, photos, only=_NEEDED)):
            if photo.owner == owner and tag in map(tag_key, photo.tags):
                yield key_of(photo)
