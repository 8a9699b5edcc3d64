"""The tags of a scope with their counts, and the photos with one of them, newest first."""

from collections.abc import Callable

from sparks.library import entity_types, keys
from sparks.library.pages import filled
from sparks.library.photos import ItemPage, tag_key
from sparks.library.records import from_item
from sparks.model.counter import TagCounter
from sparks.model.photo import Photo
from sparks.model.scope import COMMUNITY, Scope
from sparks.table.port import EVERYTHING, Item, Key, Page, Table

Counted = tuple[str, int]


def list_tags(
    scope: Scope, *, start: str = "", limit: int, after: Key | None, table: Table
) -> tuple[list[Counted], Key | None]:
    """The next tags of the scope, in the order of their letters, each with the number of its photos; with `start` those
    that begin so. None is the end.
    """
    begins = tag_key(start)
    if start.strip() and begins is None:
        return [], None

    def fetch(most: int, behind: Key | None) -> Page:
        span = EVERYTHING if begins is None else keys.tags_beginning(begins)
        return table.query(keys.tags(scope), span, limit=most, after=behind)

    return filled(fetch, _counted, limit=limit, after=after)


def tags_beginning(start: str, scope: Scope, *, limit: int, table: Table) -> list[Counted]:
    return list_tags(scope, start=start, limit=limit, after=None, table=table)[0]


def list_tagged(
    tag: str, scope: Scope, *, sees: Callable[[Photo], bool], limit: int, after: Key | None, table: Table
) -> ItemPage:
    """The photos with this tag of the scope, which is the community's or a user's, newest first: by their own rows,
    which decide. None is the end.
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
        photo = from_item(Photo, row)
        return row if key in map(tag_key, photo.tags) and sees(photo) else None

    return filled(fetch, read, limit=limit, after=after)


def _counted(row: Item) -> Counted | None:
    counter = from_item(TagCounter, row)
    return (counter.tag, counter.count) if counter.count > 0 else None
